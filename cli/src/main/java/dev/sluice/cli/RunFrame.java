package dev.sluice.cli;

import dev.sluice.contract.Pacer;
import dev.sluice.contract.ProcessClock;
import dev.sluice.contract.Topics;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.experiment.ResolvedConfig;
import java.time.InstantSource;
import java.util.Locale;

/** What every role of a run in this process shares. */
record RunFrame(
    ParsedExperiment parsed,
    String runId,
    Topics topics,
    String configDigest,
    ProcessClock clock,
    Pacer pacer,
    Console console) {

  static RunFrame of(ParsedExperiment parsed, String runId, Console console) {
    PromptThread.prepare();
    return new RunFrame(
        parsed,
        runId,
        new Topics(runId),
        ResolvedConfig.digest(parsed.experiment()),
        new ProcessClock(InstantSource.system(), System::nanoTime),
        new SystemPacer(System::nanoTime),
        console);
  }

  Experiment experiment() {
    return parsed.experiment();
  }

  int shards() {
    return experiment().kafka().shards();
  }

  /** For a person to read. */
  String secondsSince(long startedNs) {
    return String.format(Locale.ROOT, "%.1f s", (clock.monotonicNs() - startedNs) / 1e9);
  }
}
