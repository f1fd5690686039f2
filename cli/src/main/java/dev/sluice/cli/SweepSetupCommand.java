package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.terminal.Console;
import dev.sluice.sweep.workspace.WorkspaceSetup;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./sluice sweep setup}. */
@Command(
    name = "setup",
    mixinStandardHelpOptions = true,
    description = {
      "Makes a folder a workspace: scheduler.sh, scheduler_config.yml with every key, configs/ and"
          + " out/.",
      "With --force, takes over what is there: the old wrapper becomes scheduler.sh.bak, the old"
          + " config's values stay, missing keys are added."
    },
    footer = {"", "Example:", "  ./sluice sweep setup vision"})
final class SweepSetupCommand implements Callable<Integer> {
  @Parameters(paramLabel = "DIR", description = "The workspace, which need not exist.")
  private Path folder = Path.of("");

  @Option(names = "--force", description = "Takes over a workspace that is there.")
  private boolean force;

  @Override
  public Integer call() throws UserMistakeException {
    Path launcher = Path.of(System.getProperty("sluice.home", ".")).resolve("sluice");
    new WorkspaceSetup(folder, launcher, Console.standardOutput()).execute(force);
    return ExitStatus.DONE;
  }
}
