package dev.sluice.producer.trace;

import dev.sluice.contract.file.TraceRows;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RequestKind;
import dev.sluice.producer.arrivals.RandomStream;
import dev.sluice.producer.trace.TraceFormats.OwnTrace;
import dev.sluice.producer.trace.TraceFormats.TraceFormat;
import dev.sluice.producer.trace.TraceFormats.TraceFormat.RowReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Recorded requests by time: their kinds and times, twelve bytes a request, and what was left out.
 * Every request read is either kept or left out. The arrays are the caller's to change.
 *
 * @param format what the file was taken for, for a person
 * @param kinds different kinds, in the order in which they first occur in the file
 * @param kindByIndex number of the kind by request
 * @param atNsByIndex time by request, since the trace's time zero; rising, at least 0
 * @param leftOut number of requests that were left out, by reason, in the order of the reasons
 * @param read number of requests read
 * @param notes lines about the file that a person should know
 */
@SuppressWarnings("ArrayRecordComponent") // large, compared by nobody, and copied for nobody
public record Trace(
    String format,
    List<RequestKind> kinds,
    int[] kindByIndex,
    long[] atNsByIndex,
    Map<String, Long> leftOut,
    long read,
    List<String> notes) {
  public Trace {
    kinds = List.copyOf(kinds);
    notes = List.copyOf(notes);
  }

  /**
   * Reads a trace.
   *
   * @throws UserMistakeException with the first mistake, its file and its line
   */
  public static Trace read(Path file, TraceOptions options) throws UserMistakeException {
    try (TraceRows rows = TraceRows.open(file, "trace")) {
      TraceFormat format = TraceFormats.of(rows.header(), rows.columns());
      return read(rows, format, options);
    } catch (TraceJobs.TooManyException e) {
      throw new UserMistakeException(
          file.toString(),
          "more than (%d) requests would be kept".formatted(TraceJobs.KEPT_MAX),
          "from and to should cut the trace, or duration_seconds should be shorter");
    } catch (IOException e) {
      throw new UserMistakeException(
          file.toString(),
          "the trace cannot be closed (%s)".formatted(UserMistakeException.reason(e)),
          "its disk or its share is gone",
          e);
    }
  }

  private static Trace read(TraceRows rows, TraceFormat format, TraceOptions options)
      throws UserMistakeException {
    var kinds = new TraceKinds(rows, options.columns(), format instanceof OwnTrace);
    RowReader reader = format.open(rows, options.seed());
    var jobs = new TraceJobs(options.window(), format.isDated(), format.isRising());
    while (rows.next()) {
      int kind = kinds.read(jobs);
      if (kind != TraceKinds.LEFT_OUT) {
        reader.read(kind, jobs);
        if (jobs.wentBack()) {
          throw rows.mistake(
              "the time of this row is before that of the row above it",
              "the file should be sorted by time_s");
        }
      }
    }
    if (format instanceof OwnTrace && jobs.size() == 0 && jobs.read() > 0) {
      OwnTrace.refuseDates(rows, jobs.firstNs());
    }
    List<String> notes = new ArrayList<>();
    if (jobs.finish()) {
      notes.add("its rows were sorted by time");
    }
    if (options.spread()) {
      long parted = jobs.partTies(RandomStream.of(options.seed(), "trace-ties"));
      notes.add(String.format(Locale.ROOT, "%,d requests of equal times were parted", parted));
    }
    return new Trace(
        format.title(), kinds.all(), jobs.kinds(), jobs.atNs(), jobs.leftOut(), jobs.read(), notes);
  }

  /** Returns the part of a trace that a window keeps; what it leaves out is counted. */
  public Trace within(TraceOptions.Window window) {
    var jobs = new TraceJobs(window, false, false);
    for (int i = 0; i < size(); i++) {
      jobs.add(atNsByIndex[i], kindByIndex[i]);
    }
    jobs.finish();
    Map<String, Long> left = new LinkedHashMap<>(leftOut);
    jobs.leftOut().forEach((reason, count) -> left.merge(reason, count, Long::sum));
    return new Trace(format, kinds, jobs.kinds(), jobs.atNs(), left, read, notes);
  }

  /** Returns how many requests were kept. */
  public int size() {
    return kindByIndex.length;
  }

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
  public record TraceOptions(
      Map<String, Column> columns, Window window, boolean spread, long seed) {
    /** A whole trace as it stands. */
    public static final TraceOptions WHOLE = new TraceOptions(Map.of(), Window.WHOLE, false, 0);

    public TraceOptions {
      columns = Map.copyOf(columns);
    }

    /**
     * A column in place of the format's own.
     *
     * @param from its name
     * @param stripeOver names that different values of the column are dealt to, one after the
     *     other, as they first occur; null: the values are names themselves
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
}
