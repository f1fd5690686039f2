package dev.sluice.scheduling.layers;

import java.util.ArrayList;
import java.util.List;

/**
 * The exhaustive twin of {@link AutoSchedule}: goes through all lists of releases, prefetches and
 * computes, in any order that the budget allows. It shares no code with the search: layers may stay
 * without need, be asked for at any place, and wait in any order before the first step. A list is
 * left when its first step alone, and the other steps' computes, take as long as the fastest list.
 */
final class EveryList {
  private final RandomLayers drawn;
  private final int count;
  private final int uses;
  private long fastestNs;
  private final List<int[]> first = new ArrayList<>();
  private final List<int[]> step = new ArrayList<>();

  private EveryList(RandomLayers drawn, long knownNs) {
    this.drawn = drawn;
    this.count = drawn.layers.count();
    this.uses = drawn.layers.training() ? 2 * count : count;
    this.fastestNs = knownNs;
  }

  /** Wall time of the fastest list, or the known one if none is faster. */
  static long fastestNs(RandomLayers drawn, long knownNs) {
    var every = new EveryList(drawn, knownNs);
    every.before(new Clock(every.count));
    return every.fastestNs;
  }

  /** Clocks in a list, and which layers are there (1: unused, 2: used). */
  private static final class Clock {
    final int[] status;
    final long[] thereNs;
    long nowNs;
    long readerNs;
    long usedBytes;

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
    within(clock, 0, 0, atStart);
    for (int layer = 0; layer < count; layer++) {
      if (fits(clock, layer)) {
        Clock next = clock.copy();
        read(next, layer);
        first.add(new int[] {1, layer});
        before(next);
        first.remove(first.size() - 1);
      }
    }
  }

  /**
   * Goes on behind an operation.
   *
   * @param phase 0: releases in the order of layers and prefetches may follow; from 1 + layer on
   *     only releases of later layers and prefetches; beyond all layers prefetches alone
   */
  private void within(Clock clock, int use, int phase, int[] atStart) {
    if (clock.nowNs + restNs(use) >= fastestNs) {
      return;
    }
    for (int layer = phase; layer < count; layer++) {
      if (clock.status[layer] == 2) {
        Clock next = clock.copy();
        release(next, layer);
        step.add(new int[] {0, layer});
        within(next, use, layer + 1, atStart);
        step.remove(step.size() - 1);
      }
    }
    for (int layer = 0; layer < count; layer++) {
      if (fits(clock, layer)) {
        Clock next = clock.copy();
        read(next, layer);
        step.add(new int[] {1, layer});
        within(next, use, count, atStart);
        step.remove(step.size() - 1);
      }
    }
    if (use == uses) {
      end(clock, atStart);
    } else if (clock.status[layerOf(use)] != 0) {
      Clock next = clock.copy();
      compute(next, use);
      step.add(new int[] {2, use});
      within(next, use + 1, 0, atStart);
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
