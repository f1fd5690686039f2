package dev.sluice.cli;

import dev.sluice.harness.terminal.Console;
import dev.sluice.sweep.workspace.StartRun;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./sluice sweep start}. */
@Command(
    name = "start",
    mixinStandardHelpOptions = true,
    description = "Queues configs, and starts the scheduler in the background.",
    footer = {"", "Example:", "  ./sluice sweep start --wait"})
final class SweepStartCommand implements Callable<Integer> {
  @Mixin private WorkspaceOptions where = new WorkspaceOptions();

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "CONFIG_LIST",
      description = "Configs with commas between (default: all that match config_pattern).")
  private @Nullable String configs;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "GPU_LIST",
      description = "The GPU of each config (default: the one with the fewest tasks).")
  private @Nullable String gpus;

  @Option(names = "--wait", description = "Returns when all tasks have ended.")
  private boolean wait;

  @Option(names = "--foreground", description = "Runs the scheduler in this process.")
  private boolean foreground;

  @Override
  public Integer call() throws Exception {
    var workspace = where.open();
    StartRun.Mode mode =
        foreground
            ? StartRun.Mode.FOREGROUND
            : wait ? StartRun.Mode.WAIT : StartRun.Mode.BACKGROUND;
    return new StartRun(workspace, mode, Console.standardOutput()).start(configs, gpus);
  }
}
