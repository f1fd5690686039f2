package dev.sluice.layers.schedule;

import dev.sluice.layers.schedule.StepPlan.ReadsInOrder;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Chooses what stays, with reads in the order of their uses: several orders in which stays are
 * taken as long as they fit beside room for reading ahead, then single changes and exchanges as
 * long as they help. All that {@link Schedules} lets stay is among them, so that no list of these
 * is faster: its reads have the same order, and begin no earlier.
 *
 * <p>Then a read that the loop waits for goes before others, which are read where it was, so that a
 * large layer need not wait until small ones, which are used before it, have had their room.
 */
final class PlanSearch {
  /** Bound of the work: operations that are put into lists or gone through by the clock. */
  private static final long WORK_MAX = 1_000_000;

  /** Bound of the work behind: operations of all lists with an earlier read that are tried. */
  private static final long MOVED_MAX = 100_000;

  /** Slots by which a read goes back at once. */
  private static final int SLOTS_BACK_MAX = 3;

  /** Steps after which the waiting of later ones is known well enough. */
  private static final int STEPS_SEEN = 4;

  private static final int SHARES = 24;
  private static final double[] ROOMS = {0, 0.5, 1, 1.5, 2, 3, 4, 6, 8};

  private final Layers layers;
  private final Layers.Times times;
  private final long budgetBytes;
  private final int steps;
  private final ReadsInOrder reads;
  private final int uses;
  private final long boundNs;
  private long work;
  private long moved;
  private long wallNs = Long.MAX_VALUE;
  private long readNs = Long.MAX_VALUE;
  private @Nullable StepPlan best;

  PlanSearch(Layers layers, Layers.Times times, long budgetBytes, int steps) {
    this.layers = layers;
    this.times = times;
    this.budgetBytes = budgetBytes;
    this.steps = steps;
    this.reads = new ReadsInOrder(layers, budgetBytes);
    this.uses = layers.uses();
    this.boundNs = AutoSchedule.wallBoundNs(layers, times, budgetBytes, steps);
  }

  long wallNs() {
    return wallNs;
  }

  /** The best plan found; all layers stay if they fit together. */
  StepPlan best() {
    BitSet keep = new BitSet(uses);
    keep.set(0, uses, layers.totalBytes() <= budgetBytes);
    isBetter(keep);
    if (layers.totalBytes() > budgetBytes) {
      keepUpTo();
      for (Comparator<Integer> order : orders()) {
        for (double room : ROOMS) {
          if (goesOn()) {
            isBetter(taken(sorted(order), (long) (room * layers.largestBytes())));
          }
        }
      }
      for (int share = 1; share < SHARES && goesOn(); share++) {
        takeShare((double) share / SHARES);
      }
      improve();
    }
    StepPlan found = best;
    if (found == null) {
      throw new IllegalStateException("a layer does not fit alone");
    }
    if (layers.totalBytes() > budgetBytes) {
      for (StepPlan next = readEarlier(found); next != null; next = readEarlier(found)) {
        found = next;
      }
    }
    return found;
  }

  /** Tries what stays for at most some slots: no schedule of {@link Schedules} keeps other ones. */
  private void keepUpTo() {
    boolean fits = layers.training(); // else all stay equally long, for the whole step
    for (int slots = 1; fits && slots < uses; slots += 2) {
      BitSet keep = new BitSet(uses);
      for (int use = 0; use < uses; use++) {
        keep.set(use, layers.slots(use) <= slots);
      }
      fits = reads.plan(keep) != null;
      isBetter(keep);
    }
  }

  /** Uses behind which a layer may stay, the most worthwhile first. */
  private List<Integer> sorted(Comparator<Integer> order) {
    return IntStream.range(0, uses).boxed().sorted(order).toList();
  }

  private List<Comparator<Integer>> orders() {
    Comparator<Integer> shortest = Comparator.comparingInt(layers::slots);
    Comparator<Integer> worth = Comparator.comparingDouble(use -> -worth(use));
    Comparator<Integer> worthOfRoom =
        Comparator.comparingDouble(use -> -worth(use) / layers.slots(use));
    Comparator<Integer> byLayer = Comparator.comparingInt(layers::layer);
    return List.of(
        shortest, worthOfRoom, worth.thenComparing(byLayer), byLayer, byLayer.reversed());
  }

  /** Reading time that a byte saves which stays behind the use. */
  private double worth(int use) {
    int layer = layers.layer(use);
    return times.fetchNs().get(layer) / Math.max(0.5, layers.bytes().get(layer));
  }

  /** Takes a share of all layers, evenly spread by their reading time. */
  private void takeShare(double share) {
    List<Integer> inStep = new ArrayList<>();
    List<Integer> always = new ArrayList<>();
    List<Integer> overEnd = new ArrayList<>();
    double meanNs = times.fetchNs().stream().mapToLong(Long::longValue).average().orElse(0);
    double owedNs = meanNs / 2;
    for (int layer = 0; layer < layers.count(); layer++) {
      owedNs += share * times.fetchNs().get(layer);
      if (owedNs >= times.fetchNs().get(layer)) {
        owedNs -= times.fetchNs().get(layer);
        int back = layers.otherUse(layer);
        inStep.add(layer);
        always.add(layer);
        if (back != layer) {
          overEnd.add(back);
          always.add(back);
        }
      }
    }
    isBetter(taken(always, 0));
    if (layers.training()) {
      isBetter(taken(inStep, 0));
      isBetter(taken(overEnd, 0));
    }
  }

