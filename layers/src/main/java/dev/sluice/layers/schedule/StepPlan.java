package dev.sluice.layers.schedule;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Decisions of a list: which layers stay after which use, and behind which use each read begins. A
 * layer that does not stay is freed at once, reads that begin behind a use come after that, and a
 * layer that was read is fetched right before its next use: neither freeing later, nor asking
 * later, nor waiting earlier makes a list faster.
 *
 * @param first layers that are read before the first step, in this order
 * @param reads by use, the layers whose reads begin behind it, in this order
 * @param keep uses whose layer stays until its next use
 */
record StepPlan(List<Integer> first, List<List<Integer>> reads, BitSet keep) {
  /** The list. */
  LayerSchedule schedule(Layers layers) {
    List<Operation> before = new ArrayList<>();
    first.forEach(layer -> before.add(Operation.made(Kind.PREFETCH, layer)));
    List<Operation> step = new ArrayList<>();
    for (int use = 0; use < layers.uses(); use++) {
      int layer = layers.layer(use);
      if (!keep.get(previousUse(layers, use))) {
        Operation last = step.isEmpty() ? null : step.get(step.size() - 1);
        if (last != null && last.kind() == Kind.PREFETCH && last.layer() == layer) {
          step.remove(step.size() - 1);
        }
        step.add(Operation.made(Kind.FETCH, layer));
      }
      step.add(Operation.made(Kind.COMPUTE, layer));
      if (!keep.get(use)) {
        step.add(Operation.made(Kind.RELEASE, layer));
      }
      reads.get(use).forEach(read -> step.add(Operation.made(Kind.PREFETCH, read)));
    }
    return new LayerSchedule(before, step);
  }

  /** The use of the same layer before this one, in this step or at the end of the one before. */
  static int previousUse(Layers layers, int use) {
    return layers.training() ? layers.uses() - 1 - use : use;
  }
}
