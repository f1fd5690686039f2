package dev.sluice.layers.schedule;

import java.util.List;

/**
 * Measured times of layers, by layer.
 *
 * @param fetchNs duration of reading the layer
 * @param forwardNs duration of its forward compute
 * @param backwardNs duration of its backward compute; without training it is not read
 */
public record LayerTimes(List<Long> fetchNs, List<Long> forwardNs, List<Long> backwardNs) {
  /**
   * @throws IllegalArgumentException if the lists are not of one length, or a time is negative
   */
  public LayerTimes {
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