  /**
   * Stays that are taken in an order as long as each fits.
   *
   * @param roomBytes bytes beside the computed layer that are left for reading ahead
   */
  private BitSet taken(List<Integer> order, long roomBytes) {
    BitSet keep = new BitSet(uses);
    long[] usedBytes = new long[uses]; // by slot: what stays across it, and the layer computed
    for (int use = 0; use < uses; use++) {
      usedBytes[use] = layers.bytes().get(layers.layer(use));
    }
    for (int use : order) {
      long bytes = layers.bytes().get(layers.layer(use));
      boolean fits = true;
      for (int slot = use + 1; fits && slot < use + layers.slots(use); slot++) {
        fits = usedBytes[slot % uses] + bytes + roomBytes <= budgetBytes;
      }
      if (fits) {
        keep.set(use);
        for (int slot = use + 1; slot < use + layers.slots(use); slot++) {
          usedBytes[slot % uses] += bytes;
        }
      }
    }
    return keep;
  }

  private void improve() {
    boolean helped = true;
    while (helped && goesOn()) {
      helped = change() || exchange();
    }
  }

  private boolean goesOn() {
    return work < WORK_MAX && wallNs > boundNs;
  }

  private boolean change() {
    boolean helped = false;
    for (int use = 0; use < uses && goesOn(); use++) {
      helped |= isBetter(changed(use, -1)) || changesBoth(use);
    }
    return helped;
  }

  /** Changes both stays of a layer, in training. */
  private boolean changesBoth(int use) {
    int other = layers.otherUse(use);
    return use < other && isBetter(changed(use, other));
  }

  private boolean exchange() {
    boolean helped = false;
    for (int distance = 1; distance < uses; distance++) {
      for (int use = 0; use + distance < uses && goesOn(); use++) {
        BitSet keep = kept();
        if (keep.get(use) != keep.get(use + distance)) {
          helped |= isBetter(changed(use, use + distance));
        }
      }
    }
    return helped;
  }

  private BitSet changed(int use, int other) {
    BitSet keep = kept();
    keep.flip(use);
    if (other >= 0) {
      keep.flip(other);
    }
    return keep;
  }

  private BitSet kept() {
    return best == null ? new BitSet(uses) : (BitSet) best.keep().clone();
  }

  /** Times a plan, and takes it if it is faster, or as fast with less reading. */
  private boolean isBetter(BitSet keep) {
    StepPlan plan = reads.plan(keep);
    work += uses;
    if (plan == null) {
      return false;
    }
    var clock = new ScheduleTime(plan.schedule(layers), layers, times);
    long planNs = clock.wallNs(steps);
    work += clock.operations();
    long planReadNs = 0;
    for (int use = 0; use < uses; use++) {
      planReadNs += keep.get(use) ? 0 : times.fetchNs().get(layers.layer(use));
    }
    if (planNs > wallNs || (planNs == wallNs && planReadNs >= readNs)) {
      return false;
    }
    wallNs = planNs;
    readNs = planReadNs;
    best = plan;
    return true;
  }

  /** A faster plan with one read that begins earlier; null if none was found. */
  private @Nullable StepPlan readEarlier(StepPlan plan) {
    long[] stallNs =
        ScheduleTime.of(plan.schedule(layers), layers, times, Math.min(steps, STEPS_SEEN))
            .stallNs();
    for (int slot = 1; slot < layers.uses(); slot++) {
      for (int layer : plan.reads().get(slot)) {
        for (int back = 1; back <= Math.min(SLOTS_BACK_MAX, slot); back++) {
          if (stallNs[layer] > 0 && moved < MOVED_MAX) {
            StepPlan earlier = moved(plan, slot, layer, slot - back);
            if (isFaster(earlier)) {
              return earlier;
            }
          }
        }
      }
    }
    return null;
  }

  /** The plan in which a layer is read first in an earlier slot, and what was read since behind. */
  private static StepPlan moved(StepPlan plan, int slot, int layer, int earlier) {
    List<List<Integer>> reads = new ArrayList<>(plan.reads());
    List<Integer> behind = new ArrayList<>();
    for (int i = earlier; i <= slot; i++) {
      behind.addAll(reads.get(i));
      reads.set(i, List.of());
    }
    behind.remove(Integer.valueOf(layer));
    reads.set(earlier, List.of(layer));
    reads.set(slot, behind);
    return new StepPlan(plan.first(), reads, plan.keep());
  }

  private boolean isFaster(StepPlan plan) {
    LayerSchedule list = plan.schedule(layers);
    moved += list.step().size();
    if (!ScheduleCheck.faults(list, layers, budgetBytes).isEmpty()) {
      return false;
    }
    long planNs = new ScheduleTime(list, layers, times).wallNs(steps);
    if (planNs >= wallNs) {
      return false;
    }
    wallNs = planNs;
    return true;
  }
}
