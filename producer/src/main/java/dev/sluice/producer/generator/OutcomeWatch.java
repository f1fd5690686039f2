package dev.sluice.producer.generator;

import dev.sluice.contract.event.Event;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.log.RunClock;
import dev.sluice.contract.value.JobId;
import dev.sluice.contract.value.Reason;
import dev.sluice.producer.generator.JobGenerators.EndOfArrivals;
import dev.sluice.producer.generator.JobGenerators.EndedNumbers;
import dev.sluice.producer.generator.JobGenerators.RunFailedException;
import dev.sluice.producer.requests.ArrivalList;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Watches the outcomes of a run's jobs, and whether another role ends the run. Once another role
 * has ended the run, no outcome is waited for. Used by one thread, except for {@link #numbers}.
 */
final class OutcomeWatch implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(50);
  private static final int MISSING_SHOWN_MAX = 5;

  private final ArrivalList requests;

  /** Numbers of the jobs that have ended, by the request of several jobs that they belong to. */
  private final Map<Integer, Integer> jobsEnded = new HashMap<>();

  private final GeneratorLog.Reader<Event> reader;
  final ArrivalsEnd end;
  private @Nullable RunEnded endedByOthers;
  private long jobs;
  private long jobsDone;

  // written by the watching thread alone
  private volatile EndedNumbers numbers = EndedNumbers.NONE;

  OutcomeWatch(GeneratorSettings settings, GeneratorLog log) {
    requests = settings.requests();
    boolean oneAtATime = settings.oneAtATime();
    end =
        new ArrivalsEnd(
            settings.durationNs(),
            settings.tailEndNs(),
            oneAtATime ? 0 : requests.countBefore(settings.warmupNs()),
            oneAtATime ? 0 : requests.countBefore(settings.durationNs()),
            oneAtATime);
    reader = log.openOutcomesAndRuns();
  }

  /** The first end that another role wrote; null: none did. */
  @Nullable RunEnded endedByOthers() {
    return endedByOthers;
  }

  /** Watches until there is a reason to end the arrivals; empty if another role ended the run. */
  Optional<EndOfArrivals> untilArrivalsEnd(
      RunClock runClock, BooleanSupplier stopRequested, Senders senders) throws RunFailedException {
    while (endedByOthers == null) {
      boolean listSent = senders.listSent();
      senders.failIfSendFailed();
      read();
      Optional<EndOfArrivals> reason =
          end.at(runClock.nowNs(), stopRequested.getAsBoolean(), listSent);
      if (reason.isPresent()) {
        return reason;
      }
    }
    return Optional.empty();
  }

  /**
   * Watches until each job that was sent has its outcome, or another role has ended the run; fails
   * after the limit.
   */
  void untilComplete(BitSet sent, ProcessClock clock, Duration limit) throws RunFailedException {
    long deadlineNs = clock.monotonicNs() + limit.toNanos();
    BitSet missing = end.withoutOutcome(sent);
    while (!missing.isEmpty() && endedByOthers == null) {
      if (clock.monotonicNs() - deadlineNs >= 0) {
        throw new RunFailedException(
            "outcomes are missing (%d) s after the last arrival: (%d) of (%d) jobs, the first: %s"
                .formatted(
                    limit.toSeconds(),
                    missing.cardinality(),
                    sent.cardinality(),
                    missing.stream()
                        .limit(MISSING_SHOWN_MAX)
                        .mapToObj(JobId::of)
                        .collect(Collectors.joining(", "))));
      }
      read();
      missing = end.withoutOutcome(sent);
    }
  }

  private void read() {
    reader.poll(POLL, (event, partition) -> take(event));
    numbers = new EndedNumbers(end.endedCount, jobs, jobsDone);
  }

  /** From any thread, at any time. */
  EndedNumbers numbers() {
    return numbers;
  }

  private void take(Event event) {
    if (event instanceof RunEnded ended && endedByOthers == null) {
      endedByOthers = ended;
    } else if (event instanceof JobEnded jobEnded) {
      jobs++;
      jobsDone += jobEnded.status() == JobEnded.Status.DONE ? 1 : 0;
      int index = requests.indexOf(jobEnded.jobId());
      int of = index < 0 ? 0 : requests.jobs(index);
      if (of == 1 || (of > 1 && jobsEnded.merge(index, 1, Integer::sum) == of)) {
        end.ended(index, Reason.RUN_ENDED.is(jobEnded.reason()));
      }
    }
  }

  @Override
  public void close() {
    reader.close();
  }

  /**
   * Decides when the arrivals of a run end, and whether all jobs that were sent have their
   * outcomes. Measured jobs, whose intended arrival is in [warmup, duration), are a range of
   * indexes, since the list is in the order of intended arrival. Not thread-safe.
   */
  static final class ArrivalsEnd {
    private final long durationNs;
    private final long tailEndNs;
    private final boolean oneAtATime;
    private final BitSet measured = new BitSet();
    private final BitSet ended = new BitSet();
    private int endedCount;
    private final BitSet measuredOpen = new BitSet();
    private boolean measuredWaitedAtEnd;

    /**
     * @param durationNs time until which jobs are measured
     * @param tailEndNs time until which arrivals may go on; not before durationNs
     * @param measuredFrom index of the first measured job
     * @param measuredTo one past the index of the last measured job
     * @param oneAtATime whether each job is sent when the one before it has ended; the list counts
     *     as sent once the last job that was sent has ended
     */
    ArrivalsEnd(
        long durationNs, long tailEndNs, int measuredFrom, int measuredTo, boolean oneAtATime) {
      this.durationNs = durationNs;
      this.tailEndNs = tailEndNs;
      this.oneAtATime = oneAtATime;
      measured.set(measuredFrom, measuredTo);
      measuredOpen.or(measured);
    }

    /** Jobs that will never be sent, which are not waited for. */
    void passedOver(BitSet indexes) {
      measuredOpen.andNot(indexes);
    }

    /**
     * Notes that a job has its outcome. A second outcome of one job changes nothing.
     *
     * @param byRunsEnd whether the job was dropped because the arrivals had ended
     */
    void ended(int index, boolean byRunsEnd) {
      endedCount += ended.get(index) ? 0 : 1;
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

    BitSet withoutOutcome(BitSet sent) {
      var open = (BitSet) sent.clone();
      open.andNot(ended);
      return open;
    }
  }
}
