package dev.sluice.producer.generator;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.contract.log.Topics;
import dev.sluice.producer.requests.RequestList;
import java.time.Duration;

/**
 * Settings of one run's generators: the jobs that they send, their names, and their time limits.
 *
 * @param configDigest SHA-256 of the resolved experiment
 */
public record GeneratorSettings(
    Experiment experiment,
    RequestList requests,
    String runId,
    String configDigest,
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

  int shards() {
    return experiment.kafka().shards();
  }

  int generators() {
    return experiment.load().generators();
  }

  /** No job is meant to arrive at or after the end of the tail. */
  long tailEndNs() {
    return experiment.load().tailEndNs();
  }

  boolean oneAtATime() {
    return experiment.load().scenario() == Scenario.SINGLE_STREAM;
  }

  /**
   * Returns how long a generator gathers jobs before it sends them, in ms. A request costs the
   * processors as much as some twenty jobs do, so a busy generator sends fewer and larger ones: 1
   * ms for each 5,000 jobs a second that it sends in the mean, at most 5, and none below.
   */
  int lingerMs() {
    if (oneAtATime()) {
      return 0;
    }
    double jobsPerSec = requests.size() * 1e9 / tailEndNs() / generators();
    return (int) Math.min(LINGER_MS_MAX, jobsPerSec / GATHERED_JOBS_PER_SEC);
  }

  /** End of the measured window, in the run's time. */
  long durationNs() {
    return experiment.load().durationNs();
  }

  int shardOf(long index) {
    return (int) (index % shards());
  }
}
