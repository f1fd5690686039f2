package dev.sluice.harness.profile;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.harness.frame.RunFrame;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.Launch;
import dev.sluice.harness.terminal.Console;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Measurement of each model's memory, each in a child process ({@link MemoryProbe}). */
final class MemoryMeasurement {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final double MIB = 1 << 20;

  private final RunFrame frame;
  private final ExecutorSettings settings;
  private final ProfileRun.Options options;
  private final BooleanSupplier stopped;

  /**
   * @param stopped true once a person wants the profile to end
   */
  MemoryMeasurement(
      RunFrame frame,
      ExecutorSettings settings,
      ProfileRun.Options options,
      BooleanSupplier stopped) {
    this.frame = frame;
    this.settings = settings;
    this.options = options;
    this.stopped = stopped;
  }

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
    List<MemoryTable.Row> rows = new ArrayList<>();
    for (ModelKey model : settings.models()) {
      if (stopped.getAsBoolean()) {
        return;
      }
      console.progress("memory", model.toString());
      rows.addAll(rows(model));
    }
    console.clearLiveLine();
    var table = new MemoryTable(rows);
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
    if (!MemoryProbe.isPossible()) {
      return "not measured: this system does not tell a process's peak";
    }
    if (lanes.devices().stream().anyMatch(devices -> !devices.kind().equals("cpu"))) {
      return "not measured: the models are not in the memory of the processor";
    }
    if (Files.exists(file) && MemoryTable.holds(file, settings.models())) {
      return "measured already: " + file;
    }
    return null;
  }

  /**
   * Measures one model in a child process.
   *
   * @throws IOException if the child fails, which then says why on standard error
   */
  private List<MemoryTable.Row> rows(ModelKey model) throws IOException, InterruptedException {
    List<Integer> samples = settings.warmUpSamples();
    List<String> arguments = new ArrayList<>();
    arguments.add(options.config().toString());
    arguments.addAll(List.of(model.workload(), model.backend(), model.precision()));
    arguments.add(samples.stream().map(String::valueOf).collect(Collectors.joining(",")));
    arguments.addAll(options.allOverrides());
    Process child =
        Launch.of(
                ChildJvm.of(
                    ChildJvm.probe(MemoryProbe.HEAP_MB), MemoryProbe.class.getName(), arguments))
            .errors(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      String printed = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int status = child.waitFor();
      MemoryProbe.Peaks measured =
          status == 0 ? JSON.readValue(printed, MemoryProbe.Peaks.class) : MemoryProbe.Peaks.NONE;
      if (measured.peaks().size() != samples.size()) {
        throw new IOException(
            "the memory of " + model + " could not be measured (status " + status + ")");
      }
      return rows(model, measured);
    } finally {
      child.destroyForcibly();
    }
  }

  private List<MemoryTable.Row> rows(ModelKey model, MemoryProbe.Peaks measured) {
    int modelTokens = frame.experiment().workload(model.workload()).tokens();
    return measured.peaks().stream()
        .map(
            peak ->
                new MemoryTable.Row(
                    model,
                    peak.samples(),
                    peak.bytes() / MIB,
                    Experiment.tokens(modelTokens, model.precision(), peak.samples())))
        .toList();
  }
}
