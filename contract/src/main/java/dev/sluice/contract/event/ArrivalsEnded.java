package dev.sluice.contract.event;

import dev.sluice.contract.value.Checks;

/**
 * A generator will send no more jobs. Topic {@code facts}, once per generator and shard.
 *
 * @param jobsSent number of jobs that it sent to this shard
 * @param latenessNsP99 99th percentile of send call − intended arrival, over all its jobs
 * @param latenessNsMax largest lateness of a job
 * @param clockOffsetNsMax largest distance seen between its clock and the broker's append time
 */
public record ArrivalsEnded(
    int generator, long jobsSent, long latenessNsP99, long latenessNsMax, long clockOffsetNsMax)
    implements Fact {
  public ArrivalsEnded {
    Checks.atLeast(0, generator, "generator");
    Checks.atLeast(0, jobsSent, "jobsSent");
  }

  /**
   * The end of a generator that sent each job in time, by a clock that agrees with the broker's.
   */
  public static ArrivalsEnded punctual(int generator, long jobsSent) {
    return new ArrivalsEnded(generator, jobsSent, 0, 0, 0);
  }
}
