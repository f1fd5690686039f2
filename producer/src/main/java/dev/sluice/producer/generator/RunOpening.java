package dev.sluice.producer.generator;

import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.Event;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunRecord;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.producer.generator.JobGenerators.RunFailedException;
import dev.sluice.producer.requests.LaneCoverage;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The steps between a call of {@link JobGenerators#run()} and the run's beginning: finding how far
 * the run is, checking that it is the run that was asked for, and waiting for lanes.
 */
final class RunOpening {
  private static final Duration POLL = Duration.ofMillis(50);

  private final GeneratorSettings settings;
  private final GeneratorLog log;
  private final ProcessClock clock;
  private final BooleanSupplier stopRequested;
  private final Duration limit;

  RunOpening(
      GeneratorSettings settings,
      GeneratorLog log,
      ProcessClock clock,
      BooleanSupplier stopRequested) {
    this.settings = settings;
    this.log = log;
    this.clock = clock;
    this.stopRequested = stopRequested;
    this.limit = settings.limits().untilLanesReady();
  }

  /**
   * Reads how far the run is. Reads facts only if they are needed, since there may be many. Stops
   * reading when a stop is requested, unless the run is to be resumed.
   */
  RunSoFar readRunSoFar(boolean resuming) throws RunFailedException {
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
    long deadlineNs = clock.monotonicNs() + limit.toNanos();
    while ((evenIfStopped || !stopRequested.getAsBoolean()) && !reader.hasReadWhatStood()) {
      reader.poll(POLL, sink);
      if (clock.monotonicNs() - deadlineNs >= 0) {
        throw new RunFailedException(
            "the run's topics could not be read within (%d) s".formatted(limit.toSeconds()));
      }
    }
  }

  /** Refuses an ended run, a begun one unless it is resumed, and one of other settings. */
  void refuseIfForeign(RunSoFar soFar, boolean resuming) throws UserMistakeException {
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
   * Waits until each shard has a lane for each kind of job.
   *
   * @param whenMissing receives once which lanes are missing, unless the first look at the log
   *     finds all
   * @return false if a stop was requested
   */
  boolean waitForLanes(Consumer<List<String>> whenMissing) throws RunFailedException {
    var coverage = new LaneCoverage(settings.requests().kinds(), settings.shards());
    long deadlineNs = clock.monotonicNs() + limit.toNanos();
    try (var facts = log.openFacts()) {
      boolean told = false;
      while (!stopRequested.getAsBoolean()) {
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
            whenMissing.accept(missing);
          }
        }
        if (clock.monotonicNs() - deadlineNs >= 0) {
          throw new RunFailedException(
              "lanes are missing after (%d) s: %s"
                  .formatted(limit.toSeconds(), String.join("; ", coverage.missing())));
        }
      }
    }
    return false;
  }

  /**
   * The part of a run that earlier generators left in the log, as a fold of the topics runs and
   * facts. Not thread-safe.
   */
  static final class RunSoFar {
    private final BitSet startedShards = new BitSet();
    private final Map<Integer, BitSet> endedShardsByGenerator = new HashMap<>();
    private final Map<Integer, Long> sentAtNs = new TreeMap<>();
    private final int jobs;
    private @Nullable RunStarted started;
    private @Nullable RunEnded ended;

    /**
     * @param jobs length of the request list; facts beyond it are ignored
     */
    RunSoFar(int jobs) {
      this.jobs = jobs;
    }

    /** Takes in the next record of the topic runs. Of several starts or ends the first counts. */
    void add(RunRecord read) {
      if (read instanceof RunStarted start && started == null) {
        started = start;
      } else if (read instanceof RunEnded end && ended == null) {
        ended = end;
      }
    }

    /** Of two facts on one job the first says when it was sent. */
    void add(int shard, Fact fact) {
      if (fact instanceof RunStarted) {
        startedShards.set(shard);
      } else if (fact instanceof JobRequested job && job.index() < jobs) {
        sentAtNs.putIfAbsent((int) job.index(), job.sentAtNs());
      } else if (fact instanceof ArrivalsEnded end) {
        endedShardsByGenerator.computeIfAbsent(end.generator(), g -> new BitSet()).set(shard);
      }
    }

    @Nullable RunStarted started() {
      return started;
    }

    @Nullable RunEnded ended() {
      return ended;
    }

    boolean started(int shard) {
      return startedShards.get(shard);
    }

    /** Returns when jobs were sent, by their index. */
    Map<Integer, Long> sentAtNs() {
      return sentAtNs;
    }

    /** True if one generator said so: all end together. */
    boolean arrivalsEnded() {
      return !endedShardsByGenerator.isEmpty();
    }

    boolean arrivalsEnded(int generator, int shard) {
      return endedShardsByGenerator.getOrDefault(generator, new BitSet()).get(shard);
    }
  }
}
