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

@Command(
    name = "results",
    description = "Lists, shows or removes the folders of runs.",
    footer = "  ./sluice results list")
public final class ResultsCommand implements Callable<Integer> {
  @Override
  public Integer call() throws UserMistakeException {
    throw new UserMistakeException(
        "sluice",
        "results needs a command, list, show or remove",
        "you meant ./sluice results list");
  }

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

  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = "Shows each run in a line: when it began, how far it is, its policy and p99.",
      footer = "  ./sluice results list --json")
  int list(@Mixin Where where, @Option(names = "--json", description = "Prints JSON.") boolean json)
      throws UserMistakeException, IOException {
    return where.folder().list(json);
  }

  @Command(
      name = "show",
      mixinStandardHelpOptions = true,
      description = "Shows what is known of a run: its state, its first figures and its notes.",
      footer = "  ./sluice results show quickstart")
  int show(
      @Mixin Where where, @Parameters(paramLabel = "RUN", description = "Id of the run.") String id)
      throws UserMistakeException, IOException {
    return where.folder().show(id);
  }

  @Command(
      name = "remove",
      mixinStandardHelpOptions = true,
      description = {
        "Removes the folders of runs, finished or failed, with all that is in them.",
        "A run that goes on is refused, and then none is removed."
      },
      footer = "  ./sluice results remove quickstart --dry-run")
  int remove(
      @Mixin Where where,
      @Parameters(paramLabel = "RUN", arity = "1..*", description = "Ids of the runs.")
          List<String> ids,
      @Option(
              names = "--dry-run",
              description = "Shows what would be removed, and removes nothing.")
          boolean dryRun)
      throws UserMistakeException, IOException {
    return where.folder().remove(ids, dryRun);
  }
}
