package dev.sluice.sweep.grid;

import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.CommandLine;
import dev.sluice.harness.process.Launch;
import dev.sluice.sweep.queue.Attempt;
import dev.sluice.sweep.queue.Work;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Hands simulated cells over to a {@link CellWorker}, which outlives this process for as long as
 * its cells take. Called by the queue's one thread.
 */
final class WorkerKeeper implements Work.Keeper, AutoCloseable {
  private final List<String> arguments;
  private final Map<String, String> variables;
  private final Path output;
  private @Nullable Process worker;

  /**
   * @param arguments those of {@link CellWorker#main}
   * @param variables what the worker's environment has beside that of this process
   * @param output file of what the worker prints
   */
  WorkerKeeper(List<String> arguments, Map<String, String> variables, Path output) {
    this.arguments = List.copyOf(arguments);
    this.variables = Map.copyOf(variables);
    this.output = output;
  }

  @Override
  public Process keep(Attempt attempt, Work.Plan plan, String stamp) throws IOException {
    Process present = worker;
    if (present == null || !present.isAlive()) {
      present = start();
      worker = present;
    }
    List<String> command = plan.command();
    var order =
        new CellOrder(
            attempt.prefix(),
            plan.log().toString(),
            stamp,
            command.get(0),
            command.subList(1, command.size()));
    OutputStream orders = present.getOutputStream();
    orders.write(order.line().getBytes(StandardCharsets.UTF_8));
    orders.flush();
    return present;
  }

  private Process start() throws IOException {
    return Launch.of(
            ChildJvm.likeThis(CommandLine.options(), CellWorker.class.getName(), arguments))
        .ownSession()
        .environment(variables)
        .without(List.of("SLUICE_SWEEP_ATTEMPT"))
        .output(Redirect.appendTo(output.toFile()))
        .errorsToOutput()
        .start();
  }

  /** Lets the worker end with the cells that it has. */
  @Override
  public void close() throws IOException {
    if (worker != null) {
      worker.getOutputStream().close();
    }
  }
}
