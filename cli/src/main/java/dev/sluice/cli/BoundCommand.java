package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.Console.Amount;
import dev.sluice.harness.simulate.BoundRun;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "bound",
    description = {
      "Proves how many of an experiment's jobs can end within their promise at most, under any"
          + " scheduler, also one that knows the future.",
      "On one lane, with jobs that are alike, it is the optimum. Leaves no folder."
    },
    exitCodeList = {"0:done", "1:a bug", "2:a mistake in the command or in a file"},
    footer = "  ./sluice bound configs/emulated_accelerator.yaml")
final class BoundCommand implements Callable<Integer> {
  @Parameters(paramLabel = "CONFIG", description = "The experiment file (YAML).")
  private Path config = Path.of("");

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "Overrides a key, dotted where it is nested; may be repeated.")
  private List<String> overrides = new ArrayList<>();

  @Option(
      names = "--profile",
      paramLabel = "FILE",
      description =
          "A latency table (CSV), as ./sluice profile leaves one, or a finished run's folder;"
              + " replaces the source that the experiment names.")
  private @Nullable Path profile;

  @Option(
      names = "--json",
      description = "Prints the bounds as JSON on standard output, and all else on standard error.")
  private boolean json;

  @Option(
      names = {"-q", "--quiet"},
      description = "Prints the closing table alone.")
  private boolean quiet;

  @Override
  public Integer call() throws UserMistakeException {
    Console console = Console.of(json, quiet ? Amount.QUIET : Amount.USUAL);
    return new BoundRun(config, overrides, profile, console).execute();
  }
}
