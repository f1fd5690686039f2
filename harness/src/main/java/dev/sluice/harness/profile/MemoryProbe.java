package dev.sluice.harness.profile;

import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.model.InputBuffer;
import dev.sluice.executor.model.JobInputs;
import dev.sluice.executor.model.LoadedModels;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.model.ModelProgress;
import dev.sluice.harness.frame.Registries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;

/**
 * The main of a child process that finds how much memory one model takes: starts its engine, notes
 * what the process holds, loads the model, runs batches of rising size, and prints after each how
 * far the peak lies above the note. A process for each model, since an engine keeps for itself what
 * a larger batch has needed.
 */
public final class MemoryProbe {
  private static final Path STATUS = Path.of("/proc/self/status");

  /** Writing 5 to it lets the peak begin anew. */
  private static final Path CLEAR = Path.of("/proc/self/clear_refs");

  /** TorchScript compiles at the first and at the second. */
  private static final int RUNS = 2;

  /** Its Java heap is touched whole at the start, so that it adds nothing later. */
  static final List<String> JVM_OPTIONS =
      List.of(
          "-XX:+UseSerialGC",
          "-Xms192m",
          "-Xmx192m",
          "-XX:+AlwaysPreTouch",
          "-XX:TieredStopAtLevel=1",
          "--enable-native-access=ALL-UNNAMED",
          "-Djava.awt.headless=true");

  private MemoryProbe() {}

  /** Whether the kernel tells of peaks here. */
  public static boolean isPossible() {
    return Files.isReadable(STATUS) && Files.isWritable(CLEAR);
  }

  /**
   * Arguments: experiment file, workload, backend, precision, samples joined by commas, ascending;
   * then overrides of the experiment. Prints a line {@code peak SAMPLES BYTES} for each.
   */
  public static void main(String[] arguments)
      throws UserMistakeException, IOException, InferenceException {
    ParsedExperiment parsed =
        ExperimentFile.read(
            Path.of(arguments[0]),
            Arrays.asList(arguments).subList(5, arguments.length),
            Registries.vocabulary());
    var model = new ModelKey(arguments[1], arguments[2], arguments[3]);
    int[] samples =
        Arrays.stream(arguments[4].split(",", -1)).mapToInt(Integer::parseInt).toArray();
    Path cache =
        ModelCache.defaultFolder(System.getenv(), Path.of(System.getProperty("user.home")));
    try (LaneSource lanes = LaneSource.of(parsed)) {
      lanes.startEngine(model.backend(), cache);
      long beforeBytes = bytes("VmRSS");
      LoadedModels models = lanes.load(model, cache, ModelProgress.none());
      int elements =
          models.info(model.workload(), model.backend(), model.precision()).elementsPerSample();
      try (var session =
          models.openSession(
              model.workload(), model.backend(), model.precision(), 0, new InputBuffer())) {
        Files.writeString(CLEAR, "5");
        for (int count : samples) {
          for (int run = 0; run < RUNS; run++) {
            session.infer(List.of(JobInputs.make(1, "memory", count, elements)));
          }
          System.out.println("peak " + count + " " + Math.max(0, bytes("VmHWM") - beforeBytes));
        }
      }
    }
  }

  private static long bytes(String field) throws IOException {
    try (var lines = Files.lines(STATUS)) {
      OptionalLong kib =
          lines
              .filter(line -> line.startsWith(field + ":"))
              .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
              .findFirst();
      return kib.orElseThrow() << 10;
    }
  }
}
