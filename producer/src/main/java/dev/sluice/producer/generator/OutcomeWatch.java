package dev.sluice.producer.generator;

import dev.sluice.contract.event.Event;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.time.ProcessClock;
import dev.sluice.contract.time.RunClock;
import dev.sluice.contract.value.Reason;
import dev.sluice.producer.requests.RequestList;
import dev.sluice.producer.requests.Seconds;
import java.time.Duration;
import java.util.BitSet;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Watches the outcomes of a run's jobs, and whether another role ends the run. Once another role
 * has ended the run, no outcome is waited for. Not thread-safe.
 */
final class OutcomeWatch implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(50);
  private static final int MISSING_SHOWN_MAX = 5;

  private final RequestList requests;
  private final GeneratorLog.Reader<Event> reader;
  private final ArrivalsEnd end;
  private @Nullable RunEnded endedByOthers;

  OutcomeWatch(GeneratorSettings settings, GeneratorLog log) {
    requests = settings.requests();
    end =
        settings.oneAtATime()
            ? ArrivalsEnd.oneAtATime(settings.durationNs(), settings.tailEndNs())
            : new ArrivalsEnd(
                settings.durationNs(),
                settings.tailEndNs(),
                requests.countBefore(Seconds.toNs(settings.experiment().load().warmupSeconds())),
                requests.countBefore(settings.durationNs()));
    reader = log.openOutcomesAndRuns();
  }

  /** Excludes jobs that will never be sent, so that their outcomes are not waited for. */
  void passedOver(BitSet indexes) {
    end.passedOver(indexes);
  }

  /** Returns the run's end that another role wrote; null if none did. The first end counts. */
  @Nullable RunEnded endedByOthers() {
    return endedByOthers;
  }

  /** Returns why earlier generators ended the arrivals, as far as the log tells. */
  EndOfArrivals endedBefore() {
    return end.before();
  }

  /**
   * Watches until there is a reason to end the arrivals.
   *
   * @return why the arrivals end; empty if another role ended the run
   * @throws RunFailedException if a generator could not send
   */
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
   * Watches until each job that was sent has its outcome, or another role has ended the run.
   *
   * @throws RunFailedException if outcomes are still missing after the limit
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
                        .mapToObj(index -> requests.get(index).jobId())
                        .collect(Collectors.joining(", "))));
      }
      read();
      missing = end.withoutOutcome(sent);
    }
  }

  private void read() {
    reader.poll(POLL, (partition, event) -> take(event));
  }

  private void take(Event event) {
    if (event instanceof RunEnded ended && endedByOthers == null) {
      endedByOthers = ended;
    } else if (event instanceof JobEnded jobEnded) {
      int index = requests.indexOf(jobEnded.jobId());
      if (index >= 0) {
        end.ended(index, Reason.RUN_ENDED.is(jobEnded.reason()));
      }
    }
  }

  @Override
  public void close() {
    reader.close();
  }
}
