package dev.sluice.layers.schedule;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * The exhaustive twin of {@link AutoSchedule}: goes through all lists of releases, prefetches and
 * computes, in any order that the budget allows. It shares no code with the search: layers may stay
 * without need, be asked for at any place, and wait in any order before the first step. A release
 * stands right behind one of its layer's computes or nowhere, since it takes no time and only makes
 * room. A list is left when its first step alone, and the other steps' computes, take as long as
 * the fastest list; or its reads do: all but those of the last step are used before the end.
 */
final class EveryList {
  private final RandomLayers drawn;
  private final int count;
  private final int uses;
  private long fastestNs;
  private final List<int[]> first = new ArrayList<>();
  private final List<int[]> step = new ArrayList<>();

  private long operationsLeft;

  private EveryList(RandomLayers drawn, long knownNs, long operationsMax) {
    this.operationsLeft = operationsMax;
    this.drawn = drawn;
    this.count = drawn.layers.count();
    this.uses = drawn.layers.training() ? 2 * count : count;
    this.fastestNs = knownNs;
  }

  /**
   * Wall time of the fastest list, or the known one if none is faster; empty if there are too many
   * lists to go through.
   */
  static OptionalLong fastestNs(RandomLayers drawn, long knownNs, long operationsMax) {
    var every = new EveryList(drawn, knownNs, operationsMax);
    every.before(new Clock(every.count));
    return every.operationsLeft > 0 ? OptionalLong.of(every.fastestNs) : OptionalLong.empty();
  }

  /** Clocks in a list, and which layers are there (1: unused, 2: used). */
  private static final class Clock {
    final int[] status;
    final long[] thereNs;
    long nowNs;
    long readerNs;
    long usedBytes;

    /** Time of the reads before the first step, and of those of one step. */
    long firstReadNs;

    long stepReadNs;

    Clock(int count) {
      status = new int[count];
      thereNs = new long[count];
    }

    Clock copy() {
      Clock copy = new Clock(status.length);
      System.arraycopy(status, 0, copy.status, 0, status.length);
      System.arraycopy(thereNs, 0, copy.thereNs, 0, status.length);
      copy.nowNs = nowNs;
      copy.readerNs = readerNs;
      copy.usedBytes = usedBytes;
      copy.firstReadNs = firstReadNs;
      copy.stepReadNs = stepReadNs;
      return copy;
    }
  }

  private int layerOf(int use) {
    return use < count ? use : uses - 1 - use;
  }

  private long computeNs(int use) {
    return (use < count ? drawn.times.forwardNs() : drawn.times.backwardNs()).get(layerOf(use));
  }

  private long restNs(int use) {
    long restNs = 0;
    for (int i = 0; i < uses; i++) {
      restNs += (drawn.steps - (i < use ? 1 : 0)) * computeNs(i);
    }
    return restNs;
  }

  private boolean fits(Clock clock, int layer) {
    return clock.status[layer] == 0
        && clock.usedBytes + drawn.layers.bytes().get(layer) <= drawn.budgetBytes;
  }

  private void read(Clock clock, int layer) {
    clock.readerNs = Math.max(clock.readerNs, clock.nowNs) + drawn.times.fetchNs().get(layer);
    clock.thereNs[layer] = clock.readerNs;
    clock.status[layer] = 1;
    clock.usedBytes += drawn.layers.bytes().get(layer);
  }

  private void release(Clock clock, int layer) {
    clock.status[layer] = 0;
    clock.usedBytes -= drawn.layers.bytes().get(layer);
  }

  private void compute(Clock clock, int use) {
    int layer = layerOf(use);
    clock.nowNs = Math.max(clock.nowNs, clock.thereNs[layer]) + computeNs(use);
    clock.status[layer] = 2;
  }

  private void before(Clock clock) {
    int[] atStart = clock.status.clone();
    within(clock, 0, -1, atStart);
    for (int layer = 0; layer < count; layer++) {
      if (fits(clock, layer)) {
        Clock next = clock.copy();
        read(next, layer);
        next.firstReadNs += drawn.times.fetchNs().get(layer);
        first.add(new int[] {1, layer});
        before(next);
        first.remove(first.size() - 1);
      }
    }
  }

  /**
   * Goes on behind an operation.
   *
   * @param freed layer that was just computed, and that may be released; -1: none
   */
  private void within(Clock clock, int use, int freed, int[] atStart) {
    operationsLeft--;
    if (operationsLeft <= 0
        || clock.nowNs + restNs(use) >= fastestNs
        || clock.firstReadNs + (drawn.steps - 1) * clock.stepReadNs >= fastestNs) {
      return;
    }
    if (freed >= 0) {
      Clock next = clock.copy();
      release(next, freed);
      step.add(new int[] {0, freed});
      within(next, use, -1, atStart);
      step.remove(step.size() - 1);
    }
    for (int layer = 0; layer < count; layer++) {
      if (fits(clock, layer)) {
        Clock next = clock.copy();
        read(next, layer);
        next.stepReadNs += drawn.times.fetchNs().get(layer);
        step.add(new int[] {1, layer});
        within(next, use, -1, atStart);
        step.remove(step.size() - 1);
      }
    }
    if (use == uses) {
      end(clock, atStart);
    } else if (clock.status[layerOf(use)] != 0) {
      Clock next = clock.copy();
      compute(next, use);
      step.add(new int[] {2, use});
      within(next, use + 1, layerOf(use), atStart);
      step.remove(step.size() - 1);
    }
  }

  private void end(Clock clock, int[] atStart) {
    for (int layer = 0; layer < count; layer++) {
      if (clock.status[layer] == 0 != (atStart[layer] == 0)) {
        return;
      }
    }
    Clock whole = new Clock(count);
    first.forEach(operation -> read(whole, operation[1]));
    for (int i = 0; i < drawn.steps; i++) {
      for (int[] operation : step) {
        switch (operation[0]) {
          case 0 -> release(whole, operation[1]);
          case 1 -> read(whole, operation[1]);
          default -> compute(whole, operation[1]);
        }
      }
    }
    fastestNs = Math.min(fastestNs, whole.nowNs);
  }
}
