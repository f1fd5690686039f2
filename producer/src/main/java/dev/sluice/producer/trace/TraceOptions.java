package dev.sluice.producer.trace;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a trace is read.
 *
 * @param columns by attribute of a job ({@code class}, {@code workload}, {@code backend}, {@code
 *     precision}, {@code samples}, {@code slo_ms}), the column that says it, in place of the
 *     format's own
 * @param window part that is kept
 * @param spread whether requests of equal times are parted
 * @param seed seed of what a trace leaves to chance
 */
public record TraceOptions(Map<String, Column> columns, Window window, boolean spread, long seed) {
  /** A whole trace as it stands. */
  public static final TraceOptions WHOLE = new TraceOptions(Map.of(), Window.WHOLE, false, 0);

  public TraceOptions {
    columns = Map.copyOf(columns);
  }

  /**
   * A column in place of the format's own.
   *
   * @param from its name
   * @param stripeOver names that different values of the column are dealt to, one after the other,
   *     as they first occur; null: the values are names themselves
   */
  public record Column(String from, @Nullable List<String> stripeOver) {}

  /**
   * The part of a trace that is kept, in nanoseconds since its time zero: requests at or after
   * {@code lowNs}, before {@code toNs} and before {@code endNs}.
   *
   * @param lowNs beginning of what a run plays, its warm-up included; at least 0
   * @param toNs end that the user asked for; {@link Long#MAX_VALUE}: none
   * @param endNs time at which the run's arrivals end at the latest; {@link Long#MAX_VALUE}: none
   */
  public record Window(long lowNs, long toNs, long endNs) {
    /** The whole trace. */
    public static final Window WHOLE = new Window(0, Long.MAX_VALUE, Long.MAX_VALUE);

    /** Returns one past the last time that is kept. */
    long highNs() {
      return Math.min(toNs, endNs);
    }
  }
}
