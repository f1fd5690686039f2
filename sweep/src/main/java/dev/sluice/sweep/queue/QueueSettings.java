package dev.sluice.sweep.queue;

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
  public QueueSettings {
    gpus = List.copyOf(gpus);
  }

  /**
   * A queue of slots without a GPU, whose tasks run once, and leave nothing running.
   *
   * @param requireMarker whether an exit status of 0 without a marker is a failure
   */
  public static QueueSettings slots(int slots, boolean requireMarker) {
    return new QueueSettings(
        List.of(), slots, 0, Integer.MAX_VALUE, requireMarker, true, Duration.ofSeconds(1));
  }

  /** Ids of the slots' GPUs; without GPUs {@link QueueState#NO_GPU} alone. */
  List<Integer> slotIds() {
    return gpus.isEmpty() ? List.of(QueueState.NO_GPU) : gpus;
  }
}
