package dev.sluice.harness.frame;

import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ResolvedConfig;
import dev.sluice.contract.log.RecordingHeader;
import dev.sluice.contract.log.RecordingHeader.Kind;
import dev.sluice.scheduling.core.SchedulingCore;
import org.jspecify.annotations.Nullable;

/** Headers of the recordings that runs leave. */
public final class LogHeaders {
  private LogHeaders() {}

  /** The header of a run's log; where that holds no beginning, {@code started} is null. */
  public static RecordingHeader of(
      Experiment experiment, String runId, @Nullable RunStarted started) {
    return of(
        runId,
        started,
        experiment.kafka().shards(),
        ResolvedConfig.digest(experiment),
        ResolvedConfig.write(experiment));
  }

  /** The header of a log, as far as its beginning and its experiment, as YAML, are known. */
  public static RecordingHeader of(
      String runId,
      @Nullable RunStarted started,
      int shards,
      @Nullable String configDigest,
      @Nullable String experiment) {
    return new RecordingHeader(
        RecordingHeader.VERSION,
        Kind.LOG,
        runId,
        started == null ? 0 : started.timeZeroEpochMs(),
        shards,
        SchedulingCore.DECISIONS_VERSION,
        started == null ? null : started.requestDigest(),
        configDigest,
        experiment);
  }
}
