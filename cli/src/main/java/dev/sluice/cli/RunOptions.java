package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.report.VersusRun;
import dev.sluice.harness.run.ExperimentRun;
import dev.sluice.harness.run.ProcessesRun;
import dev.sluice.harness.run.RepeatedRun;
import dev.sluice.harness.run.RunSettings;
import dev.sluice.harness.run.SeveralRuns;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of a command that runs the whole loop, and what they run. */
public final class RunOptions {
  @Option(
      names = "--bootstrap",
      paramLabel = "HOST:PORT",
      description = "A Kafka that runs already (default: the run starts its own).")
  private @Nullable String bootstrap;

  @Option(
      names = "--kafka-config",
      paramLabel = "FILE",
      description = "Java properties of all clients of that Kafka: SASL, TLS.")
  private @Nullable Path kafkaConfig;

  @Option(names = "--keep-topics", description = "Leaves the run's topics on that Kafka.")
  private boolean keepTopics;

  @Option(names = "--no-log", description = "Leaves no log.jsonl.gz, a recording of the topics.")
  private boolean noLog;

  @Option(
      names = "--processes",
      description = "Gives each role a process of its own, which is started again if it dies.")
  private boolean processes;

  @Option(names = "--dry-run", description = "Does everything but the load, and leaves nothing.")
  private boolean dryRun;

  @Option(
      names = "--repeat",
      paramLabel = "N",
      description =
          "Runs the experiment N times, each with a seed of its own derived from the"
              + " experiment's, and gives each figure with its interval.")
  private @Nullable Integer repeats;

  @Option(
      names = "--versus",
      paramLabel = "KEY=VALUE",
      description =
          "With --repeat: runs each seed a second time with this key changed, and says"
              + " whether that is better, worse or within noise; may be repeated.")
  private List<String> versus = new ArrayList<>();

  @Mixin private CompareOptions comparison = new CompareOptions();

  @Mixin private MetricsOptions metrics = new MetricsOptions();

  @Option(
      names = "--live",
      description = "Serves a page of the run in the browser while it goes on.")
  private boolean live;

  @Mixin private PageOptions page = new PageOptions();

  @Option(
      names = "--child",
      hidden = true,
      description = "Started by Sluice: ends with its standard input, leaves Ctrl-C to its parent.")
  private boolean child;

  @Option(
      names = "--note",
      paramLabel = "TEXT",
      description = "Leaves note.txt with this text in the folder; results list shows it.")
  private @Nullable String note;

  @Mixin private ScreenOptions screen = new ScreenOptions();

  public boolean json() {
    return screen.json();
  }

  public int execute(List<RunSettings> all)
      throws UserMistakeException, IOException, InterruptedException {
    Console console = screen.console();
    try {
      if (all.size() > 1) {
        checkSeveral(all.get(0).runId());
        return new SeveralRuns(all, processes, console).execute();
      }
      RunSettings options = all.get(0);
      if (repeats != null && !versus.isEmpty()) {
        return new VersusRun(
                options.config(),
                options.overrides(),
                versus,
                repeats,
                comparison.judging(),
                console)
            .execute(options, processes);
      }
      if (repeats != null) {
        return new RepeatedRun(options, processes, repeats, console).execute();
      }
      return processes
          ? new ProcessesRun(options, console).execute()
          : new ExperimentRun(options, console).execute();
    } finally {
      console.endLiveLine();
    }
  }

  /** Settings of a run with these options; without an id the run makes one. */
  public RunSettings settings(
      Path config, List<String> overrides, Path results, @Nullable String runId) {
    return new RunSettings(
        config,
        overrides,
        new RunSettings.Output(results, keepTopics, noLog, note),
        bootstrap,
        runId,
        kafkaConfig,
        dryRun,
        child,
        new RunSettings.Watching(metrics.address(), live ? page.address() : null));
  }

  private void checkSeveral(@Nullable String runId) throws UserMistakeException {
    refuseBesideSeveral(runId != null, "--run-id");
    refuseBesideSeveral(repeats != null, "--repeat");
    refuseBesideSeveral(live, "--live");
    refuseBesideSeveral(dryRun, "--dry-run");
    refuseBesideSeveral(note != null, "--note");
  }

  private static void refuseBesideSeveral(boolean given, String what) throws UserMistakeException {
    UserMistakeException.throwIf(
        given,
        what,
        "it goes with one experiment, and several are named",
        "you want it for one of them");
  }

  /** Refuses options that contradict each other. */
  public void check() throws UserMistakeException {
    screen.check();
    UserMistakeException.throwIf(
        processes && dryRun,
        "--dry-run",
        "a dry run has no processes to start",
        "you want --dry-run without --processes, which checks all of the experiment too");
    metrics.address().check();
    comparison.check(versus, repeats);
    UserMistakeException.throwIf(
        !live && page.isGiven(),
        "--live",
        "--port, --bind, --allow-host and --max-pages are of a page, and none is wanted",
        "you want --live too");
    UserMistakeException.throwIf(
        live && repeats != null,
        "--live",
        "the page shows one run, and --repeat makes several",
        "you want ./sluice serve beside it, which shows every run");
    UserMistakeException.throwIf(
        processes && Integer.valueOf(0).equals(metrics.address().port()),
        "--metrics-port",
        "the processes of a run need ports that are known (0)",
        "--metrics-port 9464 will do: the first process has that port, the others the next ones");
    UserMistakeException.throwIf(
        repeats != null && (repeats < 1 || repeats > 1000),
        "--repeat",
        "the value (" + repeats + ") must be between 1 and 1000",
        "--repeat 8 will do");
    UserMistakeException.throwIf(
        repeats != null && dryRun,
        "--dry-run",
        "a dry run cannot be repeated",
        "you want either --dry-run or --repeat");
  }
}
