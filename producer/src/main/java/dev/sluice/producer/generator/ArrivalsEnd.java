package dev.sluice.producer.generator;

import java.util.BitSet;
import java.util.Optional;

/**
 * Decides when the arrivals of a run end, and whether all jobs that were sent have their outcomes.
 * Measured jobs, whose intended arrival is in [warmup, duration), are a range of indexes, since the
 * list is in the order of intended arrival. Not thread-safe.
 */
final class ArrivalsEnd {
  private final long durationNs;
  private final long tailEndNs;
  private final boolean oneAtATime;
  private final BitSet measured;
  private final BitSet ended = new BitSet();
  private final BitSet measuredOpen = new BitSet();
  private boolean measuredWaitedAtEnd;

  /**
   * @param durationNs time until which jobs are measured
   * @param tailEndNs time until which arrivals may go on; not before durationNs
   * @param measuredFrom index of the first measured job
   * @param measuredTo one past the index of the last measured job
   */
  ArrivalsEnd(long durationNs, long tailEndNs, int measuredFrom, int measuredTo) {
    this(durationNs, tailEndNs, measuredFrom, measuredTo, false);
  }

  private ArrivalsEnd(
      long durationNs, long tailEndNs, int measuredFrom, int measuredTo, boolean oneAtATime) {
    this.oneAtATime = oneAtATime;
    this.durationNs = durationNs;
    this.tailEndNs = tailEndNs;
    this.measured = new BitSet();
    measured.set(measuredFrom, measuredTo);
    measuredOpen.or(measured);
  }

  /**
   * The end of a stream that sends each job when the one before it has ended. Its list counts as
   * sent once the last job that was sent has ended.
   */
  static ArrivalsEnd oneAtATime(long durationNs, long tailEndNs) {
    return new ArrivalsEnd(durationNs, tailEndNs, 0, 0, true);
  }

  /** Takes in jobs that will never be sent and hence never end, so that they are not waited for. */
  void passedOver(BitSet indexes) {
    measuredOpen.andNot(indexes);
  }

  /**
   * Notes that a job has its outcome. A second outcome of one job changes nothing.
   *
   * @param byRunsEnd whether the job was dropped because the arrivals had ended
   */
  void ended(int index, boolean byRunsEnd) {
    ended.set(index);
    measuredOpen.clear(index);
    measuredWaitedAtEnd |= byRunsEnd && measured.get(index);
  }

  /**
   * Returns why the arrivals end now; empty while they go on. A late generator is waited for: a
   * measured job that was not sent yet has no outcome, and the tail's limit holds only once the
   * list is sent, so that lateness never shortens the tail.
   *
   * @param listSent whether every job of the list has been sent
   */
  Optional<EndOfArrivals> at(long nowNs, boolean stopRequested, boolean listSent) {
    if (nowNs >= durationNs && (oneAtATime ? listSent : measuredOpen.isEmpty())) {
      return Optional.of(EndOfArrivals.MEASURED_JOBS_ENDED);
    }
    if (stopRequested) {
      return Optional.of(EndOfArrivals.STOPPED);
    }
    return nowNs >= tailEndNs && (listSent || oneAtATime)
        ? Optional.of(EndOfArrivals.TAIL_LIMIT)
        : Optional.empty();
  }

  /**
   * Returns why earlier generators ended the arrivals, as far as the log tells. Call it once all
   * jobs that were sent have their outcomes: a measured job without one was then never sent.
   */
  EndOfArrivals before() {
    if (!measuredOpen.isEmpty()) {
      return EndOfArrivals.STOPPED;
    }
    return measuredWaitedAtEnd ? EndOfArrivals.TAIL_LIMIT : EndOfArrivals.MEASURED_JOBS_ENDED;
  }

  /** Returns the indexes of sent jobs that have no outcome yet. */
  BitSet withoutOutcome(BitSet sent) {
    var open = (BitSet) sent.clone();
    open.andNot(ended);
    return open;
  }
}
