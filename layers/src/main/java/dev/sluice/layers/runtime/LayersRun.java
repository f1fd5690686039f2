package dev.sluice.layers.runtime;

import dev.sluice.contract.file.Sha256;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.network.Workloads;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.MemoryOf;
import dev.sluice.harness.process.Signals;
import dev.sluice.harness.terminal.Console;
import dev.sluice.harness.terminal.ModelBar;
import dev.sluice.layers.engine.LayerReadException;
import dev.sluice.layers.schedule.Layers;
import dev.sluice.layers.schedule.ScheduleWalk.StoppedAtLayerException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** {@code layers run}: inference by layers, from the options to the last lines. */
public final class LayersRun {
  private static final int DIGEST_BYTES = 8;

  private final RunOptions options;
  private final Console console;
  private volatile @Nullable Inference running;
  private volatile boolean stopped;

  public LayersRun(RunOptions options, Console console) {
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
    Sizes.checkModel("run", options.model(), Workloads.splittable());
    Layers layers = Sizes.ofInference(Workloads.network(options.model()));
    var plan = new Plan(options, layers);
    Path trace = options.trace();
    try (TraceFolder folder = trace == null ? null : TraceFolder.create(trace);
        Signals signals = Signals.listen(this::stop, () -> {})) {
      try {
        return run(plan, folder);
      } catch (StoppedAtLayerException e) {
        console.line("Stopped after the layer that was being computed.");
        return signals.exitStatus();
      } catch (LayerReadException | InferenceException e) {
        return Failure.tell(
            e, "the parameters' file is damaged or its disk fails; what was read ahead is freed");
      }
    }
  }

  private void stop() {
    stopped = true;
    Inference now = running;
    if (now != null) {
      now.stop();
    }
  }

  private int run(Plan plan, @Nullable TraceFolder folder)
      throws UserMistakeException, IOException, InferenceException {
    Opening.print(console, options, "inference", plan.layers(), plan.budgetBytes());
    try (var bar = new ModelBar(console);
        var inference = Inference.open(options, bar)) {
      running = inference;
      if (stopped) {
        inference.stop(); // while it was opened
      }
      inference.warmUp(plan.budgetBytes());
      if (options.schedule().isAuto()) {
        plan.choose(inference.timed(plan.budgetBytes()));
      }
      console.item("schedule", plan.text());
      var about =
          new LayersTrace.Run(
              Opening.title(options, plan.budgetBytes()),
              plan.layers().names(),
              plan.budgetBytes());
      try (var trace = new LayersTrace(about, folder)) {
        trace.begin(MachineClock.monotonicNs());
        Inference.Computed computed =
            inference.run(plan.schedule(), plan.budgetBytes(), options.steps(), trace);
        trace.write(options.steps());
        RunLines.print(
            console,
            plan.layers().names(),
            plan.budgetBytes(),
            options.steps(),
            computed.wallNs(),
            trace.figures(),
            new RunLines.ProcessMemory(inference.startedBytes(), MemoryOf.peakBytes()));
        console.item("logits", digest(computed.logits()) + " in every step");
      }
    } finally {
      running = null;
    }
    if (folder != null) {
      console.line("");
      console.line("Trace     " + folder.finish());
    }
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
