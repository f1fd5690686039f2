package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.RunId;
import dev.sluice.harness.simulate.LikeRuns;
import dev.sluice.harness.simulate.SimulatedRun;
import dev.sluice.harness.terminal.Console;
import dev.sluice.harness.workflow.WorkflowRun;
import dev.sluice.harness.workflow.WorkflowSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./sluice simulate}: an experiment, or workflows over GPUs, in virtual time. */
@Command(
    name = "simulate",
    mixinStandardHelpOptions = true,
    description = {
      "Runs an experiment in virtual time: the same file, the same requests and the same scheduler"
          + " as in a run, with service times and loop costs from tables.",
      "Leaves the same folder: trace.csv, dispatches.csv, summary.json and plots.",
      "Without CONFIG: schedules requests for workflows over GPUs, and leaves"
          + " baseline_scheduler.log, baseline_execution_log.json and a picture; with --execute their"
          + " nodes really run."
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:done, thresholds met",
      "1:a bug",
      "2:a mistake in the command or in a file",
      "3:done, but a threshold was missed or undecided, or a request was not completed"
    },
    footer = {
      "",
      "Examples:",
      "  ./sluice simulate configs/emulated_accelerator.yaml",
      "  ./sluice simulate configs/quickstart.yaml --set scheduler_name=fifo --repeat 20",
      "  ./sluice simulate configs/quickstart.yaml --profile results/latency_table.csv",
      "  ./sluice simulate --like results/acc-1 --like results/acc-2",
      "  ./sluice simulate --system configs/workflows/system_config.yaml \\",
      "    --requests configs/workflows/workflow_requests.yaml --gpus 4 --mode online",
      "  ./sluice simulate --system configs/workflows/system_config.yaml \\",
      "    --requests configs/workflows/workflow_requests.yaml --gpus 2 --execute"
    })
final class SimulateCommand implements Callable<Integer> {
  private static final int REPEATS_MAX = 10_000;

  @Parameters(paramLabel = "CONFIG", arity = "0..1", description = "The experiment file (YAML).")
  private @Nullable Path config;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "Overrides a key, dotted where it is nested; may be repeated.")
  private List<String> overrides = new ArrayList<>();

  @Option(
      names = "--profile",
      paramLabel = "FILE",
      description =
          "A latency table (CSV), as ./sluice profile leaves it, or the folder of a finished run, whose"
              + " residuals are then played again; in place of what the experiment names.")
  private @Nullable Path profile;

  @Option(
      names = "--like",
      paramLabel = "RUN",
      description =
          "The folder of a finished live run: simulates its requests, and prints live beside"
              + " simulated; may be repeated, for a verdict on each figure.")
  private List<Path> like = new ArrayList<>();

  @Option(
      names = "--repeat",
      paramLabel = "N",
      description =
          "Simulates it N times, in parallel, each with a seed of its own derived from the"
              + " experiment's, and gives each figure with its interval.")
  private @Nullable Integer repeats;

  @Option(
      names = "--no-trace",
      description = "Leaves summary.json and config.yaml alone: no rows, no pictures.")
  private boolean noTrace;

  @Option(
      names = "--run-id",
      paramLabel = "ID",
      description = "Names the folder (default: the run's name, the time and simulated).")
  private @Nullable String runId;

  @Option(
      names = "--json",
      description = "Prints summary.json on standard output, all else on standard error.")
  private boolean json;

  @Mixin private ResultsOption results = new ResultsOption();

  @Mixin private WorkflowOptions workflows = new WorkflowOptions();

  @Override
  public Integer call() throws Exception {
    var console = Console.ofJson(json);
    try {
      if (runId != null) {
        RunId.check(runId);
      }
      if (workflows.given()) {
        refuseBesideWorkflows();
        var output = new WorkflowSettings.Output(results.folder(), runId, noTrace);
        return new WorkflowRun(workflows.settings(output), console).execute();
      }
      if (!like.isEmpty()) {
        refuseBesideLike();
        return new LikeRuns(new LikeRuns.Options(like, overrides, profile), console).execute();
      }
      if (config == null) {
        throw new UserMistakeException(
            "./sluice simulate",
            "neither an experiment nor workflows are named",
            "you meant ./sluice simulate configs/quickstart.yaml, or to add --gpus 4");
      }
      if (repeats != null && (repeats < 1 || repeats > REPEATS_MAX)) {
        throw new UserMistakeException(
            "--repeat",
            "the value (" + repeats + ") must be between 1 and " + REPEATS_MAX,
            "--repeat 20 will do");
      }
      var options =
          new SimulatedRun.Options(
              config, overrides, results.folder(), runId, profile, noTrace, repeats);
      return new SimulatedRun(options, console).execute();
    } catch (UserMistakeException e) {
      System.err.println(e.getMessage());
      return ExitStatus.MISTAKE;
    }
  }

  private void refuseBesideLike() throws UserMistakeException {
    refuseBesideLike(config != null, String.valueOf(config));
    refuseBesideLike(repeats != null, "--repeat");
    refuseBesideLike(runId != null, "--run-id");
    refuseBesideLike(noTrace, "--no-trace");
  }

  private static void refuseBesideLike(boolean given, String what) throws UserMistakeException {
    if (given) {
      throw new UserMistakeException(
          what,
          "there is none with --like: each run's own experiment is simulated once, and leaves no"
              + " folder",
          "you want it without");
    }
  }

  private void refuseBesideWorkflows() throws UserMistakeException {
    refuseBesideWorkflows(config != null, String.valueOf(config), "an experiment file");
    refuseBesideWorkflows(!overrides.isEmpty(), "--set", "keys of an experiment");
    refuseBesideWorkflows(profile != null, "--profile", "a latency table");
    refuseBesideWorkflows(repeats != null, "--repeat", "repeats");
    refuseBesideWorkflows(!like.isEmpty(), "--like", "live runs");
  }

  private static void refuseBesideWorkflows(boolean given, String what, String means)
      throws UserMistakeException {
    if (given) {
      throw new UserMistakeException(
          what,
          "workflows know nothing of " + means,
          "an experiment was meant, without --system, --requests, --gpus and what belongs to them");
    }
  }
}
