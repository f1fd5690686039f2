package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.serve.ResultsFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./sluice results}: the folders that runs left. */
@Command(
    name = "results",
    mixinStandardHelpOptions = true,
    description = "Lists, shows or removes the folders of runs.",
    subcommands = {
      ResultsCommand.ListRuns.class,
      ResultsCommand.Show.class,
      ResultsCommand.Remove.class
    },
    footer = {"", "Example:", "  ./sluice results list"})
public final class ResultsCommand implements Callable<Integer> {
  @Override
  public Integer call() throws UserMistakeException {
    throw new UserMistakeException(
        "sluice",
        "results needs a command, list, show or remove",
        "you meant ./sluice results list");
  }

  /** The folder that is looked at. */
  static final class Where {
    @Option(
        names = "--results",
        paramLabel = "FOLDER",
        description = "Folder of the runs (default: results beside ./sluice).")
    private @Nullable Path results;

    private ResultsFolder folder() {
      return new ResultsFolder(RunFolder.results(results), System.out);
    }
  }

  /** {@code results list}. */
  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = "Shows each run in a line: when it began, how far it is, its policy and p99.",
      footer = {"", "Example:", "  ./sluice results list --json"})
  static final class ListRuns implements Callable<Integer> {
    @Mixin private Where where = new Where();

    @Option(names = "--json", description = "Prints JSON.")
    private boolean json;

    @Override
    public Integer call() throws UserMistakeException, IOException {
      return where.folder().list(json);
    }
  }

  /** {@code results show}. */
  @Command(
      name = "show",
      mixinStandardHelpOptions = true,
      description = "Shows what is known of a run: its state, its first figures and its notes.",
      footer = {"", "Example:", "  ./sluice results show quickstart"})
  static final class Show implements Callable<Integer> {
    @Mixin private Where where = new Where();

    @Parameters(paramLabel = "RUN", description = "Id of the run.")
    private String id = "";

    @Override
    public Integer call() throws UserMistakeException, IOException {
      return where.folder().show(id);
    }
  }

  /** {@code results remove}. */
  @Command(
      name = "remove",
      mixinStandardHelpOptions = true,
      description = {
        "Removes the folders of runs, finished or failed, with all that is in them.",
        "A run that goes on is refused, and then none is removed."
      },
      footer = {"", "Example:", "  ./sluice results remove quickstart --dry-run"})
  static final class Remove implements Callable<Integer> {
    @Mixin private Where where = new Where();

    @Parameters(paramLabel = "RUN", arity = "1..*", description = "Ids of the runs.")
    private List<String> ids = List.of();

    @Option(names = "--dry-run", description = "Shows what would be removed, and removes nothing.")
    private boolean dryRun;

    @Override
    public Integer call() throws UserMistakeException, IOException {
      return where.folder().remove(ids, dryRun);
    }
  }
}
