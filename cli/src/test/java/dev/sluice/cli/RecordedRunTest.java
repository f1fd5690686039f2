package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.Loop.Ended;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.LogOrder;
import dev.sluice.contract.log.Reading;
import dev.sluice.contract.log.RecordedEntry;
import dev.sluice.contract.log.RecordingHeader;
import dev.sluice.contract.log.RecordingReader;
import dev.sluice.contract.log.TopicReader;
import dev.sluice.harness.kafka.EmbeddedBroker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The recording that a run leaves in its folder. */
@Tag("loop")
final class RecordedRunTest {
  @TempDir private Path folder;

  static Map<String, List<String>> read(Path file) throws Exception {
    Map<String, List<String>> byTopic = new TreeMap<>();
    LogOrder.TOPICS.forEach(topic -> byTopic.put(topic, new ArrayList<>()));
    try (var reader = RecordingReader.ofLog(file, false)) {
      for (RecordedEntry e = reader.next(); e != null; e = reader.next()) {
        byTopic.get(e.topic()).add(text(e.offset(), e.appendedAtEpochMs(), e.value()));
      }
    }
    return byTopic;
  }

  private static String text(long offset, long appendedMs, byte[] value) {
    return offset + " " + appendedMs + " " + HexFormat.of().formatHex(value);
  }

  private static List<String> topic(EmbeddedBroker broker, String topic) throws Exception {
    List<String> records = new ArrayList<>();
    var clients = LogClients.of(Map.of("bootstrap.servers", broker.bootstrapServers()));
    try (var reader = TopicReader.open(clients, Reading.COMMITTED)) {
      reader.readWhole(
          new TopicPartition(topic, 0),
          record -> records.add(text(record.offset(), record.timestamp(), record.value())));
    }
    return records;
  }

  @Test
  void aRunsLog_holdsItsOwnTopics_asTheyStood() throws Exception {
    EmbeddedBroker broker = SharedBroker.get();
    Ended run = new Loop(folder, broker.bootstrapServers()).run("recorded", "lanes.num_lanes=1");
    run.assertWhole();
    Path log = run.folder().resolve("log.jsonl.gz");
    Map<String, List<String>> recorded = read(log);
    for (String topic : LogOrder.TOPICS) { // roles report and leave after the second reading
      List<String> now = topic(broker, "recorded." + topic);
      List<String> then = recorded.get(topic);
      assertThat(then).hasSizeLessThanOrEqualTo(now.size());
      assertThat(then.equals(now.subList(0, then.size()))).as(topic).isTrue();
    }
    for (String topic : List.of("dispatches", "outcomes")) {
      assertThat(recorded.get(topic)).hasSameSizeAs(topic(broker, "recorded." + topic));
    }
    assertThat(recorded.get("facts")).hasSizeGreaterThan(200);
    assertThat(recorded.get("runs")).hasSizeGreaterThan(3);
    RecordingHeader header = RecordingReader.headerOf(log);
    String config = Files.readString(run.folder().resolve("config.yaml"));
    assertThat(config).contains(header.requestDigest(), header.experiment());
    assertThat(header.runId()).isEqualTo("recorded");
    assertThat(header.core()).isNotEmpty();
    assertThat(header.timeZeroEpochMs()).isPositive();
    assertThat(run.folder()).isDirectoryNotContaining("glob:**unfinished");
  }

  @Test
  void noLog_leavesNone() throws Exception {
    EmbeddedBroker broker = SharedBroker.get();
    var loop = new Loop(folder, null);
    int status =
        Sluice.execute(
            "run",
            loop.write(Loop.EMULATED).toString(),
            "--no-log",
            "--bootstrap",
            broker.bootstrapServers(),
            "--results",
            loop.results().toString(),
            "--run-id",
            "unrecorded");
    assertThat(status).isIn(0, 4);
    assertThat(loop.results().resolve("unrecorded"))
        .isDirectoryContaining("glob:**trace.csv")
        .isDirectoryNotContaining("glob:**log.jsonl.gz");
  }

  @Test
  void aSimulationsLog_hasTheSameBytesEachTime_andNoneUnlessAsked() throws Exception {
    Path experiment = new Loop(folder, null).write(Loop.EMULATED);
    List<byte[]> logs = new ArrayList<>();
    for (String results : List.of("a", "b")) {
      assertThat(simulate(experiment, results, "--log", "--set", "kafka.shards=2")).isZero();
      logs.add(Files.readAllBytes(folder.resolve(results).resolve("sim").resolve("log.jsonl.gz")));
    }
    assertThat(logs.get(0)).isEqualTo(logs.get(1));
    Map<String, List<String>> recorded =
        read(folder.resolve("a").resolve("sim").resolve("log.jsonl.gz"));
    long jobs = Files.lines(folder.resolve("a").resolve("sim").resolve("trace.csv")).count() - 1;
    assertThat(recorded.get("outcomes")).hasSizeGreaterThanOrEqualTo((int) jobs);
    assertThat(recorded.get("runs")).hasSize(2);
    assertThat(simulate(experiment, "c")).isZero();
    assertThat(folder.resolve("c").resolve("sim")).isDirectoryNotContaining("glob:**log.jsonl.gz");
  }

  private int simulate(Path experiment, String results, String... more) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "simulate",
                experiment.toString(),
                "--run-id",
                "sim",
                "--results",
                folder.resolve(results).toString()));
    all.addAll(List.of(more));
    return Sluice.execute(all.toArray(String[]::new));
  }

  @Test
  void schedulesInVirtualTime_haveNoLog_andSaySo() {
    assertThat(Sluice.execute("simulate", "--log", "--gpus", "2", "--results", folder.toString()))
        .isEqualTo(2);
  }
}
