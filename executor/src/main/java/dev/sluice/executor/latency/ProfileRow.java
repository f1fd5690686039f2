package dev.sluice.executor.latency;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One measured service time.
 *
 * @param deviceKind kind of device that the lane computed on, for example {@code cpu}
 * @param pass number of the pass, from 1; passes measure all keys at different times
 * @param repeat number of the key's measurement in the pass; from 1
 * @param atNs end of the measurement, since the profile was begun
 * @param serviceNs service time; at least 1
 * @param foreignLoad share of the machine's processors that other processes took meanwhile, in [0,
 *     1]; null: unknown
 * @param flopsPerSample FLOPs per sample of the workload's model; 0: unknown
 * @param parameters number of parameters of the workload's model; 0: unknown
 */
public record ProfileRow(
    String deviceKind,
    LatencyKey key,
    int pass,
    int repeat,
    long atNs,
    long serviceNs,
    @Nullable Double foreignLoad,
    long flopsPerSample,
    long parameters) {
  /** Order by key, then pass, then repeat; no two rows of a profile are equal in this order. */
  public static final Comparator<ProfileRow> ORDER =
      Comparator.comparing(ProfileRow::deviceKind)
          .thenComparing(ProfileRow::key)
          .thenComparingInt(ProfileRow::pass)
          .thenComparingInt(ProfileRow::repeat);

  /** Share of the processors, taken by others, above which times are said to be disturbed. */
  private static final double TOLD_SHARE = 0.1;

  public ProfileRow {
    if (pass < 1 || repeat < 1 || atNs < 0 || serviceNs < 1) {
      throw new IllegalArgumentException(
          "pass (%d), repeat (%d), atNs (%d) or serviceNs (%d) is too small"
              .formatted(pass, repeat, atNs, serviceNs));
    }
    if (flopsPerSample < 0 || parameters < 0) {
      throw new IllegalArgumentException(
          "flopsPerSample (%d) or parameters (%d) is negative"
              .formatted(flopsPerSample, parameters));
    }
  }

  /** Returns the slot of this measurement, which does not depend on the measured time. */
  public Slot slot() {
    return new Slot(deviceKind, key, pass, repeat);
  }

  /** One measurement that a profile holds at most once. */
  public record Slot(String deviceKind, LatencyKey key, int pass, int repeat) {}

  public double lnNs() {
    return StrictMath.log((double) serviceNs);
  }

  /**
   * Returns a clause on rows that were measured while other processes used the processors; null if
   * others took at most a tenth on average, or nobody knows how much.
   */
  public static @Nullable String disturbance(List<ProfileRow> rows) {
    double share =
        rows.stream()
            .map(ProfileRow::foreignLoad)
            .filter(Objects::nonNull)
            .mapToDouble(Double::doubleValue)
            .average()
            .orElse(0);
    if (share <= TOLD_SHARE) {
      return null;
    }
    return String.format(
        Locale.ROOT,
        "others took %.0f %% of the processors while these times were measured, so that they may be"
            + " too long",
        100 * share);
  }
}
