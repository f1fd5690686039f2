package dev.sluice.layers.runtime;

import dev.sluice.contract.file.Sha256;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.network.Workloads;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.machine.ModelBar;
import dev.sluice.harness.process.Signals;
import dev.sluice.layers.engine.ResidentLayers.LayerReadException;
import dev.sluice.layers.schedule.Layers;
import dev.sluice.layers.schedule.ScheduleWalk.StoppedAtLayerException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;

/** {@code layers run} and {@code layers plan}: inference by layers, and its schedule as a file. */
public final class LayersRun {
  private static final int DIGEST_BYTES = 8;

  private final LayersOptions options;
  private final Console console;
  private volatile boolean stopped;

  public LayersRun(LayersOptions options, Console console) {
    this.options = options;
    this.console = console;
  }

  /**
   * Runs, and returns the exit status.
   *
   * @throws UserMistakeException if an option or a file is wrong
   * @throws IOException if the trace cannot be written
   */
  public int execute() throws UserMistakeException, IOException {
    RunPlan.checkModel("run", options.model(), Workloads.splittable());
    Layers layers = RunPlan.ofInference(Workloads.network(options.model()));
    var plan = new RunPlan(options, layers);
    try (LayersTrace trace = plan.trace();
        Signals signals = Signals.listen(() -> stopped = true, () -> {})) {
      try {
        return run(plan, trace);
      } catch (StoppedAtLayerException e) {
        console.line("Stopped after the layer that was being computed.");
        return signals.exitStatus();
      } catch (LayerReadException | InferenceException e) {
        return failed(
            e, "the parameters' file is damaged or its disk fails; what was read ahead is freed");
      }
    }
  }

  /** Tells of a run that failed although nobody made a mistake, and returns the exit status. */
  static int failed(Exception failure, String maybe) {
    System.err.println("sluice: error: " + failure.getMessage() + ".");
    System.err.println("  Maybe " + maybe + ".");
    return ExitStatus.BUG;
  }

  private int run(RunPlan plan, LayersTrace trace)
      throws UserMistakeException, IOException, InferenceException {
    plan.print(console, "inference");
    try (var bar = new ModelBar(console);
        var inference = Inference.open(options, bar, () -> stopped)) {
      inference.warmUp(plan.budgetBytes());
      if (options.schedule().isAuto()) {
        plan.choose(inference.timed(plan.budgetBytes()));
      }
      console.item("schedule", plan.text());
      trace.begin(MachineClock.monotonicNs());
      Inference.Computed computed =
          inference.run(plan.schedule(), plan.budgetBytes(), options.steps(), trace);
      trace.write(options.steps());
      trace
          .figures()
          .print(console, plan, options.steps(), computed.wallNs(), inference.startedBytes());
      console.item("logits", digest(computed.logits()) + " in every step");
    }
    Path left = trace.finish();
    if (left != null) {
      console.line("");
      console.line("Trace     " + left);
    }
    return ExitStatus.DONE;
  }

  /**
   * Prints the schedule, chosen by measured times where it is auto, and returns the exit status.
   *
   * @param out takes the YAML file, and nothing else; the console takes all else
   * @throws UserMistakeException if an option is wrong, or no schedule fits
   */
  public int plan(PrintStream out) throws UserMistakeException, IOException {
    RunPlan.checkModel("plan", options.model(), Workloads.splittable());
    Layers layers = RunPlan.ofInference(Workloads.network(options.model()));
    var plan = new RunPlan(options, layers);
    plan.print(console, "plan");
    if (options.schedule().isAuto()) {
      try (var bar = new ModelBar(console);
          var inference = Inference.open(options, bar, () -> false)) {
        inference.warmUp(plan.budgetBytes());
        plan.choose(inference.timed(plan.budgetBytes()));
      } catch (LayerReadException | InferenceException e) {
        return failed(e, "the parameters' file is damaged or its disk fails");
      }
    }
    console.item("schedule", plan.text());
    out.print(ScheduleFile.text(options.model(), layers.names(), plan.schedule()));
    out.flush();
    return ExitStatus.DONE;
  }

  private static String digest(float[] logits) {
    ByteBuffer bytes = ByteBuffer.allocate(logits.length * Float.BYTES);
    bytes.asFloatBuffer().put(logits);
    MessageDigest digest = Sha256.begin();
    digest.update(bytes);
    return "SHA-256 " + HexFormat.of().formatHex(digest.digest(), 0, DIGEST_BYTES);
  }
}
