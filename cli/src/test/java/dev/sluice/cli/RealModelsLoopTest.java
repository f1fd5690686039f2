package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.Loop.Ended;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchCompleted.JobResult;
import dev.sluice.contract.event.BatchCompleted.Result;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.Topics;
import dev.sluice.harness.kafka.EmbeddedBroker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole loop with real inference on both engines. */
@Tag("loop")
final class RealModelsLoopTest {
  @TempDir private Path folder;

  @Test
  void everyJobIsDone_andItsTopClassesStandInTheLog() throws Exception {
    EmbeddedBroker broker = SharedBroker.get();
    Ended run =
        new Loop(folder, broker.bootstrapServers())
            .run(
                "real",
                "lanes.kind=real",
                "workloads=[resnet18, vit_tiny]",
                "backends_enabled=[pytorch, onnx]",
                "arrival_rate_jobs_per_sec=8",
                "duration_seconds=2",
                "tail_seconds=120");
    run.assertWhole();
    assertThat(run.rows("trace.csv"))
        .extracting(row -> row.get("status") + " " + row.get("reason"))
        .contains("done ")
        .isSubsetOf("done ", "dropped run_ended"); // a busy machine drops some, and loses none
    List<BatchCompleted> completed = completed(broker, new Topics("real").facts());
    assertThat(completed).allMatch(batch -> batch.result() == Result.DONE);
    assertThat(completed.stream().flatMap(batch -> batch.results().stream()))
        .hasSize((int) run.count("done"))
        .allMatch(result -> !result.topClasses().isEmpty())
        .extracting(JobResult::topClasses)
        .as("different inputs have different answers")
        .anyMatch(classes -> !classes.equals(completed.get(0).results().get(0).topClasses()));
  }

  @Tag("slow")
  @Test
  void jobsOfEachPrecisionRun_andCostTheirTokens() throws Exception {
    Ended run =
        new Loop(folder, null)
            .run(
                "half",
                "lanes.kind=real",
                "workloads=[vit_tiny]",
                "backends_enabled=[pytorch]",
                "precision_modes=[fp32, bf16]",
                "microbatch.enabled=false",
                "arrival_rate_jobs_per_sec=3",
                "duration_seconds=4",
                "tail_seconds=60");
    run.assertWhole();
    assertThat(run.text()).contains("2 loaded and checked on cpu, ");
    assertThat(Files.readString(run.folder().resolve("config.yaml")))
        .contains("device_kind: \"cpu\"", "devices: \"cpu\"");
    List<Map<String, String>> jobs = run.rows("trace.csv");
    assertThat(jobs)
        .extracting(row -> row.get("precision") + " " + row.get("status"))
        .contains("fp32 done", "bf16 done")
        .allMatch(both -> both.matches("(fp32|bf16) (done|dropped)")); // a busy machine drops some
    Map<String, String> tokens =
        Map.of("fp32 1", "44", "fp32 2", "48", "bf16 1", "31", "bf16 2", "34");
    assertThat(jobs)
        .extracting(row -> row.get("resource_cost_tokens"))
        .containsExactlyElementsOf(
            jobs.stream()
                .map(row -> tokens.get(row.get("precision") + " " + row.get("batch_size")))
                .toList());
  }

  private static List<BatchCompleted> completed(EmbeddedBroker broker, String facts)
      throws Exception {
    List<BatchCompleted> completed = new ArrayList<>();
    try (var consumer =
        new KafkaConsumer<>(
            Map.<String, Object>of("bootstrap.servers", broker.bootstrapServers()),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      var only = new TopicPartition(facts, 0);
      consumer.assign(List.of(only));
      consumer.seekToBeginning(List.of(only));
      long end = consumer.endOffsets(List.of(only)).get(only);
      while (consumer.position(only) < end) {
        for (var record : consumer.poll(Duration.ofMillis(100))) {
          if (EventCodec.FACTS.read(record.value()) instanceof BatchCompleted batch) {
            completed.add(batch);
          }
        }
      }
    }
    return completed;
  }
}
