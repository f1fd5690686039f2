package dev.sluice.layers.runtime;

import dev.sluice.contract.file.ByteSize;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.UserMistakeException.Problem;
import dev.sluice.layers.schedule.AutoSchedule;
import dev.sluice.layers.schedule.LayerSchedule;
import dev.sluice.layers.schedule.Layers;
import dev.sluice.layers.schedule.ScheduleCheck;
import dev.sluice.layers.schedule.Schedules;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The schedule of a run: made, read from a file and checked, or chosen by measured times. */
final class Plan {
  private static final double NS_PER_SECOND = 1e9;

  private final AskedSchedule asked;
  private final Layers layers;
  private final long budgetBytes;
  private final int steps;
  private @Nullable LayerSchedule schedule;
  private String text;

  /**
   * Makes or reads the schedule, unless it is auto, which {@link #choose} makes.
   *
   * @throws UserMistakeException if no schedule fits the budget, or this one breaks a rule
   */
  Plan(RunOptions options, Layers layers) throws UserMistakeException {
    this.asked = options.schedule();
    this.layers = layers;
    this.steps = options.steps();
    this.text = asked.text();
    Long budget = options.budgetBytes();
    this.budgetBytes = budget == null ? layers.totalBytes() : budget;
    checkBudget(layers, budgetBytes);
    Path file = asked.file();
    if (file != null) {
      schedule = ScheduleFile.read(file).checked(options.model(), layers, budgetBytes);
    } else if (!asked.isAuto()) {
      schedule = made();
      check(schedule);
    }
  }

  /**
   * @throws UserMistakeException if the largest layer alone is over the budget
   */
  static void checkBudget(Layers layers, long budgetBytes) throws UserMistakeException {
    if (budgetBytes < layers.largestBytes()) {
      String largest = layers.names().get(layers.bytes().indexOf(layers.largestBytes()));
      throw new UserMistakeException(
          "--budget",
          "the largest layer (%s) needs %s%s, and the budget is %s"
              .formatted(
                  largest,
                  exact(layers.largestBytes()),
                  layers.training() ? " with its gradients and optimizer state" : "",
                  exact(budgetBytes)),
          "you want --budget %d at least; twice as much lets a layer be read while another computes"
              .formatted(layers.largestBytes()));
    }
  }

  private static String exact(long bytes) {
    return String.format(Locale.ROOT, "%s (%,d bytes)", ByteSize.text(bytes), bytes);
  }

  private LayerSchedule made() {
    return switch (asked.kind()) {
      case AskedSchedule.EAGER -> Schedules.eager(layers);
      case AskedSchedule.ON_DEMAND -> Schedules.onDemand(layers);
      default -> Schedules.prefetch(layers, asked.ahead());
    };
  }

  private void check(LayerSchedule made) throws UserMistakeException {
    List<Problem> problems =
        ScheduleCheck.faults(made, layers, budgetBytes).stream()
            .limit(1) // one cause: the list is right, and too large
            .map(
                fault ->
                    new Problem(
                        "--schedule " + asked.text(),
                        fault.what(),
                        "you want a larger --budget, --schedule on_demand or --schedule auto"))
            .toList();
    if (!problems.isEmpty()) {
      throw new UserMistakeException(problems);
    }
  }

  /** Chooses the schedule by measured times. */
  void choose(Layers.Times times) {
    AutoSchedule best = AutoSchedule.best(layers, times, budgetBytes, steps);
    schedule = best.schedule();
    text =
        String.format(
            Locale.ROOT,
            "auto, by three timed passes: %.3f s for %d %s; %s",
            best.wallNs() / NS_PER_SECOND,
            steps,
            steps == 1 ? "step" : "steps",
            best.exact()
                ? "no list takes less"
                : String.format(
                    Locale.ROOT,
                    "no list takes less than %.3f s",
                    best.lowerBoundNs() / NS_PER_SECOND));
  }

  Layers layers() {
    return layers;
  }

  long budgetBytes() {
    return budgetBytes;
  }

  /** The schedule in a few words. */
  String text() {
    return text;
  }

  /**
   * @throws IllegalStateException if it is auto, and was not chosen yet
   */
  LayerSchedule schedule() {
    LayerSchedule chosen = schedule;
    if (chosen == null) {
      throw new IllegalStateException("the schedule was not chosen yet");
    }
    return chosen;
  }
}
