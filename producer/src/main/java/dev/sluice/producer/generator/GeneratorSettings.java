package dev.sluice.producer.generator;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.contract.log.Topics;
import dev.sluice.producer.requests.ArrivalList;
import dev.sluice.producer.requests.RequestList;
import java.time.Duration;

/**
 * Settings of one run's generators: the requests that they send, their names, and their time
 * limits.
 *
 * @param configDigest SHA-256 of the resolved experiment, or of the file that stands for it
 * @param warmupNs time from which requests are measured, in the run's time
 * @param durationNs end of the measured window, in the run's time
 * @param tailEndNs end of the tail, before which all requests are meant to arrive; {@link
 *     Long#MAX_VALUE}: the run goes on until all measured ones have ended
 * @param oneAtATime whether each job is sent when the one before it has ended
 */
public record GeneratorSettings(
    ArrivalList requests,
    String runId,
    long seed,
    String configDigest,
    int shards,
    int generators,
    long warmupNs,
    long durationNs,
    long tailEndNs,
    boolean oneAtATime,
    Topics topics,
    TimeLimits limits) {

  /** Jobs a second of one generator for each millisecond that it gathers them. */
  private static final double GATHERED_JOBS_PER_SEC = 5_000;

  private static final int LINGER_MS_MAX = 5;

  /**
   * Time limits after which the run fails.
   *
   * @param untilLanesReady longest time from the call of {@link JobGenerators#run()} until each
   *     shard has a lane for each kind of job
   * @param untilOutcomesComplete longest time from the last arrival until every sent job has its
   *     outcome
   */
  public record TimeLimits(Duration untilLanesReady, Duration untilOutcomesComplete) {}

  /** The settings of an experiment's run. */
  public GeneratorSettings(
      Experiment experiment,
      RequestList requests,
      String runId,
      String configDigest,
      Topics topics,
      TimeLimits limits) {
    this(
        requests,
        runId,
        experiment.seed(),
        configDigest,
        experiment.kafka().shards(),
        experiment.load().generators(),
        experiment.load().warmupNs(),
        experiment.load().durationNs(),
        experiment.load().tailEndNs(),
        experiment.load().scenario() == Scenario.SINGLE_STREAM,
        topics,
        limits);
  }

  /**
   * Returns how long a generator gathers jobs before it sends them, in ms. A request costs the
   * processors as much as some twenty jobs do, so a busy generator sends fewer and larger ones: 1
   * ms for each 5,000 jobs a second that it sends in the mean, at most 5, and none below.
   */
  int lingerMs() {
    if (oneAtATime) {
      return 0;
    }
    double jobsPerSec = requests.size() * 1e9 / tailEndNs / generators;
    return (int) Math.min(LINGER_MS_MAX, jobsPerSec / GATHERED_JOBS_PER_SEC);
  }

  int shardOf(long index) {
    return (int) (index % shards);
  }
}
