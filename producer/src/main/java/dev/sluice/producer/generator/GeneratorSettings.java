package dev.sluice.producer.generator;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.time.RunClock;
import dev.sluice.producer.requests.RequestList;
import dev.sluice.producer.requests.Seconds;
import java.time.Duration;

/**
 * Settings of one run's generators: what they send, under which names, and how long they wait.
 *
 * @param requests what {@link RequestList#draw} made of the experiment
 * @param configDigest SHA-256 of the resolved experiment
 */
public record GeneratorSettings(
    Experiment experiment,
    RequestList requests,
    String runId,
    String configDigest,
    Topics topics,
    TimeLimits limits) {

  /**
   * How long the run waits for others before it fails.
   *
   * @param untilLanesReady from the call of {@link JobGenerators#run()} until each shard has a lane
   *     for each kind of job
   * @param untilOutcomesComplete from the last arrival until every job sent has its outcome
   */
  public record TimeLimits(Duration untilLanesReady, Duration untilOutcomesComplete) {}

  int shards() {
    return experiment.kafka().shards();
  }

  int generators() {
    return experiment.load().generators();
  }

  /** The end of the tail, in the time of {@link RunClock}: no job is intended at or after it. */
  long tailEndNs() {
    return Seconds.toNs(experiment.load().durationSeconds() + experiment.load().tailSeconds());
  }

  /** The shard of the job with that index. */
  int shardOf(long index) {
    return (int) (index % shards());
  }
}
