package dev.sluice.producer.trace;

import dev.sluice.contract.experiment.Ranges;
import dev.sluice.producer.arrivals.RandomStream;
import dev.sluice.producer.trace.Trace.TraceOptions;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Requests of a trace while it is read: kept in arrays that grow, or counted by the reason for
 * which they are left out. Sorts requests of equal times as they stand in the file.
 */
final class TraceJobs {
  /** Most requests of a run, which its experiment is held to as well. */
  static final int KEPT_MAX = Ranges.JOBS_MAX;

  private final TraceOptions.Window window;
  private final boolean dated;
  private final Map<String, Long> otherwise = new LinkedHashMap<>();
  private long[] atNs = new long[1024];
  private int[] kinds = new int[1024];
  private final boolean rising;
  private long firstNs = Long.MIN_VALUE;
  private long lastNs = Long.MIN_VALUE;
  private boolean wentBack;
  private int size;
  private long read;
  private long negative;
  private long before;
  private long afterTo;
  private long afterEnd;

  private static final long APART_NS_MAX = 1_000_000_000;

  /** Requests beyond {@link #KEPT_MAX}. */
  static final class TooManyException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /**
   * @param dated true if all requests are kept until {@link #finish}, since the time zero is known
   *     only at the end
   * @param rising true if no request may be before the one above it
   */
  TraceJobs(TraceOptions.Window window, boolean dated, boolean rising) {
    this.window = window;
    this.dated = dated;
    this.rising = rising;
  }

  /** Adds a request, or leaves it out if the window does. */
  void add(long timeNs, int kind) {
    read++;
    firstNs = firstNs == Long.MIN_VALUE ? timeNs : firstNs;
    wentBack |= rising && timeNs < lastNs;
    lastNs = timeNs;
    if (dated || isKept(timeNs, 1)) {
      keep(timeNs, kind);
    }
  }

  /**
   * Leaves out requests whose times all lie between two times, if the window does so with both.
   *
   * @return false if some may be kept; then nothing is counted
   */
  boolean leavesOut(long firstNs, long lastNs, long count) {
    boolean out = lastNs < window.lowNs() || firstNs >= window.highNs();
    if (out) {
      read += count;
      boolean unused = isKept(firstNs, count);
    }
    return out;
  }

  /** Returns the time of the first request that was added. */
  long firstNs() {
    return firstNs;
  }

  /** Returns how many requests are kept so far. */
  int size() {
    return size;
  }

  /** Tells whether a request was before the one above it, where none may be. */
  boolean wentBack() {
    return wentBack;
  }

  /** Leaves out requests for a reason of the format's. */
  void leaveOut(String reason, long count) {
    read += count;
    otherwise.merge(reason, count, Long::sum);
  }

  private boolean isKept(long timeNs, long count) {
    if (timeNs < 0) {
      negative += count;
    } else if (timeNs < window.lowNs()) {
      before += count;
    } else if (timeNs >= window.toNs()) {
      afterTo += count;
    } else if (timeNs >= window.endNs()) {
      afterEnd += count;
    } else {
      return true;
    }
    return false;
  }

  private void keep(long timeNs, int kind) {
    if (size == atNs.length) {
      if (size == KEPT_MAX) {
        throw new TooManyException();
      }
      int wider = Math.min(KEPT_MAX, size + (size >> 1));
      atNs = Arrays.copyOf(atNs, wider);
      kinds = Arrays.copyOf(kinds, wider);
    }
    atNs[size] = timeNs;
    kinds[size] = kind;
    size++;
  }

  /**
   * Sorts the requests and, if their times are dated, counts them from the earliest one.
   *
   * @return whether they were not in the order of their times
   */
  boolean finish() {
    atNs = Arrays.copyOf(atNs, size);
    kinds = Arrays.copyOf(kinds, size);
    boolean sorted = sort();
    if (dated && size > 0) {
      long originNs = atNs[0];
      int kept = 0;
      for (int i = 0; i < size; i++) {
        long timeNs = atNs[i] - originNs;
        if (isKept(timeNs, 1)) {
          atNs[kept] = timeNs;
          kinds[kept] = kinds[i];
          kept++;
        }
      }
      size = kept;
      atNs = Arrays.copyOf(atNs, size);
      kinds = Arrays.copyOf(kinds, size);
    }
    return sorted;
  }

  long[] atNs() {
    return atNs;
  }

  int[] kinds() {
    return kinds;
  }

  long read() {
    return read;
  }

  /** Returns how many requests were left out, by reason. */
  Map<String, Long> leftOut() {
    Map<String, Long> byReason = new LinkedHashMap<>(otherwise);
    put(byReason, "before the trace's time zero", negative);
    put(byReason, "before from and the warm-up", before);
    put(byReason, "at or after to", afterTo);
    put(byReason, "after the run's last arrival", afterEnd);
    return byReason;
  }

  private static void put(Map<String, Long> byReason, String reason, long count) {
    if (count > 0) {
      byReason.put(reason, count);
    }
  }

  /** Merges ever longer stretches. Tells whether it had to. */
  private boolean sort() {
    boolean inOrder = true;
    for (int i = 1; i < size && inOrder; i++) {
      inOrder = atNs[i - 1] <= atNs[i];
    }
    if (inOrder) {
      return false;
    }
    long[] toNs = new long[size];
    int[] toKinds = new int[size];
    for (long width = 1; width < size; width *= 2) {
      for (long from = 0; from < size; from += 2 * width) {
        merge((int) from, (int) Math.min(size, from + width), width, toNs, toKinds);
      }
      long[] ns = atNs;
      atNs = toNs;
      toNs = ns;
      int[] k = kinds;
      kinds = toKinds;
      toKinds = k;
    }
    return true;
  }

  private void merge(int from, int middle, long width, long[] toNs, int[] toKinds) {
    int end = (int) Math.min(size, middle + width);
    int left = from;
    int right = middle;
    for (int to = from; to < end; to++) {
      boolean fromLeft = right >= end || (left < middle && atNs[left] <= atNs[right]);
      int taken = fromLeft ? left++ : right++;
      toNs[to] = atNs[taken];
      toKinds[to] = kinds[taken];
    }
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
    for (int i = 0; i < atNs.length; i = next) {
      next = i + 1;
      while (next < atNs.length && atNs[next] == atNs[i]) {
        next++;
      }
      if (next - i == 1) {
        continue;
      }
      long beginNs = atNs[i];
      long laterNs = Math.min(window.highNs(), beginNs + APART_NS_MAX);
      if (next < atNs.length) {
        laterNs = Math.min(laterNs, atNs[next]);
      }
      for (int j = i; j < next; j++) {
        atNs[j] = beginNs + (long) (random.nextOpenUnit() * (laterNs - beginNs));
      }
      Arrays.sort(atNs, i, next);
      parted += next - i;
    }
    return parted;
  }
}
