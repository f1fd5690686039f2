package dev.sluice.layers.runtime;

import dev.sluice.contract.file.ByteSize;
import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.network.Network;
import dev.sluice.executor.network.Precision;
import dev.sluice.executor.network.Workloads;
import dev.sluice.harness.frame.SluiceVersion;
import dev.sluice.harness.machine.Console;
import dev.sluice.layers.engine.Training;
import dev.sluice.layers.runtime.LayersOptions.AskedSchedule;
import dev.sluice.layers.schedule.AutoSchedule;
import dev.sluice.layers.schedule.LayerSchedule;
import dev.sluice.layers.schedule.Layers;
import dev.sluice.layers.schedule.ScheduleCheck;
import dev.sluice.layers.schedule.ScheduleCheck.Fault;
import dev.sluice.layers.schedule.Schedules;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The schedule of a run: made, read from a file and checked, or chosen by measured times. */
public final class RunPlan {
  private static final double NS_PER_SECOND = 1e9;

  /** Environment in which the C library gives freed memory back at once. */
  private static final String THRESHOLD = "MALLOC_MMAP_THRESHOLD_";

  private final LayersOptions options;
  private final Layers layers;
  private final long budgetBytes;
  private @Nullable LayerSchedule schedule;
  private String text;

  /**
   * Makes or reads the schedule, unless it is auto, which {@link #choose} makes.
   *
   * @throws UserMistakeException if no schedule fits the budget, or this one breaks a rule
   */
  public RunPlan(LayersOptions options, Layers layers) throws UserMistakeException {
    this.options = options;
    this.layers = layers;
    AskedSchedule asked = options.schedule();
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

  static void checkModel(String command, String model, List<String> known)
      throws UserMistakeException {
    UserMistakeException.throwIf(
        !known.contains(model),
        "layers " + command,
        "model (" + model + ") is unknown",
        NearestName.advice(model, known, "models"));
  }

  /** The layers of a network, with the bytes that each takes of a budget. */
  public static Layers ofInference(Network network) {
    List<Network.Block> blocks = network.blocks();
    return new Layers(
        blocks.stream().map(Network.Block::name).toList(),
        blocks.stream().map(block -> block.part().weightBytes(Precision.FP32)).toList(),
        false);
  }

  /**
   * The layers with their gradients and optimizer state.
   *
   * @throws UserMistakeException if the model is not one that can be trained, or there is no such
   *     optimizer
   */
  public static Layers ofTraining(String model, String optimizer) throws UserMistakeException {
    checkModel("train", model, Workloads.trainable());
    UserMistakeException.throwIf(
        !Training.optimizers().contains(optimizer),
        "--optimizer",
        "the optimizer (" + optimizer + ") is unknown",
        NearestName.advice(optimizer, Training.optimizers(), "optimizers"));
    return Training.layers(model, optimizer);
  }

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
    return switch (options.schedule().kind()) {
      case AskedSchedule.EAGER -> Schedules.eager(layers);
      case AskedSchedule.ON_DEMAND -> Schedules.onDemand(layers);
      default -> Schedules.prefetch(layers, options.schedule().ahead());
    };
  }

  private void check(LayerSchedule made) throws UserMistakeException {
    List<Fault> faults = ScheduleCheck.faults(made, layers, budgetBytes);
    if (!faults.isEmpty()) {
      throw new UserMistakeException(
          "--schedule " + options.schedule().text(),
          faults.get(0).what(), // one cause: the list is right, and too large
          "you want a larger --budget, --schedule on_demand or --schedule auto");
    }
  }

  /** Chooses the schedule by measured times. */
  public void choose(Layers.Times times) {
    int steps = options.steps();
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

  String text() {
    return text;
  }

  /**
   * Returns the schedule; throws an IllegalStateException if it is auto, and was not chosen yet.
   */
  public LayerSchedule schedule() {
    LayerSchedule chosen = schedule;
    if (chosen == null) {
      throw new IllegalStateException("the schedule was not chosen yet");
    }
    return chosen;
  }

  /** Prints the first lines of a run: what runs, and what is emulated. */
  void print(Console console, String what) {
    Long bandwidth = options.bandwidth();
    console.line(
        "Sluice %s, %s of %s by layers%s"
            .formatted(
                SluiceVersion.current(),
                what,
                options.model(),
                bandwidth == null
                    ? ""
                    : ", on an EMULATED disk: reading is paced to "
                        + ByteSize.text(bandwidth)
                        + "/s"));
    console.item(
        "layers",
        "%d, %s together, the largest %s; budget %s; batch %d"
            .formatted(
                layers.count(),
                ByteSize.text(layers.totalBytes()),
                ByteSize.text(layers.largestBytes()),
                ByteSize.text(budgetBytes),
                options.samples()));
    if (System.getenv(THRESHOLD) == null) {
      console.item(
          "memory",
          "the C library may keep what layers free: "
              + THRESHOLD
              + " is not set, as ./sluice does");
    }
  }

  /** Collects the run's operations, in files of the folder that the options name, if they do. */
  LayersTrace trace() throws UserMistakeException, IOException {
    Long bandwidth = options.bandwidth();
    String title =
        "%s · %s · budget %s · batch %d%s"
            .formatted(
                options.model(),
                options.schedule().text(),
                ByteSize.text(budgetBytes),
                options.samples(),
                bandwidth == null ? "" : " · emulated " + ByteSize.text(bandwidth) + "/s");
    return new LayersTrace(title, layers.names(), budgetBytes, options.trace());
  }
}
