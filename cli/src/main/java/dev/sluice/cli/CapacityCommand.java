package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.report.CapacityRun;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "capacity",
    description = {
      "Finds the highest arrival rate that keeps a target in every class and workload, or in the"
          + " figure named, for each policy.",
      "Leaves capacity.csv and capacity.png. Stopped, the same command goes on where it was."
    },
    exitCodeList = {
      "0:each policy has an answer",
      "1:a bug, or a run that failed",
      "2:a mistake in the command or in a file",
      "4:the budget did not resolve the capacity of a policy",
      "130:stopped by Ctrl-C"
    },
    footer = {
      "  ./sluice capacity configs/emulated_accelerator.yaml --target \"slo_violation_rate < 0.01\""
          + " \\",
      "    --policies fifo,dynamic --between 50..2000 --simulate"
    })
final class CapacityCommand implements Callable<Integer> {
  private static final int RUNS_LIVE = 60;
  private static final int RUNS_SIMULATED = 400;

  @Mixin private ExperimentOptions experiment = new ExperimentOptions();

  @Option(
      names = "--target",
      required = true,
      paramLabel = "BOUND",
      description =
          "An upper bound on slo_violation_rate, p50, p95 or p99_e2e_ms, avg_e2e_ms or avg_wait_ms,"
              + " such as \"slo_violation_rate < 0.01\".")
  private String target = "";

  @Option(
      names = "--policies",
      paramLabel = "NAMES",
      description = "Policies, with commas between them (default: the experiment's).")
  private @Nullable String policies;

  @Option(
      names = "--between",
      required = true,
      paramLabel = "FROM..TO",
      description = "Rates in jobs/s between which the capacity is sought.")
  private String between = "";

  @Option(
      names = "--resolution",
      paramLabel = "SHARE",
      description = "How near the answer's two rates are to be (default: 5%%).")
  private String resolution = "5%";

  @Option(
      names = "--runs",
      paramLabel = "N",
      description =
          "The budget: most runs of each policy (default: 60; with --simulate "
              + RUNS_SIMULATED
              + ").")
  private @Nullable Integer runs;

  @Option(names = "--simulate", description = "Runs in virtual time.")
  private boolean simulate;

  @Option(
      names = "--profile",
      paramLabel = "FILE",
      description =
          "With --simulate: a latency table (CSV), as ./sluice profile leaves one, or a finished"
              + " run's folder; replaces the source that the experiment names.")
  private @Nullable Path profile;

  @Override
  public Integer call() throws Exception {
    UserMistakeException.throwIf(
        profile != null && !simulate,
        "--profile",
        "a live run takes its own times, and no table (" + profile + ")",
        "you want --simulate beside it");
    var options =
        new CapacityRun.Options(
            experiment.config(),
            experiment.overrides(),
            experiment.results(),
            experiment.runId(),
            target,
            policies,
            between,
            resolution,
            runs != null ? runs : simulate ? RUNS_SIMULATED : RUNS_LIVE,
            simulate,
            profile);
    return new CapacityRun(options, Console.standardOutput()).execute();
  }
}
