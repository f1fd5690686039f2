package dev.sluice.producer.trace;

import dev.sluice.contract.experiment.Ranges;
import dev.sluice.contract.experiment.Replay;
import dev.sluice.contract.file.TraceRows;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RecordedRequest;
import dev.sluice.contract.log.RequestKind;
import dev.sluice.producer.arrivals.RandomStream;
import dev.sluice.producer.trace.Trace.TraceOptions.Window;
import dev.sluice.producer.trace.TraceFormats.RowReader;
import dev.sluice.producer.trace.TraceFormats.TraceFormat;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Recorded requests by time, and how many were left out. While a file is read, each request is kept
 * or counted by the reason for leaving it out.
 */
public final class Trace {
  /** Most requests of a run, which its experiment is held to as well. */
  private static final int KEPT_MAX = Ranges.JOBS_MAX;

  private static final long APART_NS_MAX = 1_000_000_000;
  private static final String NEGATIVE = "before the trace's time zero";
  private static final String BEFORE = "before from and the warm-up";
  private static final String AFTER_TO = "at or after to";
  private static final String AFTER_END = "after the run's last arrival";

  private final String format;
  private final Window window;
  private final boolean dated;
  private final Map<String, Long> leftOut = new LinkedHashMap<>();
  private final List<RecordedRequest> requests = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private long firstNs = Long.MIN_VALUE;
  private long lastNs = Long.MIN_VALUE;
  private long read;

  /** Requests beyond {@link #KEPT_MAX}. */
  private static final class TooManyException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /**
   * @param dated true if all requests are kept until {@link #finish}, since the time zero is known
   *     only at the end
   */
  private Trace(String format, Window window, boolean dated) {
    this.format = format;
    this.window = window;
    this.dated = dated;
  }

