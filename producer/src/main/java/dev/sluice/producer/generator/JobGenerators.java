package dev.sluice.producer.generator;

import dev.sluice.contract.event.Event;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.Pacer;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.log.RunClock;
import dev.sluice.producer.generator.Senders.GeneratorThreads;
import dev.sluice.producer.requests.LaneCoverage;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.ObjIntConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The generators of one run, all in this process: they begin the run once the lanes are there, send
 * its jobs on time, and end it once every job has its outcome. An instance serves one run and must
 * not be used twice.
 *
 * <p>The thread of {@link #run()} watches and decides; each generator has a thread and a producer
 * of its own. The topics must exist. Records that are no event are passed over here: analytics
 * keeps them.
 *
 * <p>While the broker is away, sends wait and become late; it may be away for a minute. If the
 * generators give a run up, they write its end with the reason, as far as the broker permits.
 */
public final class JobGenerators {
  private static final Logger LOG = LoggerFactory.getLogger(JobGenerators.class);
  private static final Duration POLL = Duration.ofMillis(50);
  private static final Duration LAST_WORD_MAX = Duration.ofSeconds(5);
  private static final long AHEAD_NS = 300_000_000;
  private static final long NS_PER_MS = 1_000_000;

  private final GeneratorSettings settings;
  private final GeneratorLog log;
  private final ProcessClock clock;
  private final Pacer pacer;
  private final Consumer<List<String>> whenLanesMissing;
  private final Senders senders;

  /** Whether a person wanted the stop that was requested; true where earlier generators stopped. */
  private volatile boolean stopWished = true;

  private volatile boolean stopRequested;
  private volatile @Nullable RunStarted started;
  private volatile @Nullable OutcomeWatch watch;
  private @Nullable RunClock runClock;

  /**
   * @param clock this process's clock, whose distance to the broker's is measured and reported
   * @param whenLanesMissing called once if lanes are missing at first: a text per shard and model
   */
  public JobGenerators(
      GeneratorSettings settings,
      LogClients clients,
      ProcessClock clock,
      Pacer pacer,
      Consumer<List<String>> whenLanesMissing) {
    this(
        settings,
        new GeneratorLog(settings, clients::consumer, clients::gatheringProducer, clock),
        clock,
        pacer,
        whenLanesMissing,
        new GeneratorThreads());
  }

  JobGenerators(
      GeneratorSettings settings,
      GeneratorLog log,
      ProcessClock clock,
      Pacer pacer,
      Consumer<List<String>> whenLanesMissing,
      GeneratorThreads threads) {
    this.settings = settings;
    this.log = log;
    this.clock = clock;
    this.pacer = pacer;
    this.whenLanesMissing = whenLanesMissing;
    this.senders = new Senders(settings, log, threads);
  }

  /**
   * Waits for lanes, begins the run, and sends its jobs until the run's end.
   *
   * @return the run's end as the log holds it; empty if the run was stopped before it began and
   *     before anything was written
   * @throws UserMistakeException if the topics hold a run that has begun
   * @throws RunFailedException if lanes are missing, a send failed, or outcomes are missing, each
   *     after its time limit, or if another role gave the run up
   * @throws InterruptedException if this thread was interrupted; the run is left without an end
   */
  public Optional<RunEnded> run()
      throws RunFailedException, UserMistakeException, InterruptedException {
    return run(false);
  }

  /**
   * Runs like {@link #run()}, or continues a run that has begun and whose generators are gone:
   * sends the jobs whose intended time is still to come, never jobs whose time has passed, and ends
   * the run. The reported lateness is of all jobs of the run. Even if stopped at the very beginning
   * it ends the run, since no other process would do so.
   *
   * @throws UserMistakeException if the run has ended, or had begun with another experiment
   */
  public Optional<RunEnded> resume()
      throws RunFailedException, UserMistakeException, InterruptedException {
    return run(true);
  }

  private Optional<RunEnded> run(boolean resuming)
      throws RunFailedException, UserMistakeException, InterruptedException {
    try {
      return begin(resuming);
    } catch (InterruptException e) {
      boolean unused = Thread.interrupted(); // Kafka has set it again; the exception says it
      var interrupted = new InterruptedException("interrupted in a call to Kafka");
      interrupted.initCause(e);
      throw interrupted;
    } catch (KafkaException e) {
      throw givenUp(new RunFailedException("Kafka failed the generators: " + e.getMessage(), e));
    } catch (RunFailedException e) {
      throw givenUp(e);
    } finally {
      senders.close();
    }
  }

  private Optional<RunEnded> begin(boolean resuming)
      throws RunFailedException, UserMistakeException, InterruptedException {
    RunSoFar soFar = readRunSoFar(resuming);
    if (stopRequested && !resuming) {
      return Optional.empty(); // the log may not have been read to its end
    }
    refuseIfForeign(soFar, resuming);
    boolean begun = soFar.started() != null;
    if (!begun && !waitForLanes()) {
      return Optional.empty();
    }
    senders.open(clock, pacer);
    return stopRequested && !begun ? Optional.empty() : Optional.of(runToItsEnd(soFar));
  }

  /**
   * Reads how far the run is. Reads facts only if they are needed, since there may be many. Stops
   * reading when a stop is requested, unless the run is to be resumed.
   */
  private RunSoFar readRunSoFar(boolean resuming) throws RunFailedException {
    var soFar = new RunSoFar(resuming ? settings.requests().size() : 0);
    try (var runs = log.openRuns()) {
      readWhatStood(runs, resuming, (entry, partition) -> soFar.add(entry));
    }
    if (resuming && soFar.started() != null) {
      try (var facts = log.openFacts()) {
        readWhatStood(facts, resuming, (fact, shard) -> soFar.add(shard, fact));
      }
    }
    return soFar;
  }

  private <E extends Event> void readWhatStood(
      GeneratorLog.Reader<E> reader, boolean evenIfStopped, ObjIntConsumer<E> sink)
      throws RunFailedException {
    long deadlineNs = clock.monotonicNs() + settings.limits().untilLanesReady().toNanos();
    while ((evenIfStopped || !stopRequested) && !reader.hasReadWhatStood()) {
      reader.poll(POLL, sink);
      if (clock.monotonicNs() - deadlineNs >= 0) {
        throw new RunFailedException(
            "the run's topics could not be read within (%d) s"
                .formatted(settings.limits().untilLanesReady().toSeconds()));
      }
    }
  }

  /** Refuses an ended run, a begun one unless it is resumed, and one of other settings. */
  private void refuseIfForeign(RunSoFar soFar, boolean resuming) throws UserMistakeException {
    RunStarted started = soFar.started();
    if (soFar.ended() != null) {
      throw new UserMistakeException(
          "--run-id",
          "the run (" + settings.runId() + ") has ended",
          "you want another --run-id; what an ended run left is not added to");
    }
    if (started == null) {
      return;
    }
    if (!resuming) {
      throw new UserMistakeException(
          "--run-id",
          "the run (" + settings.runId() + ") has begun",
          "its generators are gone, then --resume goes on for them; or you want another --run-id");
    }
    if (settings.oneAtATime()) {
      throw new UserMistakeException(
          "--resume",
          "the run ("
              + settings.runId()
              + ") sends each job when the one before it has ended (scenario single_stream), and is"
              + " not taken up again",
          "you want another --run-id");
    }
    if (!started.runId().equals(settings.runId())
        || !started.configDigest().equals(settings.configDigest())
        || !started.requestDigest().equals(settings.requests().digest())) {
      throw new UserMistakeException(
          "--resume",
          "the run (%s) has begun with another experiment (config digest %s, not %s)"
              .formatted(started.runId(), started.configDigest(), settings.configDigest()),
          "the file was changed since, or a --set differs");
    }
  }

  /**
   * Waits until each shard has a lane for each kind of job, and tells once which lanes are missing,
   * unless the first look at the log finds all. Returns false if a stop was requested.
   */
  private boolean waitForLanes() throws RunFailedException {
    var coverage = new LaneCoverage(settings.requests().models(), settings.shards());
    long deadlineNs = clock.monotonicNs() + settings.limits().untilLanesReady().toNanos();
    try (var facts = log.openFacts()) {
      boolean told = false;
      while (!stopRequested) {
        facts.poll(
            POLL,
            (fact, shard) -> {
              if (fact instanceof ExecutorReported report) {
                coverage.reported(shard, report);
              }
            });
        if (facts.hasReadWhatStood()) {
          List<String> missing = coverage.missing();
          if (missing.isEmpty()) {
            return true;
          }
          if (!told) {
            told = true;
            whenLanesMissing.accept(missing);
          }
        }
        if (clock.monotonicNs() - deadlineNs >= 0) {
          throw new RunFailedException(
              "lanes are missing after (%d) s: %s"
                  .formatted(
                      settings.limits().untilLanesReady().toSeconds(),
                      String.join("; ", coverage.missing())));
        }
      }
    }
    return false;
  }

  /** Ends the arrivals early. From any thread, any number of times; {@link #run()} then returns. */
  public void stop() {
    stop(true);
  }

  /**
   * Ends the arrivals early.
   *
   * @param wished whether a person wants it, which the run's end then says
   */
  public void stop(boolean wished) {
    stopWished = wished;
    stopRequested = true;
  }

  /** From any thread, at any time. */
  public GeneratorNumbers numbers() {
    return senders.numbers();
  }

  /** The run's beginning once it is written; null before. From any thread. */
  public @Nullable RunStarted started() {
    return started;
  }

  /** Progress of the requests that were sent. From any thread, at any time. */
  public EndedNumbers ended() {
    OutcomeWatch of = watch;
    return of == null ? EndedNumbers.NONE : of.numbers();
  }

  private RunEnded runToItsEnd(RunSoFar soFar) throws RunFailedException, InterruptedException {
    try (var watch = new OutcomeWatch(settings, log)) {
      this.watch = watch;
      RunStarted started = startRun(soFar);
      RunClock runClock = clock.forRun(started.timeZeroEpochMs());
      this.started = started;
      this.runClock = runClock;
      BitSet passedOver = senders.makeGenerators(soFar, runClock, pacer);
      watch.end.passedOver(passedOver);

      Optional<EndOfArrivals> reason = Optional.empty();
      if (!soFar.arrivalsEnded()) {
        senders.start();
        reason = watch.untilArrivalsEnd(runClock, () -> stopRequested, senders);
      }
      senders.endArrivals();
      reason.ifPresent(why -> LOG.info("arrivals end: {}", why));
      senders.join();
      BitSet sent = senders.sent();
      if (watch.endedByOthers() == null) {
        senders.writeArrivalsEnded(soFar);
        watch.untilComplete(sent, clock, settings.limits().untilOutcomesComplete());
      }
      RunEnded ended = watch.endedByOthers(); // counts as this run's end, since the first does
      if (ended == null) {
        EndOfArrivals why = reason.orElseGet(watch.end::before);
        ended =
            new RunEnded(
                settings.runId(),
                sent.cardinality(),
                why == EndOfArrivals.TAIL_LIMIT,
                why == EndOfArrivals.STOPPED && stopWished,
                runClock.nowNs(),
                /* failure= */ null,
                (long) passedOver.cardinality());
        senders.write(ended);
      } else if (ended.failure() != null) {
        throw new RunFailedException("another role gave the run up: " + ended.failure());
      }
      LOG.info("{}", ended);
      return ended;
    }
  }

  /** Writes the run's beginning, or the part of it that earlier generators left unwritten. */
  private RunStarted startRun(RunSoFar soFar) throws RunFailedException, InterruptedException {
    RunStarted started = soFar.started();
    if (started == null) {
      started =
          new RunStarted(
              settings.runId(),
              Math.floorDiv(clock.epochNs() + AHEAD_NS, NS_PER_MS) + 1,
              settings.seed(),
              settings.configDigest(),
              settings.requests().digest(),
              settings.shards(),
              settings.generators(),
              settings.tailEndNs() == Long.MAX_VALUE ? null : settings.tailEndNs());
      senders.write(started);
    }
    senders.tellShards(started, soFar);
    LOG.info("time zero is {} ms since 1970", started.timeZeroEpochMs());
    return started;
  }

  /** Ends the run with the reason, unless another role has ended it. */
  private RunFailedException givenUp(RunFailedException why) {
    OutcomeWatch watch = this.watch;
    if (watch != null && watch.endedByOthers() != null) {
      return why;
    }
    senders.close();
    RunClock runClock = this.runClock;
    var ended =
        new RunEnded(
            settings.runId(),
            numbers().jobsSent(),
            false,
            stopRequested,
            runClock == null ? 0 : runClock.nowNs(),
            why.getMessage(),
            null);
    try {
      log.writeLastWord(ended, LAST_WORD_MAX);
    } catch (InterruptException | InterruptedException e) {
      Thread.currentThread().interrupt();
      LOG.warn("The run's end could not be written.", e);
    } catch (KafkaException | ExecutionException | TimeoutException e) {
      LOG.warn("The run's end could not be written.", e);
    }
    return why;
  }

  enum EndOfArrivals {
    /** The duration is over and every measured job has its outcome. */
    MEASURED_JOBS_ENDED,
    /** The tail is over and measured jobs still have no outcome. */
    TAIL_LIMIT,
    /** The user or another caller ended the arrivals early. */
    STOPPED
  }

  /**
   * Progress of all generators of this process together, for a person or a gauge that looks from
   * time to time.
   *
   * @param jobsSent number of jobs handed to the log, including jobs of earlier generators if the
   *     run was resumed
   * @param latenessNsNow largest lateness (send call − intended arrival) among the last jobs of the
   *     generators; 0 before the first job
   * @param latenessNsMax largest lateness of all jobs
   * @param arrivalsOver whether no further job will be sent
   */
  public record GeneratorNumbers(
      long jobsSent, long latenessNsNow, long latenessNsMax, boolean arrivalsOver) {}

  /**
   * Numbers of what has its outcome, whatever that is, as far as it was read.
   *
   * @param requests number of requests, all of whose jobs have ended
   * @param jobsDone number of jobs that ended well
   */
  public record EndedNumbers(int requests, long jobs, long jobsDone) {
    static final EndedNumbers NONE = new EndedNumbers(0, 0, 0);
  }

  /** Thrown if the run cannot go on, or if its figures would be of no use; the message says why. */
  public static final class RunFailedException extends Exception {
    RunFailedException(String message) {
      super(message);
    }

    RunFailedException(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
