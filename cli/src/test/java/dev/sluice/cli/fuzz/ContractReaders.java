package dev.sluice.cli.fuzz;

import static dev.sluice.cli.fuzz.FuzzedReader.CONFIGS;
import static dev.sluice.cli.fuzz.FuzzedReader.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ResolvedConfig;
import dev.sluice.contract.experiment.Vocabulary;
import dev.sluice.contract.file.CsvRows;
import dev.sluice.contract.file.Range;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.UnreadableEventException;
import dev.sluice.contract.workflow.WorkflowFiles;
import dev.sluice.harness.frame.Registries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Experiments, workflow files in both forms, tables as such, and the events of the log. */
final class ContractReaders {
  private static final Path GOLDEN =
      Path.of("..", "contract", "src", "test", "resources", "golden");

  private static final Vocabulary KNOWN = Registries.vocabulary();

  private static final String SYSTEM =
      """
      {"models": {
        "small": {"name": "S", "memory_gb": 14, "gpus_required": 1, "load_time_seconds": 3e1},
        "large": {"memory_gb": 60, "gpus_required": 4, "load_time_seconds": 120}},
       "workflows": {
        "one": {"nodes": [{"id": "a", "model": "small"}]},
        "two": {"slo_ms": 90, "nodes": [{"id": "a", "model": "small"}, {"id": "b", "model": "large"}],
         "edges": [{"from": "a", "to": "b"}]}}}
      """;
  private static final String REQUESTS =
      """
      {"requests": [
       {"request_id": "r1", "timestamp": "2024-01-01T10:00:00", "workflow_id": "one"},
       {"request_id": "r2", "timestamp": "2024-01-01T10:01:00.5", "workflow_id": "two",
        "node_execution_times": {"a": 5.2, "b": 15}}]}
      """;

  private ContractReaders() {}

  static Stream<FuzzedReader> all() throws IOException {
    String system = Files.readString(CONFIGS.resolve("workflows/system_config.yaml"));
    String requests = Files.readString(CONFIGS.resolve("workflows/workflow_requests.yaml"));
    return Stream.of(
        new FuzzedReader("experiments", experiments(), ContractReaders::experiment),
        new FuzzedReader(
            "systems of workflows, YAML",
            List.of(system),
            (in, input) -> workflows(in, "yaml", input, bytes(requests))),
        new FuzzedReader(
            "requests of workflows, YAML",
            List.of(requests),
            (in, input) -> workflows(in, "yaml", bytes(system), input)),
        new FuzzedReader(
            "systems of workflows, JSON",
            List.of(SYSTEM),
            (in, input) -> workflows(in, "json", input, bytes(REQUESTS))),
        new FuzzedReader(
            "requests of workflows, JSON",
            List.of(REQUESTS),
            (in, input) -> workflows(in, "json", bytes(SYSTEM), input)),
        new FuzzedReader(
            "tables",
            List.of(Files.readString(CONFIGS.resolve("latency/cpu-2core.csv"))),
            ContractReaders::table),
        events("facts", EventCodec.FACTS),
        events("dispatches", EventCodec.DISPATCHES),
        events("outcomes", EventCodec.OUTCOMES),
        events("runs", EventCodec.RUNS),
        events("metrics", EventCodec.METRICS));
  }

  private static List<String> experiments() throws IOException {
    try (Stream<Path> files = Files.list(CONFIGS)) {
      return files
          .filter(file -> file.toString().endsWith(".yaml"))
          .sorted()
          .map(FuzzedReader::text)
          .toList();
    }
  }

  private static void experiment(Path folder, byte[] input) throws Exception {
    Path file = Files.write(folder.resolve("e.yaml"), input);
    Experiment read = ExperimentFile.read(file, List.of(), KNOWN).experiment();
    Path written = Files.writeString(folder.resolve("w.yaml"), ResolvedConfig.write(read));
    assertThat(ExperimentFile.read(written, List.of(), KNOWN).experiment()).isEqualTo(read);
  }

  private static void workflows(Path folder, String form, byte[] system, byte[] requests)
      throws Exception {
    WorkflowFiles files =
        WorkflowFiles.read(
            Files.write(folder.resolve("system." + form), system),
            Files.write(folder.resolve("requests." + form), requests),
            8,
            false);
    assertThat(files.requests()).allSatisfy(r -> assertThat(r.id()).isNotBlank());
    assertThat(files.requests()).extracting(r -> r.id()).doesNotHaveDuplicates();
  }

  private static void table(Path folder, byte[] input) throws Exception {
    CsvRows rows = CsvRows.read(Files.write(folder.resolve("t.csv"), input), "table");
    for (CsvRows.Row row : rows.rows()) {
      row.checkWidth("try");
      for (String column : rows.columns()) {
        if (column.equals("mean_ms") || column.equals("spread")) {
          row.fixed(column, 6, Range.within(0, 1e9), "try");
        } else if (column.equals("samples") || column.equals("busy_lanes")) {
          row.count(column, "try");
        } else {
          row.name(column);
        }
      }
    }
  }

  private static <E> FuzzedReader events(String name, EventCodec<E> codec) throws IOException {
    try (Stream<Path> files = Files.list(GOLDEN)) {
      List<String> examples =
          files
              .sorted()
              .map(FuzzedReader::text)
              .filter(text -> isReadable(codec, bytes(text)))
              .toList();
      return new FuzzedReader(
          name,
          examples,
          (folder, input) -> {
            byte[] written = codec.write(codec.read(input));
            assertThat(codec.write(codec.read(written))).isEqualTo(written);
          });
    }
  }

  private static boolean isReadable(EventCodec<?> codec, byte[] bytes) {
    try {
      codec.read(bytes);
      return true;
    } catch (UnreadableEventException e) {
      return false;
    }
  }
}
