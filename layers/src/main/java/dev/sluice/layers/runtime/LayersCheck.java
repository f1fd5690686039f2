package dev.sluice.layers.runtime;

import dev.sluice.contract.file.ByteSize;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.network.Workloads;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.layers.schedule.LayerSchedule;
import dev.sluice.layers.schedule.Layers;
import java.io.PrintStream;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** {@code layers check}: a schedule's file against the rules and a budget; runs nothing. */
public final class LayersCheck {
  private final Path file;
  private final @Nullable Long budget;
  private final String optimizer;
  private final PrintStream out;

  /**
   * @param budget bytes that layers may take; null: as many as the model has
   * @param optimizer optimizer whose state counts, if the schedule is one of training
   */
  public LayersCheck(Path file, @Nullable Long budget, String optimizer, PrintStream out) {
    this.file = file;
    this.budget = budget;
    this.optimizer = optimizer;
    this.out = out;
  }

  /**
   * Checks, says what was checked, and returns the exit status.
   *
   * @throws UserMistakeException with each fault
   */
  public int execute() throws UserMistakeException {
    ScheduleFile schedule = ScheduleFile.read(file);
    boolean training = schedule.isOfTraining();
    Layers layers =
        training
            ? Sizes.ofTraining(schedule.model(), optimizer)
            : Sizes.ofInference(Workloads.network(schedule.model()));
    long budgetBytes = budget == null ? layers.totalBytes() : budget;
    Plan.checkBudget(layers, budgetBytes);
    LayerSchedule checked = schedule.checked(schedule.model(), layers, budgetBytes);
    out.println(
        "%s is a legal schedule of %s (%s) within %s: %d operations first, %d in each step."
            .formatted(
                file,
                schedule.model(),
                training ? "training with " + optimizer : "inference",
                ByteSize.text(budgetBytes),
                checked.first().size(),
                checked.step().size()));
    return ExitStatus.DONE;
  }
}
