package dev.sluice.layers.runtime;

import dev.sluice.contract.file.ByteSize;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.FolderHold;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.MemoryOf;
import dev.sluice.harness.process.Signals;
import dev.sluice.harness.process.TemporaryFolder;
import dev.sluice.layers.engine.LayerTrace;
import dev.sluice.layers.engine.ResidentLayers.LayerReadException;
import dev.sluice.layers.engine.Training;
import dev.sluice.layers.schedule.LayerSchedule;
import dev.sluice.layers.schedule.Layers;
import dev.sluice.layers.schedule.ScheduleWalk;
import dev.sluice.layers.schedule.ScheduleWalk.StoppedAtLayerException;
import dev.sluice.layers.schedule.Schedules;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.OptionalLong;

/** {@code layers train}: training by layers, from the options to the last lines. */
public final class LayersTrain {
  private static final int TIMED_STEPS = 3;
  private static final int WARM_UP_STEPS = 2;

  /** Steps after which a line tells the loss, where there is no terminal. */
  private static final int TOLD_STEPS = 10;

  /** Folder of the copy in which layers are timed, in that of the training. */
  private static final String TIMED = ".timed";

  private final LayersOptions options;
  private final LayersOptions.Training training;
  private final Console console;
  private volatile boolean stopped;

  public LayersTrain(LayersOptions options, LayersOptions.Training training, Console console) {
    this.options = options;
    this.training = training;
    this.console = console;
  }

  /**
   * Trains, and returns the exit status.
   *
   * @throws UserMistakeException if an option or a file is wrong, or a folder cannot be written
   * @throws IOException if the trace cannot be written
   */
  public int execute() throws UserMistakeException, IOException {
    Layers layers = RunPlan.ofTraining(options.model(), training.optimizer());
    var plan = new RunPlan(options, layers);
    try (FolderHold unused = FolderHold.take(training.out(), "--out");
        LayersTrace trace = plan.trace();
        Signals signals = Signals.listen(() -> stopped = true, () -> {})) {
      try {
        return train(plan, trace);
      } catch (StoppedAtLayerException e) {
        console.line(
            "Stopped after the layer that was being computed; --resume goes on from the last"
                + " durable step.");
        return signals.exitStatus();
      } catch (LayerReadException | InferenceException e) {
        return LayersRun.failed(
            e, "a file is damaged or its disk fails; --resume goes on from the last durable step");
      }
    }
  }

  private int train(RunPlan plan, LayersTrace trace)
      throws UserMistakeException, IOException, InferenceException {
    plan.print(console, "training");
    console.item(
        "training",
        "%s, seed %d, in %s".formatted(training.optimizer(), training.seed(), training.out()));
    ModelCache cache = ModelCache.ofUser();
    Engines engines = Engines.prepare(1, cache);
    engines.start("pytorch");
    OptionalLong startedBytes = MemoryOf.residentBytesAndForgetPeak();
    try (Training state = opened(training.out(), training.resume(), plan, cache, engines, trace)) {
      int before = state.stepsDone();
      int steps = Math.max(0, options.steps() - before);
      if (training.resume()) {
        console.item("resumed", "after step %d".formatted(before));
      }
      if (options.schedule().isAuto()) {
        plan.choose(timed(plan, cache, engines));
      }
      console.item("schedule", plan.text());
      trace.begin(MachineClock.monotonicNs());
      long startNs = MachineClock.monotonicNs();
      steps(state, plan, steps);
      state.commit();
      long wallNs = MachineClock.monotonicNs() - startNs;
      trace.write(steps);
      trace.figures().print(console, plan, steps, wallNs, startedBytes);
      console.item(
          "inputs kept",
          ByteSize.text(state.keptInputBytesMax()) + " for backward, outside the budget");
    }
    console.line("");
    console.line("Parameters " + training.out());
    Path left = trace.finish();
    if (left != null) {
      console.line("Trace      " + left);
    }
    return ExitStatus.DONE;
  }

  private Training opened(
      Path out, boolean resume, RunPlan plan, ModelCache cache, Engines engines, LayerTrace trace)
      throws UserMistakeException, IOException, InferenceException {
    var settings =
        new Training.Settings(
            options.model(),
            training.optimizer(),
            training.seed(),
            options.samples(),
            training.commitEvery(),
            options.checkFinite());
    return Training.open(
        settings,
        out,
        resume,
        plan.budgetBytes(),
        cache,
        engines,
        source -> Inference.paced(source, options.bandwidth()),
        MachineClock::monotonicNs,
        trace);
  }

  private ScheduleWalk walk(LayerSchedule schedule, RunPlan plan, Training state) {
    return new ScheduleWalk(schedule, plan.layers().names(), state, () -> stopped);
  }

  private void steps(Training state, RunPlan plan, int steps)
      throws UserMistakeException, InferenceException {
    var hooks = walk(plan.schedule(), plan, state);
    for (int step = 1; step <= steps; step++) {
      float loss = state.step(hooks);
      String text =
          String.format(
              Locale.ROOT, "step %d of %d, loss %.6f", state.stepsDone(), options.steps(), loss);
      if (console.isTerminal()) {
        console.live("  " + text);
      } else if (step == 1 || step == steps || state.stepsDone() % TOLD_STEPS == 0) {
        console.item("loss", text);
      }
    }
    console.endLiveLine();
  }

  /** Times each layer in three steps of a copy of the training, which is thrown away. */
  private Layers.Times timed(RunPlan plan, ModelCache cache, Engines engines)
      throws UserMistakeException, IOException, InferenceException {
    Path copy = training.out().resolve(TIMED);
    TemporaryFolder.remove(copy); // of a process that was killed meanwhile
    try {
      var times = new MeasuredTimes(plan.layers().count());
      LayerTrace afterWarmUp =
          row -> {
            if (row.step() > WARM_UP_STEPS) {
              times.add(row);
            }
          };
      try (Training state = opened(copy, false, plan, cache, engines, afterWarmUp)) {
        var hooks = walk(Schedules.onDemand(plan.layers()), plan, state);
        for (int step = 0; step < WARM_UP_STEPS + TIMED_STEPS; step++) {
          state.step(hooks);
        }
      }
      return times.medians();
    } finally {
      TemporaryFolder.remove(copy);
    }
  }
}
