package dev.sluice.cli;

import dev.sluice.cli.option.ResultsOption;
import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.terminal.Console;
import dev.sluice.sweep.grid.GridRun;
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

/** {@code ./sluice sweep}: many experiments, or many training commands over GPU slots. */
@Command(
    name = "sweep",
    mixinStandardHelpOptions = true,
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
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:done",
      "1:a bug",
      "2:a mistake in the command or in a file, found before anything ran",
      "5:done, but a cell or a task failed, or a cell is not comparable",
      "130:stopped by Ctrl-C; the same command goes on"
    },
    subcommands = {
      SweepSetupCommand.class,
      SweepStartCommand.class,
      SweepStatusCommand.class,
      SweepStopCommand.class,
      SweepKillAllCommand.class,
      SweepConfigCommand.class,
      SweepRetryCommand.class,
      SweepLogsCommand.class,
      SweepSchedulerCommand.class,
      HelpCommand.class
    },
    footer = {
      "",
      "Examples:",
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
    var options = new GridRun.Options(file, base, results.folder(), resume, dryRun);
    return new GridRun(options, Console.standardOutput()).execute();
  }

  private Path grid() throws UserMistakeException {
    List<String> commands =
        spec == null ? List.of() : spec.subcommands().keySet().stream().sorted().toList();
    if (words.isEmpty()) {
      throw new UserMistakeException(
          "./sluice sweep",
          "neither a grid nor a command is named",
          "you meant one of the commands: " + String.join(", ", commands));
    }
    Path grid = words.get(0);
    String word = grid.toString();
    boolean looksLikeFile = word.contains("/") || word.contains(".");
    if (!Files.exists(grid) && (!looksLikeFile || !ofACommand.isEmpty())) {
      throw new UserMistakeException(
          "./sluice sweep",
          "(" + word + ") is neither a command nor a file",
          NearestName.advice(word, commands, "commands"));
    }
    if (words.size() > 1 || !ofACommand.isEmpty()) {
      throw new UserMistakeException(
          "./sluice sweep",
          "a sweep takes one grid, and no --config or --workspace",
          "you meant one of the commands: " + String.join(", ", commands));
    }
    return grid;
  }
}
