package dev.sluice.cli;

import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.machine.Console;
import dev.sluice.sweep.grid.GridRun;
import dev.sluice.sweep.workspace.QueueStatus;
import dev.sluice.sweep.workspace.Workspace;
import dev.sluice.sweep.workspace.WorkspaceRuns;
import dev.sluice.sweep.workspace.WorkspaceRuns.Mode;
import dev.sluice.sweep.workspace.WorkspaceSetup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "sweep",
    synopsisHeading = "Usage: ",
    customSynopsis = {
      "./sluice sweep GRID [--base=FILE] [--resume] [--dry-run] [--results=DIR]",
      "       ./sluice sweep COMMAND [--config=FILE] [--workspace=DIR] ..."
    },
    description = {
      "With a GRID: runs or simulates an experiment at all values of some of its keys, each cell"
          + " once, and leaves sweep.csv, a heat map of each figure and sweep.html.",
      "With a COMMAND: runs many training commands over GPU slots, and loses none."
    },
    exitCodeList = {
      "0:done",
      "1:a bug",
      "2:a mistake in the command or in a file, found before anything ran",
      "5:done, but a cell or a task failed, or a cell is not comparable",
      "130:stopped by Ctrl-C; the same command goes on"
    },
    subcommands = HelpCommand.class,
    footer = {
      "  ./sluice sweep configs/sweeps/policies.yaml",
      "  ./sluice sweep configs/sweeps/policies.yaml --resume",
      "  ./sluice sweep setup vision",
      "",
      "The file of a grid:",
      "  base: experiment.yaml        # from the grid's own folder",
      "  mode: simulate               # or run, one at a time unless slots says more; or capacity",
      "  grid: {scheduler_name: [fifo, dynamic], seed: [1, 2, 3, 4]}",
      "  exclude: []                  # cells to leave out: [{scheduler_name: fifo, seed: 1}]",
      "  repeat_over: seed            # mean and 95 %% interval over these, policies paired",
      "  figures: [all_p99_e2e_ms, all_goodput_jobs_sec]"
    })
