package dev.sluice.layers.schedule;

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
  public static AutoSchedule best(Layers layers, LayerTimes times, long budgetBytes, int steps) {
    if (budgetBytes < layers.largestBytes() || steps < 1) {
      throw new IllegalArgumentException(
          "%d steps within %d bytes, and the largest layer has %d"
              .formatted(steps, budgetBytes, layers.largestBytes()));
    }
    var search = new KeepSearch(layers, times, budgetBytes, steps);
    StepPlan found = search.best();
    long wallNs = search.wallNs();
    if (layers.totalBytes() <= budgetBytes) {
      return new AutoSchedule(found.schedule(layers), wallNs, wallNs, true);
    }
    var earlier = new EarlierReads(layers, times, budgetBytes, steps, found, wallNs);
    found = earlier.best();
    wallNs = earlier.wallNs();
    long boundNs = WallBound.ns(layers, times, budgetBytes, steps);
    return new AutoSchedule(found.schedule(layers), wallNs, boundNs, wallNs == boundNs);
  }
}
