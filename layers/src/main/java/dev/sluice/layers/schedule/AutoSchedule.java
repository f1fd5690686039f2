package dev.sluice.layers.schedule;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The schedule with the least wall time over all steps that was found, as {@link ScheduleTime}
 * counts it: what stays, when the rest is read, and what makes room.
 *
 * @param wallNs virtual time of all steps
 * @param lowerBoundNs no schedule takes less
 * @param exact true: no schedule takes less than this one, and the bound is its time
 */
public record AutoSchedule(LayerSchedule schedule, long wallNs, long lowerBoundNs, boolean exact) {
  /**
   * Finds the schedule, which is no worse than {@link Schedules} makes. A model that fits the
   * budget stays whole.
   *
   * @param budgetBytes at least the bytes of the largest layer
   * @param steps at least 1
   * @throws IllegalArgumentException if the budget is smaller
   */
  public static AutoSchedule best(Layers layers, Layers.Times times, long budgetBytes, int steps) {
    if (budgetBytes < layers.largestBytes() || steps < 1) {
      throw new IllegalArgumentException(
          "%d steps within %d bytes, and the largest layer has %d"
              .formatted(steps, budgetBytes, layers.largestBytes()));
    }
    var search = new PlanSearch(layers, times, budgetBytes, steps);
    StepPlan found = search.best();
    long wallNs = search.wallNs();
    boolean allStay = layers.totalBytes() <= budgetBytes;
    long boundNs = allStay ? wallNs : wallBoundNs(layers, times, budgetBytes, steps);
    return new AutoSchedule(found.schedule(layers), wallNs, boundNs, wallNs == boundNs);
  }

  /**
   * The wall time that no schedule falls below: the first layer's read and then all computes, or
   * all reads and then the last compute. What stays from one use to the next is not read again; all
   * that stays over a step's end, and in training over its middle, fits the budget together at that
   * moment, so that the reads saved are at most those of a knapsack filled with parts of layers.
   */
  static long wallBoundNs(Layers layers, Layers.Times times, long budgetBytes, int steps) {
    long computeNs = sum(times.forwardNs()) + (layers.training() ? sum(times.backwardNs()) : 0);
    long allNs = sum(times.fetchNs());
    long readAgainNs = Math.max(0, allNs - savedNs(layers, times, budgetBytes));
    long middlesNs = layers.training() ? steps * readAgainNs : 0;
    long readsNs = allNs + (steps - 1) * readAgainNs + middlesNs;
    long lastNs =
        layers.training() ? times.backwardNs().get(0) : times.forwardNs().get(layers.count() - 1);
    return Math.max(times.fetchNs().get(0) + steps * computeNs, readsNs + lastNs);
  }

  /** Most reading time that layers within the budget save, the last of them in part. */
  private static long savedNs(Layers layers, Layers.Times times, long budgetBytes) {
    List<Integer> byWorth =
        IntStream.range(0, layers.count())
            .boxed()
            .sorted(
                Comparator.comparingDouble(
                    layer ->
                        -(double) times.fetchNs().get(layer)
                            / Math.max(0.5, layers.bytes().get(layer))))
            .toList();
    double savedNs = 0;
    long leftBytes = budgetBytes;
    for (int layer : byWorth) {
      long bytes = layers.bytes().get(layer);
      long taken = Math.min(bytes, leftBytes);
      savedNs +=
          bytes == 0
              ? times.fetchNs().get(layer)
              : times.fetchNs().get(layer) * ((double) taken / bytes);
      leftBytes -= taken;
    }
    return (long) Math.ceil(savedNs) + 1;
  }

  private static long sum(List<Long> values) {
    return values.stream().mapToLong(Long::longValue).sum();
  }
}
