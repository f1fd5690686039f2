package dev.sluice.bench.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.log.EventLogReader;
import dev.sluice.cli.Loop;
import dev.sluice.cli.Loop.Ended;
import dev.sluice.cli.SharedBroker;
import dev.sluice.cli.TopicRecords;
import dev.sluice.contract.event.BatchesEnded;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.event.RunDescribed;
import dev.sluice.contract.event.RunSummarized;
import dev.sluice.contract.event.WindowRecord;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.log.Topics;
import dev.sluice.harness.kafka.EmbeddedBroker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a run leaves in its topics, looked at by somebody else. */
@Tag("loop")
final class AuditedRunTest {
  @TempDir private Path folder;

  @Test
  void losesAndDoublesNothing_andWritesEachSecondOnce_howeverOftenItIsRead() throws Exception {
    EmbeddedBroker broker = SharedBroker.get();
    Map<String, Object> kafka = Map.of("bootstrap.servers", broker.bootstrapServers());
    var topics = new Topics("audited");
    Ended run =
        new Loop(folder, broker.bootstrapServers())
            .run("audited", "arrival_rate_jobs_per_sec=1000", "tail_seconds=0.5");
    run.assertWhole();

    LogAudit audit = LogAudit.of(kafka, topics, run.folder(), List.of());
    assertThat(audit.violations()).isEmpty();
    assertThat(audit.jobs()).isEqualTo(run.rows("trace.csv").size()).isGreaterThan(500);

    List<WindowRecord> metrics =
        read(broker.bootstrapServers(), topics.metrics(), EventCodec.METRICS);
    var described = (RunDescribed) metrics.get(0);
    assertThat(described.emulated()).isTrue();
    assertThat(Files.readString(run.folder().resolve("config.yaml")))
        .contains(described.experimentYaml())
        .contains(described.requestDigest());
    assertThat(metrics.get(metrics.size() - 1))
        .isEqualTo(
            new RunSummarized(
                "audited", Files.readString(run.folder().resolve("summary.json")), null));
    List<MetricsWindow> windows =
        metrics.stream()
            .filter(MetricsWindow.class::isInstance)
            .map(MetricsWindow.class::cast)
            .toList();
    for (int second = 0; second < windows.size(); second++) {
      assertThat(windows.get(second).fromNs()).isEqualTo(second * 1_000_000_000L);
    }
    assertThat(windows.stream().mapToLong(w -> w.total().requested()).sum())
        .isEqualTo(audit.jobs());
    assertThat(windows.stream().mapToLong(w -> w.total().ended()).sum())
        .isEqualTo(audit.outcomes());
    MetricsWindow last = windows.get(windows.size() - 1);
    assertThat(last.waiting()).isZero();
    assertThat(last.running()).isZero();
    assertThat(last.lanes()).isEqualTo(2);

    List<BatchesEnded.Batch> batches =
        metrics.stream()
            .filter(BatchesEnded.class::isInstance)
            .flatMap(record -> ((BatchesEnded) record).executors().stream())
            .flatMap(executor -> executor.lanes().stream())
            .flatMap(lane -> lane.batches().stream())
            .toList();
    assertThat(batches).extracting(BatchesEnded.Batch::id).isNotEmpty().doesNotHaveDuplicates();

    try (var again =
        new EventLogReader(
            LogClients.of(kafka),
            topics,
            new ProcessClock(InstantSource.system(), System::nanoTime),
            started -> described,
            null)) {
      assertThat(again.awaitRunEnd(Duration.ofSeconds(60))).isTrue();
      assertThat(again.snapshot().total().requested()).isEqualTo(audit.jobs());
      again.summarize(new RunSummarized("audited", null, "said again"));
    }
    assertThat(read(broker.bootstrapServers(), topics.metrics(), EventCodec.METRICS))
        .isEqualTo(metrics);
  }

  private static <R> List<R> read(String bootstrap, String topic, EventCodec<R> codec)
      throws Exception {
    List<R> records = new ArrayList<>();
    for (var entry : TopicRecords.of(bootstrap, topic)) {
      records.add(codec.read(entry.value()));
    }
    return records;
  }
}
