package dev.sluice.harness.profile;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.model.InputBuffer;
import dev.sluice.executor.model.JobInput;
import dev.sluice.executor.model.LoadedModels;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.model.ModelProgress;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.frame.RunFrame;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.Launch;
import dev.sluice.harness.process.MemoryOf;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Measurement of each model's memory, each in a child process ({@link Probe}), because an engine
 * keeps the memory that a larger batch has needed.
 */
record MemoryMeasurement(
    RunFrame frame,
    ExecutorSettings settings,
    ProfileRun.Options options,
    BooleanSupplier stopped) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final double MIB = 1 << 20;
  private static final int PROBE_HEAP_MB = 192;

  /** Writes the table of all models, or prints why it is not measured. */
  void measure(LaneSource lanes) throws InterruptedException, IOException {
    if (stopped.getAsBoolean()) {
      return;
    }
    Console console = frame.console();
    Path file = options.results().resolve("memory.csv");
    String reason = reasonAgainst(lanes, file);
    if (reason != null) {
      console.item("memory", reason);
      return;
    }
    long startedNs = frame.clock().monotonicNs();
    List<Row> rows = new ArrayList<>();
    for (ModelKey model : settings.models()) {
      if (stopped.getAsBoolean()) {
        return;
      }
      console.progress("memory", model.toString());
      rows.addAll(rows(model));
    }
    console.clearLiveLine();
    var table = new Table(rows);
    table.write(file);
    console.item(
        "memory",
        String.format(
            Locale.ROOT,
            "each model in a process of its own, %s; 1 token is %.2f MiB",
            frame.secondsSince(startedNs),
            table.mibPerToken()));
    table.lines().forEach(line -> console.item("", line));
  }

  private @Nullable String reasonAgainst(LaneSource lanes, Path file) throws IOException {
    if (frame.experiment().lanes().emulated()) {
      return "not measured: emulated lanes hold no model";
    }
    if (frame.experiment().jobs().workloads().stream().anyMatch(w -> w.memoryBudget() != null)) {
      return "not measured: a workload has a memory_budget, and a probe loads whole models";
    }
    if (!MemoryOf.canForgetPeak()) {
      return "not measured: this system does not tell a process's peak";
    }
    if (lanes.devices().stream().anyMatch(devices -> !devices.kind().equals("cpu"))) {
      return "not measured: the models are not in the memory of the processor";
    }
    if (Files.exists(file) && Table.holds(file, settings.models())) {
      return "measured already: " + file;
    }
    return null;
  }

  /** Measures one model in a child process. */
  private List<Row> rows(ModelKey model) throws IOException, InterruptedException {
    List<Integer> samples = settings.warmUpSamples();
    List<String> arguments =
        new ArrayList<>(
            List.of(
                options.config().toString(),
                model.workload(),
                model.backend(),
                model.precision(),
                samples.stream().map(String::valueOf).collect(Collectors.joining(","))));
    arguments.addAll(options.allOverrides());
    Process child =
        Launch.of(ChildJvm.of(ChildJvm.probe(PROBE_HEAP_MB), Probe.class.getName(), arguments))
            .errors(Redirect.DISCARD)
            .start();
    try {
      byte[] printed = child.getInputStream().readAllBytes();
      int status = child.waitFor();
      Peak[] peaks = status == 0 ? JSON.readValue(printed, Peak[].class) : new Peak[0];
      if (peaks.length != samples.size()) {
        throw new IOException(
            "the memory of " + model + " could not be measured (status " + status + ")");
      }
      int modelTokens = frame.experiment().workload(model.workload()).tokens();
      return Stream.of(peaks)
          .map(
              peak ->
                  new Row(
                      model,
                      peak.samples(),
                      peak.bytes() / MIB,
                      Experiment.tokens(modelTokens, model.precision(), peak.samples())))
          .toList();
    } finally {
      child.destroyForcibly();
    }
  }

  /** Peak after a batch, above what the process held before the model was loaded. */
  record Peak(int samples, long bytes) {}

  /**
   * The main of a child process that measures the memory of one model: starts its engine, notes the
   * memory that the process holds, loads the model, runs batches of rising size, and prints how far
   * the peak after each lies above the note, as one line of JSON.
   */
  static final class Probe {
    /** Number of runs of each batch: TorchScript compiles at the first and at the second. */
    private static final int RUNS = 2;

    private Probe() {}

    /**
     * Arguments: experiment file, workload, backend, precision, samples joined by commas,
     * ascending; then overrides of the experiment. Standard output holds the line of JSON and
     * nothing else.
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
      var cache = ModelCache.ofUser();
      try (LaneSource lanes = LaneSource.of(parsed)) {
        lanes.startEngine(model.backend(), cache);
        long beforeBytes = MemoryOf.residentBytesAndForgetPeak().orElseThrow();
        LoadedModels models = lanes.load(model, cache, ModelProgress.none());
        int elements = models.info(model).elementsPerSample();
        try (var session = models.openSession(model, 0, new InputBuffer())) {
          var unused = MemoryOf.residentBytesAndForgetPeak();
          List<Peak> peaks = new ArrayList<>();
          for (String samples : arguments[4].split(",", -1)) {
            int count = Integer.parseInt(samples);
            for (int run = 0; run < RUNS; run++) {
              session.infer(List.of(JobInput.make(1, "memory", count, elements)));
            }
            long aboveBytes = MemoryOf.peakBytes().orElseThrow() - beforeBytes;
            peaks.add(new Peak(count, Math.max(0, aboveBytes)));
          }
          result.println(JSON.writeValueAsString(peaks));
        }
      }
    }
  }

  /**
   * Memory of one model with one batch, above what the process held before; tokens by the
   * experiment's formula.
   */
  record Row(ModelKey model, int samples, double peakMib, long formulaTokens) {}

  /**
   * Memory of each model with each batch, and the tokens that would follow from it. The unit is
   * chosen so that all models with their smallest batch cost as many tokens as by the formula.
   */
  record Table(List<Row> rows) {
    /** MiB that a token comes to; each model's rows must stand by rising samples. */
    double mibPerToken() {
      int least = rows.stream().mapToInt(Row::samples).min().orElseThrow();
      List<Row> smallest = rows.stream().filter(row -> row.samples() == least).toList();
      return Math.max(
          smallest.stream().mapToDouble(Row::peakMib).sum()
              / smallest.stream().mapToLong(Row::formulaTokens).sum(),
          1e-6);
    }

    /** The tokens that the row's peak comes to, rounded up. */
    long measuredTokens(Row row) {
      return (long) Math.ceil(row.peakMib() / mibPerToken() - 1e-9);
    }

    /** True if an existing file holds all these models. */
    static boolean holds(Path file, List<ModelKey> models) throws IOException {
      List<String> lines = Files.readAllLines(file);
      return models.stream()
          .map(model -> model.workload() + "," + model.backend() + "," + model.precision() + ",")
          .allMatch(start -> lines.stream().anyMatch(line -> line.startsWith(start)));
    }

    void write(Path file) throws IOException {
      var text = new StringBuilder();
      text.append(
          String.format(
              Locale.ROOT,
              """
              # Peak memory of a process above what it held before the model was loaded, with one session.
              # One token is %.3f MiB, so that all models with their smallest batch cost as many measured tokens as by the formula.
              workload,backend,precision,samples,peak_mib,measured_tokens,formula_tokens
              """,
              mibPerToken()));
      for (Row row : rows) {
        text.append(
            String.format(
                Locale.ROOT,
                "%s,%s,%s,%d,%.1f,%d,%d\n",
                row.model().workload(),
                row.model().backend(),
                row.model().precision(),
                row.samples(),
                row.peakMib(),
                measuredTokens(row),
                row.formulaTokens()));
      }
      Files.writeString(file, text);
    }

    List<String> lines() {
      List<String> lines = new ArrayList<>();
      for (ModelKey model : rows.stream().map(Row::model).distinct().toList()) {
        List<Row> own = rows.stream().filter(row -> row.model().equals(model)).toList();
        Row least = own.get(0);
        Row most = own.get(own.size() - 1);
        lines.add(
            String.format(
                Locale.ROOT,
                "%-30s %5.0f MiB at %d, %5.0f MiB at %d; tokens %d to %d, by the formula %d to %d",
                model,
                least.peakMib(),
                least.samples(),
                most.peakMib(),
                most.samples(),
                measuredTokens(least),
                measuredTokens(most),
                least.formulaTokens(),
                most.formulaTokens()));
      }
      return lines;
    }
  }
}