  /**
   * Reads a trace.
   *
   * @throws UserMistakeException with the first mistake, its file and its line
   */
  public static Trace read(Path file, TraceOptions options) throws UserMistakeException {
    try (TraceRows rows = TraceRows.open(file, "trace")) {
      return read(rows, TraceFormats.of(rows.header(), rows.columns()), options);
    } catch (TooManyException e) {
      throw new UserMistakeException(
          file.toString(),
          "more than (%d) requests would be kept".formatted(KEPT_MAX),
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
    var kinds = new TraceKinds(rows, options, own);
    RowReader reader = format.opening().open(rows, options.seed());
    var trace = new Trace(format.title(), options.window(), format.isDated());
    while (rows.next()) {
      RequestKind kind = kinds.read(trace);
      if (kind != null) {
        long beforeNs = trace.lastNs;
        reader.read(kind, trace);
        if (own && trace.lastNs < beforeNs) {
          throw rows.mistake(
              "the time of this row is before that of the row above it",
              "the file should be sorted by time_s");
        }
      }
    }
    if (own && trace.requests.isEmpty() && trace.read > 0) {
      TraceFormats.refuseDates(rows, trace.firstNs);
    }
    if (trace.finish()) {
      trace.notes.add("its rows were sorted by time");
    }
    if (options.spread()) {
      long parted = trace.partTies(RandomStream.of(options.seed(), "trace-ties"));
      trace.notes.add(
          String.format(Locale.ROOT, "%,d requests of equal times were parted", parted));
    }
    return trace;
  }

  /** Returns those of recorded requests that a window keeps; what it leaves out is counted. */
  public static Trace of(
      String format, List<RecordedRequest> requests, List<String> notes, Window window) {
    var trace = new Trace(format, window, false);
    requests.forEach(request -> trace.add(request.intendedAtNs(), request.kind()));
    trace.notes.addAll(notes);
    return trace;
  }

  /** Adds a request, or leaves it out if the window does. */
  void add(long timeNs, RequestKind kind) {
    read++;
    firstNs = firstNs == Long.MIN_VALUE ? timeNs : firstNs;
    lastNs = timeNs;
    String reason = dated ? null : reason(timeNs);
    if (reason != null) {
      leftOut.merge(reason, 1L, Long::sum);
      return;
    }
    if (requests.size() == KEPT_MAX) {
      throw new TooManyException();
    }
    requests.add(new RecordedRequest(timeNs, kind));
  }

  /**
   * Leaves out requests whose times all lie between two times, if the window does so with both.
   *
   * @return false if some may be kept; then nothing is counted
   */
  boolean leavesOut(long firstNs, long lastNs, long count) {
    String reason = reason(firstNs);
    boolean out = lastNs < window.lowNs() || firstNs >= window.highNs();
    if (out && reason != null && count > 0) {
      leaveOut(reason, count);
    }
    return out;
  }

  void leaveOut(String reason, long count) {
    read += count;
    leftOut.merge(reason, count, Long::sum);
  }

  /** Returns why the window leaves a request out; null if it keeps it. */
  private @Nullable String reason(long timeNs) {
    if (timeNs < 0) {
      return NEGATIVE;
    }
    if (timeNs < window.lowNs()) {
      return BEFORE;
    }
    if (timeNs >= window.toNs()) {
      return AFTER_TO;
    }
    return timeNs >= window.endNs() ? AFTER_END : null;
  }

  /**
   * Sorts the requests, those of equal times as they stand in the file, and, if their times are
   * dated, counts them from the earliest one.
   *
   * @return whether they were not in the order of their times
   */
  private boolean finish() {
    boolean inOrder =
        IntStream.range(1, requests.size())
            .allMatch(i -> requests.get(i - 1).intendedAtNs() <= requests.get(i).intendedAtNs());
    requests.sort(Comparator.comparingLong(RecordedRequest::intendedAtNs));
    if (dated && !requests.isEmpty()) {
      long originNs = requests.get(0).intendedAtNs();
      requests.replaceAll(
          request -> new RecordedRequest(request.intendedAtNs() - originNs, request.kind()));
      requests.removeIf(
          request -> {
            String reason = reason(request.intendedAtNs());
            if (reason != null) {
              leftOut.merge(reason, 1L, Long::sum);
            }
            return reason != null;
          });
    }
    return !inOrder;
  }

  /**
   * Parts requests of equal times: each goes to a time of its own, drawn uniformly between the
   * common time and the next different one, at most a second later. Called after {@link #finish}.
   *
   * @return number of requests that stood beside another one
   */
  private long partTies(RandomStream random) {
    long parted = 0;
    int next;
    for (int i = 0; i < requests.size(); i = next) {
      long beginNs = requests.get(i).intendedAtNs();
      next = i + 1;
      while (next < requests.size() && requests.get(next).intendedAtNs() == beginNs) {
        next++;
      }
      if (next - i == 1) {
        continue;
      }
      long laterNs = Math.min(window.highNs(), beginNs + APART_NS_MAX);
      if (next < requests.size()) {
        laterNs = Math.min(laterNs, requests.get(next).intendedAtNs());
      }
      long[] timesNs = new long[next - i];
      for (int j = 0; j < timesNs.length; j++) {
        timesNs[j] = beginNs + (long) (random.nextOpenUnit() * (laterNs - beginNs));
      }
      Arrays.sort(timesNs);
      for (int j = 0; j < timesNs.length; j++) {
        requests.set(i + j, new RecordedRequest(timesNs[j], requests.get(i + j).kind()));
      }
      parted += timesNs.length;
    }
    return parted;
  }

  /** Returns what the file was taken for, for a person. */
  public String format() {
    return format;
  }

  /** Returns the kept requests by time, which counts from the trace's time zero. */
  public List<RecordedRequest> requests() {
    return requests;
  }

  /** Returns how many requests were read: each is kept or left out. */
  public long read() {
    return read;
  }

  /** Returns how many requests were left out, by reason: those of the format, then the window's. */
  public Map<String, Long> leftOut() {
    Map<String, Long> byReason = new LinkedHashMap<>(leftOut);
    for (String reason : List.of(NEGATIVE, BEFORE, AFTER_TO, AFTER_END)) {
      Long count = byReason.remove(reason);
      if (count != null) {
        byReason.put(reason, count);
      }
    }
    return byReason;
  }

  /** Returns lines about the file that a person should know. */
  public List<String> notes() {
    return notes;
  }

  /**
   * How a trace is read.
   *
   * @param columns by attribute of a job ({@code class}, {@code workload}, {@code backend}, {@code
   *     precision}, {@code samples}, {@code slo_ms}), the column that says it, in place of the
   *     format's own
   * @param names names of an attribute that different values of a striped column are dealt to, one
   *     after the other, as they first occur
   * @param window part that is kept
   * @param spread whether requests of equal times are parted
   * @param seed seed of what a trace leaves to chance
   */
  public record TraceOptions(
      Map<String, Replay.Column> columns,
      Function<String, List<String>> names,
      Window window,
      boolean spread,
      long seed) {
    /** A whole trace as it stands. */
    public static final TraceOptions WHOLE =
        new TraceOptions(Map.of(), attribute -> List.of(), Window.WHOLE, false, 0);

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
