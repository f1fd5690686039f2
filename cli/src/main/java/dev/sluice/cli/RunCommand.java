package dev.sluice.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "run",
    description = {
      "Runs an experiment: broker, generators, scheduler, lanes and analytics, in one process or"
          + " (--processes) each in its own.",
      "Leaves a folder with trace.csv, dispatches.csv, summary.json, plots and log.jsonl.gz, which"
          + " can be replayed.",
      "Several experiments run one after the other, and a table of all comes at the end."
    },
    exitCodeList = {
      "0:done, thresholds met",
      "1:a bug, or the run failed",
      "2:a mistake in the command or in a file",
      "3:a threshold was missed; with --gate: B is worse in some figure",
      "4:done, and it tells nothing of the policy: not comparable, unstable or undecided; with"
          + " --gate: nothing can be told of the primary figure",
      "130:stopped by Ctrl-C, its jobs ended and its folder written"
    },
    footer = {
      "  ./sluice run configs/quickstart.yaml",
      "  ./sluice run configs/quickstart.yaml --set scheduler_name=fifo --set seed=7",
      "  ./sluice run configs/emulated_accelerator.yaml --repeat 8"
    })
final class RunCommand implements Callable<Integer> {
  @Mixin private ExperimentOptions experiment = new ExperimentOptions();

  @Mixin private RunOptions run = new RunOptions();

  @Override
  public Integer call() throws Exception {
    run.check();
    String runId = experiment.runId();
    return run.execute(
        experiment.configs().stream()
            .map(
                config -> run.settings(config, experiment.overrides(), experiment.results(), runId))
            .toList());
  }
}
