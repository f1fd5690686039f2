package dev.sluice.layers.runtime;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.network.Workloads;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.terminal.Console;
import dev.sluice.harness.terminal.ModelBar;
import dev.sluice.layers.engine.LayerReadException;
import dev.sluice.layers.schedule.Layers;
import java.io.IOException;
import java.io.PrintStream;

/** {@code layers plan}: a schedule as a file, by measured times where it is auto. */
public final class LayersPlan {
  private final RunOptions options;
  private final PrintStream out;
  private final Console console;

  /**
   * @param out takes the YAML file, and nothing else
   * @param console takes all else
   */
  public LayersPlan(RunOptions options, PrintStream out, Console console) {
    this.options = options;
    this.out = out;
    this.console = console;
  }

  /**
   * Plans, prints, and returns the exit status.
   *
   * @throws UserMistakeException if an option is wrong, or no schedule fits
   */
  public int execute() throws UserMistakeException, IOException {
    Sizes.checkModel("plan", options.model(), Workloads.splittable());
    Layers layers = Sizes.ofInference(Workloads.network(options.model()));
    var plan = new Plan(options, layers);
    Opening.print(console, options, "plan", layers, plan.budgetBytes());
    if (options.schedule().isAuto()) {
      try (var bar = new ModelBar(console);
          var inference = Inference.open(options, bar)) {
        inference.warmUp(plan.budgetBytes());
        plan.choose(inference.timed(plan.budgetBytes()));
      } catch (LayerReadException | InferenceException e) {
        return Failure.tell(e, "the parameters' file is damaged or its disk fails");
      }
    }
    console.item("schedule", plan.text());
    out.print(ScheduleFile.text(options.model(), layers.names(), plan.schedule()));
    out.flush();
    return ExitStatus.DONE;
  }
}
