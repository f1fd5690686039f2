package dev.sluice.producer.trace;

import dev.sluice.contract.experiment.Ranges;
import dev.sluice.contract.log.RecordedRequest;
import dev.sluice.contract.log.RequestKind;
import dev.sluice.producer.arrivals.RandomStream;
import dev.sluice.producer.trace.Trace.TraceOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Requests of a trace while it is read: kept, or counted by the reason for leaving them out. */
final class TraceJobs {
  /** Most requests of a run, which its experiment is held to as well. */
  static final int KEPT_MAX = Ranges.JOBS_MAX;

  private static final long APART_NS_MAX = 1_000_000_000;
  private static final String NEGATIVE = "before the trace's time zero";
  private static final String BEFORE = "before from and the warm-up";
  private static final String AFTER_TO = "at or after to";
  private static final String AFTER_END = "after the run's last arrival";

  private final TraceOptions.Window window;
  private final boolean dated;
  private final Map<String, Long> leftOut = new LinkedHashMap<>();
  private final List<RecordedRequest> requests = new ArrayList<>();
  private long firstNs = Long.MIN_VALUE;
  private long lastNs = Long.MIN_VALUE;
  private long read;

  /** Requests beyond {@link #KEPT_MAX}. */
  static final class TooManyException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /**
   * @param dated true if all requests are kept until {@link #finish}, since the time zero is known
   *     only at the end
   */
  TraceJobs(TraceOptions.Window window, boolean dated) {
    this.window = window;
    this.dated = dated;
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
  boolean finish() {
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

  List<RecordedRequest> requests() {
    return requests;
  }

  /** Returns the time of the first request that was added. */
  long firstNs() {
    return firstNs;
  }

  /** Returns the time of the last request that was added. */
  long lastNs() {
    return lastNs;
  }

  long read() {
    return read;
  }

  /** Returns how many requests were left out, by reason: those of the format, then the window's. */
  Map<String, Long> leftOut() {
    Map<String, Long> byReason = new LinkedHashMap<>(leftOut);
    for (String reason : List.of(NEGATIVE, BEFORE, AFTER_TO, AFTER_END)) {
      Long count = byReason.remove(reason);
      if (count != null) {
        byReason.put(reason, count);
      }
    }
    return byReason;
  }

  /**
   * Parts requests of equal times: each goes to a time of its own, drawn uniformly between the
   * common time and the next different one, at most a second later. Called after {@link #finish}.
   *
   * @return number of requests that stood beside another one
   */
  long partTies(RandomStream random) {
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
}
