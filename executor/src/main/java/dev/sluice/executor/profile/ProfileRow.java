package dev.sluice.executor.profile;

import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * One measured service time.
 *
 * @param deviceKind what the lane computed on, for example {@code cpu}
 * @param pass all keys were measured once and again in passes apart in time; from 1
 * @param repeat of the key in the pass; from 1
 * @param atNs when it ended, since the profile was begun
 * @param serviceNs how long it took; at least 1
 * @param foreignLoad share of the machine's processors that others took meanwhile, in [0, 1]; null:
 *     unknown
 * @param flopsPerSample of the workload's model; 0: unknown
 * @param parameters of the workload's model; 0: unknown
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
  /** By key, then pass, then repeat: no two rows of a profile are equal in it. */
  public static final Comparator<ProfileRow> ORDER =
      Comparator.comparing(ProfileRow::deviceKind)
          .thenComparing(ProfileRow::key)
          .thenComparingInt(ProfileRow::pass)
          .thenComparingInt(ProfileRow::repeat);

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

  /** Which measurement it is, whatever came out of it. */
  public Slot slot() {
    return new Slot(deviceKind, key, pass, repeat);
  }

  /** One measurement that a profile holds at most once. */
  public record Slot(String deviceKind, LatencyKey key, int pass, int repeat) {}

  /** Natural logarithm of the service time in nanoseconds. */
  public double lnNs() {
    return StrictMath.log((double) serviceNs);
  }
}
