package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.report.VersusRun;
import dev.sluice.harness.simulate.LikeRuns;
import dev.sluice.harness.simulate.SimulatedRun;
import dev.sluice.harness.workflow.WorkflowRun;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "simulate",
    description = {
      "Runs an experiment in virtual time: with the file, the requests and the scheduler"
          + " of a run, and with service times and loop costs from tables.",
      "Leaves a folder like a run's: trace.csv, dispatches.csv, summary.json and plots.",
      "Without CONFIG: schedules requests for workflows over GPUs, and leaves"
          + " baseline_scheduler.log, baseline_execution_log.json and a picture; with --execute the"
          + " workflows' nodes really run."
    },
    exitCodeList = {
      "0:done, thresholds met",
      "1:a bug, or the run failed",
      "2:a mistake in the command or in a file",
      "3:a threshold was missed; with --gate: B is worse in some figure",
      "4:done, and it tells nothing of the policy: unstable or undecided; with --gate: nothing can"
          + " be told of the primary figure",
      "5:a request for a workflow was not completed"
    },
    footer = {
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
          "A latency table (CSV), as ./sluice profile leaves one, or a finished run's folder, whose"
              + " residuals are then played again; replaces the source that the experiment names.")
  private @Nullable Path profile;

  @Option(
      names = "--like",
      paramLabel = "RUN",
      description =
          "The folder of a finished live run. Simulates its requests, and prints live beside"
              + " simulated figures; may be repeated, for a verdict on each figure.")
  private List<Path> like = new ArrayList<>();

  @Option(
      names = "--repeat",
      paramLabel = "N",
      description =
          "Simulates the experiment N times, in parallel, each with a seed derived from the"
              + " experiment's, and gives each figure with its interval.")
  private @Nullable Integer repeats;

  @Option(
      names = "--versus",
      paramLabel = "KEY=VALUE",
      description =
          "With --repeat: simulates each seed a second time with this key changed, and says"
              + " whether that is better, worse or within noise; may be repeated.")
  private List<String> versus = new ArrayList<>();

  @Mixin private CompareOptions comparison = new CompareOptions();

  @Option(
      names = "--no-trace",
      description = "Leaves only summary.json and config.yaml: no rows, no pictures.")
  private boolean noTrace;

  @Option(
      names = "--log",
      negatable = true,
      description =
          "Leaves log.jsonl.gz, a recording of what the topics would hold (default: only with"
              + " --execute).")
  private @Nullable Boolean log;

  @Option(
      names = "--run-id",
      paramLabel = "ID",
      description = "Name of the folder (default: the run's name, simulated and the time).")
  private @Nullable String runId;

  @Option(
      names = "--note",
      paramLabel = "TEXT",
      description = "Leaves note.txt with this text in the folder; results list shows it.")
  private @Nullable String note;

  @Mixin private ScreenOptions screen = new ScreenOptions();

  @Mixin private ResultsOption results = new ResultsOption();

  @Mixin private WorkflowOptions workflows = new WorkflowOptions();

  @Override
  public Integer call() throws Exception {
    Console console = screen.console();
    screen.check();
    if (runId != null) {
      RunFolder.checkId(runId);
    }
    if (workflows.given()) {
      refuseBesideWorkflows();
      var settings = workflows.settings(results.folder(), runId, noTrace, log);
      return new WorkflowRun(settings, console).execute();
    }
    if (!like.isEmpty()) {
      refuseBesideLike();
      return new LikeRuns(like, overrides, profile, console).execute();
    }
    if (config == null) {
      throw new UserMistakeException(
          "./sluice simulate",
          "neither an experiment nor workflows are named",
          "you meant ./sluice simulate configs/quickstart.yaml, or to add --gpus 4");
    }
    UserMistakeException.throwIf(
        repeats != null && (repeats < 1 || repeats > REPEATS_MAX),
        "--repeat",
        "the value (" + repeats + ") must be between 1 and " + REPEATS_MAX,
        "--repeat 20 will do");
    comparison.check(versus, repeats);
    var options =
        new SimulatedRun.Options(
            config,
            overrides,
            results.folder(),
            runId,
            profile,
            new SimulatedRun.Output(noTrace, log != null && log, note),
            repeats);
    if (!versus.isEmpty() && repeats != null) {
      return new VersusRun(config, overrides, versus, repeats, comparison.judging(), console)
          .simulate(options);
    }
    return new SimulatedRun(options, console).execute();
  }

  private void refuseBesideLike() throws UserMistakeException {
    refuseBesideLike(config != null, String.valueOf(config));
    refuseBesideLike(repeats != null, "--repeat");
    refuseBesideLike(!versus.isEmpty(), "--versus");
    refuseBesideLike(runId != null, "--run-id");
    refuseBesideLike(noTrace, "--no-trace");
    refuseBesideLike(log != null, "--log");
  }

  private static void refuseBesideLike(boolean given, String what) throws UserMistakeException {
    UserMistakeException.throwIf(
        given,
        what,
        "it does not go with --like, which simulates each run's own experiment once and leaves no"
            + " folder",
        "you want to leave it out");
  }

  private void refuseBesideWorkflows() throws UserMistakeException {
    refuseBesideWorkflows(config != null, String.valueOf(config), "an experiment file");
    refuseBesideWorkflows(!overrides.isEmpty(), "--set", "keys of an experiment");
    refuseBesideWorkflows(profile != null, "--profile", "a latency table");
    refuseBesideWorkflows(repeats != null, "--repeat", "repeats");
    refuseBesideWorkflows(!versus.isEmpty(), "--versus", "a second setting");
    refuseBesideWorkflows(!like.isEmpty(), "--like", "live runs");
  }

  private static void refuseBesideWorkflows(boolean given, String what, String means)
      throws UserMistakeException {
    UserMistakeException.throwIf(
        given,
        what,
        "schedules of workflows do not take " + means,
        "you meant an experiment, without --system, --requests, --gpus and the like");
  }
}
