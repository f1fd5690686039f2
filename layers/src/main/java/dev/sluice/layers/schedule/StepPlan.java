package dev.sluice.layers.schedule;

import dev.sluice.layers.schedule.LayerSchedule.Kind;
import dev.sluice.layers.schedule.LayerSchedule.Operation;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

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
  LayerSchedule schedule(Layers layers) {
    List<Operation> before = new ArrayList<>();
    first.forEach(layer -> before.add(Operation.made(Kind.PREFETCH, layer)));
    List<Operation> step = new ArrayList<>();
    for (int use = 0; use < layers.uses(); use++) {
      int layer = layers.layer(use);
      if (!keep.get(layers.otherUse(use))) {
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

  /**
   * Reads in the order of their uses, each as early as the budget allows, given which layers stay
   * after which use.
   *
   * <p>Slot s lies right before use s, behind what use s − 1 frees; slots and uses go on through
   * the steps, so that slot 0 is the end of the step before. A read for use j that begins in slot i
   * finds there the layers that stay across the slot, and the reads for uses i to j − 1. Later
   * slots up to j hold no more than that, so that slot i alone decides.
   */
  static final class ReadsInOrder {
    private final Layers layers;
    private final long budgetBytes;
    private final int uses;
    private final long[] bytes;

    ReadsInOrder(Layers layers, long budgetBytes) {
      this.layers = layers;
      this.budgetBytes = budgetBytes;
      this.uses = layers.uses();
      this.bytes = layers.bytes().stream().mapToLong(Long::longValue).toArray();
    }

    /** The plan; null if what stays leaves no room for a layer that must be read. */
    @Nullable StepPlan plan(BitSet keep) {
      long[] keptBytes = keptBytes(keep);
      for (int slot = 0; slot < uses; slot++) {
        if (keptBytes[slot] + (isRead(keep, slot) ? bytes(slot) : 0) > budgetBytes) {
          return null;
        }
      }
      List<List<Integer>> reads = noReads();
      List<List<Integer>> readsForNextStep = noReads();
      boolean[] atStart = new boolean[layers.count()];
      for (int use = 0; use < layers.count(); use++) {
        atStart[layers.layer(use)] = keep.get(layers.otherUse(use));
      }
      int slot = -uses;
      long windowBytes = 0;
      for (int use = -uses;
          use < uses;
          use++) { // the step before tells where this step's reads begin
        if (!isRead(keep, use)) {
          continue;
        }
        windowBytes += bytes(use);
        while (slot <= lastUse(use) || keptBytes[inStep(slot)] + windowBytes > budgetBytes) {
          windowBytes -= isRead(keep, slot) ? bytes(slot) : 0;
          slot++;
        }
        if (use >= 0) {
          (slot > 0 ? reads : readsForNextStep).get(inStep(slot - 1)).add(layers.layer(use));
          atStart[layers.layer(use)] |= slot <= 0;
        }
      }
      for (int use = 0; use < uses; use++) {
        reads.get(use).addAll(readsForNextStep.get(use));
      }
      List<Integer> first =
          IntStream.range(0, layers.count()).filter(layer -> atStart[layer]).boxed().toList();
      return new StepPlan(first, reads, (BitSet) keep.clone());
    }

    private List<List<Integer>> noReads() {
      return Stream.<List<Integer>>generate(ArrayList::new).limit(uses).toList();
    }

    /** By slot, the bytes of the layers that stay across it. */
    private long[] keptBytes(BitSet keep) {
      long[] keptBytes = new long[uses]; // first what each slot has more than the one before
      long beforeBytes = 0;
      for (int use = 0; use < uses; use++) {
        if (!isRead(keep, use)) {
          int from = lastUse(use) + 1;
          keptBytes[inStep(from)] += bytes(use);
          beforeBytes += from <= 0 ? bytes(use) : 0;
          keptBytes[inStep(use + 1)] -= bytes(use);
        }
      }
      keptBytes[0] = beforeBytes;
      for (int slot = 1; slot < uses; slot++) {
        keptBytes[slot] += keptBytes[slot - 1];
      }
      return keptBytes;
    }

    private boolean isRead(BitSet keep, int use) {
      return !keep.get(layers.otherUse(inStep(use)));
    }

    /** The use of the same layer before this one; negative in the steps before. */
    private int lastUse(int use) {
      return use - layers.slots(layers.otherUse(inStep(use)));
    }

    private long bytes(int use) {
      return bytes[layers.layer(inStep(use))];
    }

    private int inStep(int use) {
      return Math.floorMod(use, uses);
    }
  }
}
