package dev.sluice.harness.profile;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.model.InputBuffer;
import dev.sluice.executor.model.JobInput;
import dev.sluice.executor.model.LoadedModels;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.model.ModelProgress;
import dev.sluice.harness.frame.Registries;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;

/**
 * The main of a child process that measures the memory of one model: starts its engine, notes the
 * memory that the process holds, loads the model, runs batches of rising size, and prints how far
 * the peak after each lies above the note, as one line of JSON ({@link Peaks}). Each model has a
 * process of its own, because an engine keeps the memory that a larger batch has needed.
 */
public final class MemoryProbe {
  private static final Path STATUS = Path.of("/proc/self/status");

  /** File of the kernel that resets the peak when 5 is written to it. */
  private static final Path CLEAR = Path.of("/proc/self/clear_refs");

  /** Number of runs of each batch: TorchScript compiles at the first and at the second. */
  private static final int RUNS = 2;

  /** Size of the heap in MB. */
  static final int HEAP_MB = 192;

  /** Line that the child prints: a peak for each batch, by rising samples. */
  record Peaks(List<Peak> peaks) {
    static final Peaks NONE = new Peaks(List.of());

    Peaks {
      peaks = List.copyOf(peaks);
    }
  }

  /**
   * The peak after a batch.
   *
   * @param bytes memory above what the process held before the model was loaded
   */
  record Peak(int samples, long bytes) {}

  private MemoryProbe() {}

  /** Tells whether the kernel reports a process's peak here. */
  public static boolean isPossible() {
    return Files.isReadable(STATUS) && Files.isWritable(CLEAR);
  }

  /**
   * Arguments: experiment file, workload, backend, precision, samples joined by commas, ascending;
   * then overrides of the experiment. Standard output holds the line of JSON and nothing else.
   */
  public static void main(String[] arguments)
      throws UserMistakeException, IOException, InferenceException {
    PrintStream result = System.out;
    System.setOut(System.err); // an engine's output is no part of the result
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
      int elements = models.info(model).elementsPerSample();
      try (var session = models.openSession(model, 0, new InputBuffer())) {
        Files.writeString(CLEAR, "5");
        List<Peak> peaks = new ArrayList<>();
        for (int count : samples) {
          for (int run = 0; run < RUNS; run++) {
            session.infer(List.of(JobInput.make(1, "memory", count, elements)));
          }
          peaks.add(new Peak(count, Math.max(0, bytes("VmHWM") - beforeBytes)));
        }
        result.println(new ObjectMapper().writeValueAsString(new Peaks(peaks)));
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
