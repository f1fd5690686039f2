package dev.sluice.producer.trace;

import dev.sluice.contract.file.TraceRows;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RecordedRequest;
import dev.sluice.contract.log.RequestKind;
import dev.sluice.producer.arrivals.RandomStream;
import dev.sluice.producer.trace.TraceFormats.RowReader;
import dev.sluice.producer.trace.TraceFormats.TraceFormat;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Recorded requests by time, and how many were left out.
 *
 * @param format what the file was taken for, for a person
 * @param requests by time, which counts from the trace's time zero and is at least 0
 * @param leftOut number of requests that were left out, by reason, in the order of the reasons
 * @param read number of requests read: each is kept or left out
 * @param notes lines about the file that a person should know
 */
public record Trace(
    String format,
    List<RecordedRequest> requests,
    Map<String, Long> leftOut,
    long read,
    List<String> notes) {

  /**
   * Reads a trace.
   *
   * @throws UserMistakeException with the first mistake, its file and its line
   */
  public static Trace read(Path file, TraceOptions options) throws UserMistakeException {
    try (TraceRows rows = TraceRows.open(file, "trace")) {
      return read(rows, TraceFormats.of(rows.header(), rows.columns()), options);
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
    boolean own = format.equals(TraceFormats.OWN);
    var kinds = new TraceKinds(rows, options.columns(), own);
    RowReader reader = format.opening().open(rows, options.seed());
    var jobs = new TraceJobs(options.window(), format.isDated());
    while (rows.next()) {
      RequestKind kind = kinds.read(jobs);
      if (kind != null) {
        long beforeNs = jobs.lastNs();
        reader.read(kind, jobs);
        if (own && jobs.lastNs() < beforeNs) {
          throw rows.mistake(
              "the time of this row is before that of the row above it",
              "the file should be sorted by time_s");
        }
      }
    }
    if (own && jobs.requests().isEmpty() && jobs.read() > 0) {
      TraceFormats.refuseDates(rows, jobs.firstNs());
    }
    List<String> notes = new ArrayList<>();
    if (jobs.finish()) {
      notes.add("its rows were sorted by time");
    }
    if (options.spread()) {
      long parted = jobs.partTies(RandomStream.of(options.seed(), "trace-ties"));
      notes.add(String.format(Locale.ROOT, "%,d requests of equal times were parted", parted));
    }
    return new Trace(format.title(), jobs.requests(), jobs.leftOut(), jobs.read(), notes);
  }

  /** Returns the part of a trace that a window keeps; what it leaves out is counted. */
  public Trace within(TraceOptions.Window window) {
    var jobs = new TraceJobs(window, false);
    requests.forEach(request -> jobs.add(request.intendedAtNs(), request.kind()));
    Map<String, Long> left = new LinkedHashMap<>(leftOut);
    jobs.leftOut().forEach((reason, count) -> left.merge(reason, count, Long::sum));
    return new Trace(format, jobs.requests(), left, read, notes);
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
      public static final Window WHOLE = new Window(0, Long.MAX_VALUE, Long.MAX_VALUE);

      /** Returns one past the last time that is kept. */
      long highNs() {
        return Math.min(toNs, endNs);
      }
    }
  }
}
