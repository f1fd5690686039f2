package dev.sluice.sweep.queue;

import dev.sluice.sweep.queue.QueueEvent.Outcome;
import java.time.Duration;
import java.util.List;

/**
 * Rules of a queue.
 *
 * @param gpus ids in order of preference; none: slots without a GPU
 * @param perGpu tasks on one GPU at once; without GPUs: tasks at once
 * @param retriesMax how often a failed task runs again by itself; 0: never
 * @param setAsideAfter quick failures in a row before a GPU gets no more
 * @param requireMarker whether an exit status of 0 without a marker is a failure
 * @param cleanup whether what a task leaves running is ended
 * @param checkInterval time between looks at the markers of what waits
 */
public record QueueSettings(
    List<Integer> gpus,
    int perGpu,
    int retriesMax,
    int setAsideAfter,
    boolean requireMarker,
    boolean cleanup,
    Duration checkInterval) {
  /** A queue of slots without a GPU, whose tasks run once, and leave nothing running. */
  public static QueueSettings slots(int slots, boolean requireMarker) {
    return new QueueSettings(
        List.of(), slots, 0, Integer.MAX_VALUE, requireMarker, true, Duration.ofSeconds(1));
  }

  /** Ids of the slots' GPUs; without GPUs {@link QueueState#NO_GPU} alone. */
  List<Integer> slotIds() {
    return gpus.isEmpty() ? List.of(QueueState.NO_GPU) : gpus;
  }

  /**
   * Judges an attempt whose command has ended.
   *
   * @param status exit status, 128 and the signal's number after a signal; {@link Verdict#UNKNOWN}
   * @param marker whether the completion marker is there
   */
  public Verdict judge(int status, boolean marker, boolean hasMarkers) {
    if (marker) {
      return new Verdict(
          Outcome.DONE, status == 0 ? "" : "marker is there, " + Verdict.words(status));
    }
    if (status != 0) {
      return new Verdict(Outcome.FAILED, Verdict.words(status));
    }
    return hasMarkers && requireMarker
        ? new Verdict(Outcome.FAILED, "exit status 0, but no marker")
        : new Verdict(Outcome.DONE, hasMarkers ? "no marker" : "");
  }

  /** What an ended attempt was, and a reason or warning in words; empty: none. */
  public record Verdict(Outcome outcome, String why) {
    /** Exit status of an attempt that left none. */
    public static final int UNKNOWN = -1;

    private static final int SIGNAL_BASE = 128;

    private static String words(int status) {
      if (status == UNKNOWN) {
        return "gone without a trace";
      }
      return status > SIGNAL_BASE
          ? "ended by signal " + (status - SIGNAL_BASE)
          : "exit status " + status;
    }
  }
}
