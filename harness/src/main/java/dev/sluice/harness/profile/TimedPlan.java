package dev.sluice.harness.profile;

import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.WarmUp;
import dev.sluice.executor.profile.LatencyKey;
import dev.sluice.executor.profile.ProfilePlan;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A profile's plan, with the time that it may take.
 *
 * @param whole plan that the command asked for
 * @param plan the whole plan, or all its passes with fewer repeats
 * @param wholeMinutes estimate of the whole plan's time
 * @param minutesMax limit of the time; null: none
 */
record TimedPlan(
    ProfilePlan whole, ProfilePlan plan, double wholeMinutes, @Nullable Double minutesMax) {
  /**
   * Factor on estimates: inputs are made between batches, and the machine can be slower than at
   * warm-up.
   */
  private static final double OVERHEAD = 1.15;

  /** Plans all passes with as many repeats as there is time for, at least one. */
  static TimedPlan of(
      ProfilePlan whole, List<Capability> capabilities, @Nullable Double minutesMax) {
    double minutes = estimateMinutes(whole, capabilities);
    if (minutesMax == null || minutes <= minutesMax) {
      return new TimedPlan(whole, whole, minutes, minutesMax);
    }
    int repeats = (int) Math.max(1, whole.repeats() * minutesMax / minutes);
    var shorter = new ProfilePlan(whole.keys(), whole.passes(), repeats, whole.seed());
    return new TimedPlan(whole, shorter, minutes, minutesMax);
  }

  /**
   * Estimate from the times at warm-up; lanes that slow each other down make the real time longer.
   */
  private static double estimateMinutes(ProfilePlan plan, List<Capability> capabilities) {
    double ns = 0;
    for (LatencyKey key : plan.keys()) {
      for (Capability capability : capabilities) {
        if (capability.workload().equals(key.workload())
            && capability.backend().equals(key.backend())
            && capability.precision().equals(key.precision())) {
          ns +=
              capability.warmUps().stream()
                      .filter(warmUp -> warmUp.samples() == key.samples())
                      .mapToLong(WarmUp::serviceNs)
                      .sum()
                  / (double) key.busyLanes();
        }
      }
    }
    return OVERHEAD * ns * plan.passes() * plan.repeats() / 60e9;
  }

  /** The plan in words, with the time that its missing repeats will take. */
  String text(long missing) {
    return String.format(
        Locale.ROOT,
        "%d keys × %d repeats in %d passes%s, about %s",
        plan.keys().size(),
        plan.passes() * plan.repeats(),
        plan.passes(),
        missing == plan.rows() ? "" : ", " + (plan.rows() - missing) + " there already",
        duration(wholeMinutes * missing / whole.rows()));
  }

  /** The repeats that the limit leaves no time for, in words; null: none are left out. */
  @Nullable String shortened() {
    return plan.repeats() == whole.repeats()
        ? null
        : String.format(
            Locale.ROOT,
            "--minutes %s leaves time for %d of %d repeats of each key in each pass",
            trimmed(minutesMax),
            plan.repeats(),
            whole.repeats());
  }

  private static String duration(double minutes) {
    return minutes < 1
        ? String.format(Locale.ROOT, "%.0f s", Math.ceil(60 * minutes))
        : String.format(Locale.ROOT, "%.1f min", minutes);
  }

  /** A number as a person types it; empty for null. */
  static String trimmed(@Nullable Double number) {
    return number == null
        ? ""
        : number == Math.rint(number) ? Long.toString(number.longValue()) : number.toString();
  }
}
