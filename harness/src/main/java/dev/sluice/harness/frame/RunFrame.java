package dev.sluice.harness.frame;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.experiment.ResolvedConfig;
import dev.sluice.contract.log.Pacer;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.log.Topics;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.HeapGoal;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.machine.PromptThread;
import java.util.Locale;

/** Experiment, clocks, run id and console that all roles of a run in this process share. */
public record RunFrame(
    ParsedExperiment parsed,
    String runId,
    Topics topics,
    String configDigest,
    ProcessClock clock,
    Pacer pacer,
    Console console) {

  public static RunFrame of(ParsedExperiment parsed, String runId, Console console) {
    PromptThread.prepare();
    HeapGoal.set();
    return new RunFrame(
        parsed,
        runId,
        new Topics(runId),
        ResolvedConfig.digest(parsed.experiment()),
        MachineClock.process(),
        MachineClock.pacer(),
        console);
  }

  /** The same run of an experiment that was completed after its start. */
  public RunFrame with(ParsedExperiment completed) {
    return new RunFrame(
        completed,
        runId,
        topics,
        ResolvedConfig.digest(completed.experiment()),
        clock,
        pacer,
        console);
  }

  public Experiment experiment() {
    return parsed.experiment();
  }

  public int shards() {
    return experiment().kafka().shards();
  }

  public String secondsSince(long startedNs) {
    return String.format(Locale.ROOT, "%.1f s", (clock.monotonicNs() - startedNs) / 1e9);
  }
}