public final class SweepCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Parameters(paramLabel = "GRID", arity = "0..*", description = "The file of a grid (YAML).")
  private List<Path> words = new ArrayList<>();

  @Option(
      names = {"--config", "--workspace"},
      hidden = true,
      description = "Of a command; here so that a command which is misspelt is told as that.")
  private List<Path> ofACommand = new ArrayList<>();

  @Option(
      names = "--base",
      paramLabel = "FILE",
      description = "The experiment that cells rest on, in place of the grid's.")
  private @Nullable Path base;

  @Option(
      names = "--resume",
      description = "Goes on with a sweep that has begun; refuses one whose base has changed.")
  private boolean resume;

  @Option(
      names = "--dry-run",
      description = "Checks and lists all cells, runs none, and leaves nothing.")
  private boolean dryRun;

  @Mixin private ResultsOption results = new ResultsOption();

  @Override
  public Integer call() throws Exception {
    Path file = grid();
    return new GridRun(file, base, results.folder(), resume, dryRun, Console.standardOutput())
        .execute();
  }

  private Path grid() throws UserMistakeException {
    List<String> commands =
        spec == null ? List.of() : spec.subcommands().keySet().stream().sorted().toList();
    UserMistakeException.throwIf(
        words.isEmpty(),
        "./sluice sweep",
        "neither a grid nor a command is named",
        "you meant one of the commands: " + String.join(", ", commands));
    Path grid = words.get(0);
    String word = grid.toString();
    boolean looksLikeFile = word.contains("/") || word.contains(".");
    UserMistakeException.throwIf(
        !Files.exists(grid) && (!looksLikeFile || !ofACommand.isEmpty()),
        "./sluice sweep",
        "(" + word + ") is neither a command nor a file",
        NearestName.advice(word, commands, "commands"));
    UserMistakeException.throwIf(
        words.size() > 1 || !ofACommand.isEmpty(),
        "./sluice sweep",
        "a sweep takes one grid, and no --config or --workspace",
        "you meant one of the commands: " + String.join(", ", commands));
    return grid;
  }

  @Command(
      name = "setup",
      mixinStandardHelpOptions = true,
      description = {
        "Makes a folder a workspace: scheduler.sh, scheduler_config.yml with every key, configs/"
            + " and out/.",
        "With --force, takes over what is there: the old wrapper becomes scheduler.sh.bak, the old"
            + " config's values stay, missing keys are added."
      },
      footer = "  ./sluice sweep setup vision")
  int setup(
      @Parameters(paramLabel = "DIR", description = "The workspace, which need not exist.")
          Path folder,
      @Option(names = "--force", description = "Takes over a workspace that is there.")
          boolean force)
      throws UserMistakeException {
    Path launcher = Path.of(System.getProperty("sluice.home", ".")).resolve("sluice");
    new WorkspaceSetup(folder, launcher, Console.standardOutput()).execute(force);
    return ExitStatus.DONE;
  }

  @Command(
      name = "start",
      mixinStandardHelpOptions = true,
      description = "Queues configs, and starts the scheduler in the background.",
      footer = "  ./sluice sweep start --wait")
  int start(
      @Mixin WorkspaceOptions where,
      @Parameters(
              index = "0",
              arity = "0..1",
              paramLabel = "CONFIG_LIST",
              description = "Configs with commas between (default: all that match config_pattern).")
          @Nullable String configs,
      @Parameters(
              index = "1",
              arity = "0..1",
              paramLabel = "GPU_LIST",
              description = "The GPU of each config (default: the one with the fewest tasks).")
          @Nullable String gpus,
      @Option(names = "--wait", description = "Returns when all tasks have ended.") boolean wait,
      @Option(names = "--foreground", description = "Runs the scheduler in this process.")
          boolean foreground)
      throws Exception {
    return where.runs().start(configs, gpus, foreground ? Mode.FOREGROUND : mode(wait));
  }

  private static Mode mode(boolean wait) {
    return wait ? Mode.WAIT : Mode.BACKGROUND;
  }

  @Command(
      name = "status",
      mixinStandardHelpOptions = true,
      description = "Shows what waits, runs, is done and has failed; exit 5 if one has failed.",
      footer = "  ./sluice sweep status")
  int status(
      @Mixin WorkspaceOptions where,
      @Option(names = "--json", description = "Prints one JSON object.") boolean json,
      @Option(
              names = "--watch",
              description = "Draws the table anew until nothing runs any longer.")
          boolean watch)
      throws Exception {
    var workspace = where.open();
    UserMistakeException.throwIf(
        watch && json,
        "--watch",
        "it does not go with --json, which prints once",
        "you want one of the two");
    if (watch) {
      return QueueStatus.until(workspace, Console.standardOutput());
    }
    QueueStatus status = QueueStatus.of(workspace);
    if (json) {
      System.out.print(status.json());
    } else {
      status.lines().forEach(System.out::println);
    }
    return status.exitStatus();
  }

  @Command(
      name = "stop",
      mixinStandardHelpOptions = true,
      description = "Stops the scheduler; what runs goes on, and the next start finds it again.",
      footer = "  ./sluice sweep stop")
  int stop(@Mixin WorkspaceOptions where) throws Exception {
    return where.runs().stop();
  }

  @Command(
      name = "kill-all",
      mixinStandardHelpOptions = true,
      description = "Ends the scheduler and all tasks of this workspace.",
      footer = "  ./sluice sweep kill-all")
  int killAll(@Mixin WorkspaceOptions where) throws Exception {
    return where.runs().killAll();
  }

  @Command(
      name = "config",
      mixinStandardHelpOptions = true,
      description = "Shows each key of the config, its value, and whence it comes.",
      footer = "  ./sluice sweep config")
  int config(@Mixin WorkspaceOptions where) throws Exception {
    return where.runs().config();
  }

  @Command(
      name = "retry",
      mixinStandardHelpOptions = true,
      description =
          "Runs tasks again: named ones, failed ones, or those whose config has changed since.",
      footer = "  ./sluice sweep retry --failed")
  int retry(
      @Mixin WorkspaceOptions where,
      @Parameters(paramLabel = "NAME", arity = "0..*", description = "Tasks to run again.")
          @Nullable List<String> named,
      @Option(names = "--failed", description = "Runs all again that have failed.") boolean failed,
      @Option(names = "--changed", description = "Runs all again whose config has changed since.")
          boolean changed,
      @Option(names = "--wait", description = "Returns when all tasks have ended.") boolean wait)
      throws Exception {
    WorkspaceRuns runs = where.runs();
    List<String> names = named == null ? List.of() : named;
    UserMistakeException.throwIf(
        names.isEmpty() && !failed && !changed,
        "sluice",
        "retry needs names, --failed or --changed",
        "./sluice sweep retry --failed is meant");
    return runs.retry(names, failed, changed, mode(wait));
  }

  @Command(
      name = "logs",
      mixinStandardHelpOptions = true,
      description = "Prints a task's log.",
      footer = "  ./sluice sweep logs exp1 -f")
  int logs(
      @Mixin WorkspaceOptions where,
      @Parameters(
              paramLabel = "NAME",
              description = "The task: its config's name without the ending.")
          String name,
      @Option(
              names = {"-f", "--follow"},
              description = "Goes on as the log grows, until Ctrl-C.")
          boolean follow)
      throws Exception {
    return where.runs().logs(name, follow);
  }

  @Command(
      name = "scheduler",
      mixinStandardHelpOptions = true,
      hidden = true,
      description = "Started by start: runs the scheduler.")
  int scheduler(@Mixin WorkspaceOptions where) throws Exception {
    return WorkspaceRuns.runScheduler(where.open());
  }

  /** Options that name a workspace of the queue, as its scheduler.sh passes them. */
  static final class WorkspaceOptions {
    @Option(
        names = "--config",
        paramLabel = "FILE",
        description = "The workspace's config (default: scheduler_config.yml in the workspace).")
    private @Nullable Path config;

    @Option(
        names = "--workspace",
        paramLabel = "DIR",
        description = "The workspace (default: this folder).")
    private Path workspace = Path.of("");

    Workspace open() throws UserMistakeException {
      return Workspace.open(
          config == null ? workspace.resolve(Workspace.CONFIG) : config, workspace);
    }

    WorkspaceRuns runs() throws UserMistakeException {
      return new WorkspaceRuns(open(), Console.standardOutput());
    }
  }
}
