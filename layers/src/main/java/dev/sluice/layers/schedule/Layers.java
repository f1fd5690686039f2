package dev.sluice.layers.schedule;

import java.util.List;

/**
 * Layers that a schedule is for.
 *
 * @param names names, in the order of the forward pass
 * @param bytes bytes that each takes of the budget; in training parameters, gradients and optimizer
 *     state together
 * @param training true: a step computes all layers forward, then all backward in reverse order;
 *     false: forward alone
 */
public record Layers(List<String> names, List<Long> bytes, boolean training) {
  /**
   * @throws IllegalArgumentException if there is no layer, or a size is missing or negative
   */
  public Layers {
    names = List.copyOf(names);
    bytes = List.copyOf(bytes);
    if (names.isEmpty() || names.size() != bytes.size()) {
      throw new IllegalArgumentException(
          "%d names and %d sizes of layers".formatted(names.size(), bytes.size()));
    }
    if (bytes.stream().anyMatch(size -> size < 0)) {
      throw new IllegalArgumentException("a size is negative: " + bytes);
    }
  }

  public int count() {
    return names.size();
  }

  /** Number of computes of a step. */
  public int uses() {
    return training ? 2 * count() : count();
  }

  /** The layer of a compute, by its index in the step, from 0. */
  public int layer(int use) {
    return use < count() ? use : 2 * count() - 1 - use;
  }

  /** The neighbouring compute of the same layer, before and behind; without training itself. */
  int otherUse(int use) {
    return training ? uses() - 1 - use : use;
  }

  /** Number of computes from one to the next of the same layer, which may be of the next step. */
  int slots(int use) {
    int next = otherUse(use);
    return next > use ? next - use : next - use + uses();
  }

  public long totalBytes() {
    return bytes.stream().mapToLong(Long::longValue).sum();
  }

  /** Bytes of the largest layer: no schedule runs within a smaller budget. */
  public long largestBytes() {
    return bytes.stream().mapToLong(Long::longValue).max().orElseThrow();
  }

  /**
   * Measured times of layers, by layer.
   *
   * @param fetchNs duration of reading the layer
   * @param forwardNs duration of its forward compute
   * @param backwardNs duration of its backward compute; without training it is not read
   */
  public record Times(List<Long> fetchNs, List<Long> forwardNs, List<Long> backwardNs) {
    /**
     * @throws IllegalArgumentException if the lists are not of one length, or a time is negative
     */
    public Times {
      fetchNs = List.copyOf(fetchNs);
      forwardNs = List.copyOf(forwardNs);
      backwardNs = List.copyOf(backwardNs);
      if (fetchNs.size() != forwardNs.size() || fetchNs.size() != backwardNs.size()) {
        throw new IllegalArgumentException("times of another number of layers");
      }
      for (List<Long> times : List.of(fetchNs, forwardNs, backwardNs)) {
        if (times.stream().anyMatch(ns -> ns < 0)) {
          throw new IllegalArgumentException("a time is negative: " + times);
        }
      }
    }
  }
}
