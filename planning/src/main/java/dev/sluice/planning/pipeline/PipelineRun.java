package dev.sluice.planning.pipeline;

import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.network.Network;
import dev.sluice.executor.network.Workloads;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.Launch;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.harness.process.Signals;
import dev.sluice.harness.process.StoppedException;
import dev.sluice.harness.process.TemporaryFolder;
import dev.sluice.planning.pipeline.WholeLogits.MicroBatches;
import dev.sluice.planning.split.Plan;
import dev.sluice.planning.split.Plan.Stage;
import dev.sluice.planning.split.PlanProblem;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A plan that runs here: {@code plan --execute}. The whole model computes the micro-batches first;
 * then the stages compute them one behind the other, all at once, and each logit is compared.
 */
public final class PipelineRun {
  private static final double SECONDS_MAX = 86_400;

  /** Most samples whose tensors are below 2 GiB. */
  private static final int SAMPLES_MAX = 256;

  /** Networks by the names that the seed's files have for them. */
  private static final Map<String, String> NETWORKS =
      Map.of(
          "google/vit-base-patch16-224", "vit",
          "google/vit-large-patch16-224", "vit_large");

  private final Options options;
  private final Console console;
  private volatile boolean stopped;

  /** Returns the network that a model's name in the files stands for. */
  public static String network(String model) {
    return NETWORKS.getOrDefault(model, model);
  }

  /**
   * Options of a run.
   *
   * @param model name of the model, as models.yml has it
   * @param batchSize samples of a micro-batch
   * @param problem what was planned for; its buffers and bandwidths count here too
   * @param plan a plan for the problem
   * @param seconds time for which micro-batches begin
   */
  public record Options(
      String model, String dtype, int batchSize, PlanProblem problem, Plan plan, double seconds) {
    Stage stage(int index) {
      return plan.stages().get(index).stage();
    }

    int stages() {
      return plan.stages().size();
    }

    String host(int index) {
      return problem.hostOf(stage(index));
    }

    /** Bandwidth of the link behind a stage; infinite behind the last. */
    double bitsPerSecond(int index) {
      return index == stages() - 1
          ? Double.POSITIVE_INFINITY
          : Math.min(
              problem.types().get(stage(index).type()).bitsPerSecond(),
              problem.types().get(stage(index + 1).type()).bitsPerSecond());
    }
  }

  public PipelineRun(Options options, Console console) {
    this.options = options;
    this.console = console;
  }

  /**
   * Runs the plan and returns the exit status: 1 if a stage died or logits differ, which is said.
   *
   * @throws UserMistakeException if the plan cannot run here; nothing has run then
   */
  public int execute() throws UserMistakeException, IOException, InterruptedException {
    String name = network(options.model());
    check(name);
    int cores = Runtime.getRuntime().availableProcessors();
    var report = new PipelineReport(options, cores, console::item);
    report.before();
    Path temporary = Files.createTempDirectory("sluice-plan");
    try (var signals =
        Signals.listen(() -> stopped = true, () -> TemporaryFolder.remove(temporary))) {
      try {
        List<ByteBuffer> logits = wholeLogits(name, temporary);
        try (var stages = new Stages(options, name, temporary, console, () -> stopped)) {
          Stages.Run run = stages.run(logits);
          report.after(run);
          return run.unequal() == 0 ? ExitStatus.DONE : ExitStatus.BUG;
        }
      } catch (RoleFailedException e) {
        console.line("sluice: error: " + e.getMessage() + ".");
        console.line("  Maybe memory is short: the stages share this machine's.");
        return ExitStatus.BUG;
      } catch (StoppedException e) {
        console.line("Stopped before the plan had run.");
        return signals.exitStatus();
      }
    } finally {
      TemporaryFolder.remove(temporary);
    }
  }

  private void check(String name) throws UserMistakeException {
    UserMistakeException.throwIf(
        !Workloads.splittable().contains(name),
        "--execute",
        "the model (" + options.model() + ") has no layers that run here",
        NearestName.advice(options.model(), Workloads.splittable(), "models"));
    UserMistakeException.throwIf(
        !options.dtype().equals(PlanFiles.DTYPE),
        "--execute",
        "layers of (" + options.dtype() + ") do not run here",
        "you want " + PlanFiles.DTYPE);
    UserMistakeException.throwIf(
        !(options.seconds() > 0 && options.seconds() <= SECONDS_MAX),
        "--seconds",
        "the value (%s) must be above 0 and at most %.0f".formatted(options.seconds(), SECONDS_MAX),
        "--seconds 30 will do");
    Network network = Workloads.network(name);
    UserMistakeException.throwIf(
        options.batchSize() > SAMPLES_MAX,
        "--execute",
        "micro-batches of (%d) samples do not run here".formatted(options.batchSize()),
        "you want a batch size of at most " + SAMPLES_MAX);
    if (options.problem().layers() != network.layers()) {
      throw otherLayers(
          name,
          "(%d) layers".formatted(options.problem().layers()),
          Integer.toString(network.layers()));
    }
    for (int i = 0; i < options.stages() - 1; i++) {
      int cut = options.stage(i).lastLayer();
      long planned = options.problem().cutBytes().get(cut);
      long real = (long) Float.BYTES * options.batchSize() * network.elementsBehind(cut);
      if (planned != real) {
        throw otherLayers(
            name, "(%d) bytes behind layer %d".formatted(planned, cut), Long.toString(real));
      }
    }
  }

  private UserMistakeException otherLayers(String name, String planned, String real) {
    return new UserMistakeException(
        "--execute",
        "the models file gives %s %s, and the network %s here has (%s)"
            .formatted(options.model(), planned, name, real),
        "./sluice profile --layers " + name + " writes the file anew");
  }

  private List<ByteBuffer> wholeLogits(String name, Path temporary)
      throws RoleFailedException, StoppedException, IOException, InterruptedException {
    long beganNs = MachineClock.monotonicNs();
    Path file = temporary.resolve("logits");
    Path log = temporary.resolve("whole.log");
    Process child =
        Launch.of(
                ChildJvm.of(
                    LayerProbe.jvmOptions(temporary),
                    WholeLogits.class.getName(),
                    List.of(name, Integer.toString(options.batchSize()), file.toString())))
            .errorsToOutput()
            .output(Redirect.to(log.toFile()))
            .start();
    try {
      int status = child.waitFor();
      if (stopped) {
        throw new StoppedException();
      }
      if (status != 0) {
        throw new RoleFailedException(
            "the whole model could not compute (%s): %s"
                .formatted(Stages.words(status), LayerProbe.lastLine(log)),
            null);
      }
    } finally {
      child.destroyForcibly().waitFor();
    }
    console.item(
        "whole model",
        String.format(
            Locale.ROOT,
            "%d micro-batches computed, to compare with, in %.1f s",
            MicroBatches.DIFFERENT,
            (MachineClock.monotonicNs() - beganNs) / 1e9));
    ByteBuffer all = ByteBuffer.wrap(Files.readAllBytes(file));
    int bytes = all.capacity() / MicroBatches.DIFFERENT;
    List<ByteBuffer> logits = new ArrayList<>();
    for (int i = 0; i < MicroBatches.DIFFERENT; i++) {
      logits.add(all.slice(i * bytes, bytes));
    }
    return logits;
  }
}
