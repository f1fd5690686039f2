package dev.sluice.harness.frame;

import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ResolvedConfig;
import dev.sluice.contract.log.RecordingHeader;
import dev.sluice.scheduling.core.SchedulingCore;
import org.jspecify.annotations.Nullable;

/** Headers of the recordings that runs leave. */
public final class LogHeaders {
  private LogHeaders() {}

  /** The header of a run's log; where that holds no beginning, {@code started} is null. */
  public static RecordingHeader of(
      Experiment experiment, String runId, @Nullable RunStarted started) {
    return RecordingHeader.log(
        runId,
        started,
        experiment.kafka().shards(),
        SchedulingCore.DECISIONS_VERSION,
        ResolvedConfig.digest(experiment),
        ResolvedConfig.write(experiment));
  }
}
