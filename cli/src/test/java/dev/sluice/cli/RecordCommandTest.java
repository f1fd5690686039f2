package dev.sluice.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.Loop.Ended;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.RecordedEntry;
import dev.sluice.contract.log.RecordedRequest;
import dev.sluice.contract.log.RecordingReader;
import dev.sluice.contract.log.RequestKind;
import dev.sluice.contract.log.Writing;
import dev.sluice.harness.kafka.EmbeddedBroker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code record}: from topics and from runs into files. */
@Tag("loop")
final class RecordCommandTest {
  private static final long T0_MS = 1_795_341_600_000L; // 2026-11-22T10:00Z

  @TempDir private Path folder;
  private EmbeddedBroker broker;
  private LogClients clients;

  @BeforeEach
  void findBroker() throws Exception {
    broker = SharedBroker.get();
    clients = LogClients.of(Map.of("bootstrap.servers", broker.bootstrapServers()));
  }

  private void topic(String name, int partitions) throws Exception {
    try (var admin = clients.admin()) {
      var unused =
          admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1))).all().get();
    }
  }

  private void send(String topic, int partition, long atMs, String value) throws Exception {
    try (var producer = clients.producer(Writing.SINGLE)) {
      var record =
          new ProducerRecord<byte[], byte[]>(topic, partition, atMs, null, value.getBytes(UTF_8));
      var unused = producer.send(record).get();
    }
  }

  private BadInputCommand record(String... words) {
    List<String> all = new ArrayList<>(List.of("record", "--bootstrap", broker.bootstrapServers()));
    all.addAll(Arrays.asList(words));
    return BadInputCommand.sluice(all.toArray(String[]::new));
  }

  private Path file(String name) {
    return folder.resolve(name);
  }

  static List<RecordedRequest> requests(Path file) throws Exception {
    List<RecordedRequest> requests = new ArrayList<>();
    try (var reader = RecordingReader.ofRequests(file, false)) {
      for (RecordedRequest r = reader.next(); r != null; r = reader.next()) {
        requests.add(r);
      }
    }
    return requests;
  }

  private List<String> names() throws Exception {
    try (var admin = clients.admin()) {
      List<String> names = new ArrayList<>(admin.listTopics().names().get());
      admin.listGroups().all().get().forEach(group -> names.add("group " + group.groupId()));
      names.sort(null);
      return names;
    }
  }

  @Test
  void aForeignTopic_isReadByItsFields_andWhatIsMissingIsNamed() throws Exception {
    topic("shop-requests", 2);
    send("shop-requests", 0, T0_MS + 9, tier(T0_MS + 400, "gold", "vit", 4));
    send("shop-requests", 1, T0_MS + 9, tier(T0_MS, "silver", "resnet", 1));
    send("shop-requests", 0, T0_MS + 9, "not JSON at all");
    send("shop-requests", 1, T0_MS + 9, tier(T0_MS + 250, "gold", "vit", 0));
    send("shop-requests", 1, T0_MS + 9, "{\"tier\":\"gold\",\"model\":\"vit\",\"images\":1}");
    send("shop-requests", 0, T0_MS + 9, "{\"ts\":" + (T0_MS + 500) + ",\"images\":2}");
    List<String> before = names();
    Path file = file("monday.jsonl.gz");
    String fields = "time=ts,class=tier,workload=model,samples=images";
    var done = record("--topic", "shop-requests", "--fields", fields, file.toString());
    assertThat(done.err()).isEmpty();
    assertThat(done.status()).isZero();
    assertThat(requests(file))
        .containsExactly(
            new RecordedRequest(0, new RequestKind("silver", "resnet", null, null, 1, 0)),
            new RecordedRequest(250_000_000, new RequestKind("gold", "vit", null, null, 0, 0)),
            new RecordedRequest(400_000_000, new RequestKind("gold", "vit", null, null, 4, 0)),
            new RecordedRequest(500_000_000, new RequestKind(null, null, null, null, 2, 0)));
    assertThat(done.out().replaceAll("\\s+", " "))
        .contains(
            "4 requests of shop-requests",
            "shop-requests/0 at offset 1 is unreadable: not JSON at all",
            "1 record lacks field images (samples)",
            "1 record lacks field ts (time) (and is left out), the first is shop-requests/1 at"
                + " offset 2",
            "1 record lacks field tier (class), the first is shop-requests/0 at offset 2");
    byte[] once = Files.readAllBytes(file);
    record("--topic", "shop-requests", "--fields", fields, file.toString())
        .isRefused(1)
        .says("monday.jsonl.gz: error: there is a recording already, and it is not replaced.");
    assertThat(
            record("--topic", "shop-requests", "--fields", fields, "--force", file.toString())
                .status())
        .isZero();
    assertThat(file).hasBinaryContent(once);
    assertThat(names()).isEqualTo(before); // no group, no topic
    assertThat(folder.toFile().list()).containsExactly("monday.jsonl.gz");
  }

  private static String tier(long tsMs, String tier, String model, int images) {
    return "{\"ts\":%d,\"tier\":\"%s\",\"model\":\"%s\",\"images\":%d}"
        .formatted(tsMs, tier, model, images);
  }

  @Test
  void withoutATimeField_theRecordsOwnTimestampCounts_withinTheBounds() throws Exception {
    topic("timed", 1);
    for (int second = 0; second < 10; second++) {
      send("timed", 0, T0_MS + 1000L * second, "{\"n\":" + (second + 1) + "}");
    }
    assertThat(samples("--from", "2s", "--to", "3s")).containsExactly(3, 4, 5);
    assertThat(samples("--from", "2026-11-22T10:00:07Z")).containsExactly(8, 9, 10);
    assertThat(samples("--from", "2026-11-22T10:00:04.500Z", "--to", "1s")).containsExactly(6);
    assertThat(requests(file("timed.gz")).get(0).intendedAtNs()).isEqualTo(500_000_000);
    assertThat(samples("--from", "offset:8", "--to", "offset:9")).containsExactly(9);
    assertThat(requests(file("timed.gz")).get(0).intendedAtNs()).isZero();
    assertThat(samples("--to", "offset:2")).containsExactly(1, 2);
    assertThat(refusal("--topic", "timed", "--from", "1h", file("x").toString()))
        .contains("--from: error: the topic (timed) holds no record between these bounds");
    assertThat(refusal("--topic", "timed", "--from", "3s", "--to", "0s", file("x").toString()))
        .contains("--to: error: the value (0s) is not after --from (3s)");
  }

  private List<Integer> samples(String... bounds) throws Exception {
    List<String> words =
        new ArrayList<>(List.of("--topic", "timed", "--fields", "samples=n", "--force"));
    words.addAll(Arrays.asList(bounds));
    words.add(file("timed.gz").toString());
    var done = record(words.toArray(String[]::new));
    assertThat(done.status()).as(done.err()).isZero();
    return requests(file("timed.gz")).stream().map(r -> r.kind().samples()).toList();
  }

  private String refusal(String... words) {
    var refused = record(words);
    assertThat(refused.status()).as(refused.out()).isEqualTo(2);
    assertThat(refused.err()).contains("  Maybe ");
    return refused.err();
  }

  @Test
  void whatIsGoneByRetention_isTakenWithoutIt_andSaid() throws Exception {
    topic("gone", 1);
    for (int i = 0; i < 5; i++) {
      send("gone", 0, T0_MS + i, "{\"n\":" + (i + 1) + "}");
    }
    try (var admin = clients.admin()) {
      var unused =
          admin
              .deleteRecords(Map.of(new TopicPartition("gone", 0), RecordsToDelete.beforeOffset(3)))
              .all()
              .get();
    }
    var done = record("--topic", "gone", "--fields", "samples=n", file("a").toString());
    assertThat(done.out()).contains("gone/0: offsets 0 to 2 are gone by retention");
    assertThat(requests(file("a"))).extracting(r -> r.kind().samples()).containsExactly(4, 5);
  }

  @Test
  void topicsThatAreMissingOrEmpty_areRefused_andNothingIsLeft() throws Exception {
    topic("requests-of-shop", 1);
    assertThat(refusal("--topic", "request-of-shop", file("x").toString()))
        .contains("there is no topic (request-of-shop)", "you meant requests-of-shop");
    assertThat(refusal("--topic", "requests-of-shop", file("x").toString()))
        .contains("the topic (requests-of-shop) holds no record");
    assertThat(refusal("--topic", "requests-of-shop", "--whole", file("x").toString()))
        .contains("--whole");
    send("requests-of-shop", 0, T0_MS, "[1]");
    assertThat(refusal("--topic", "requests-of-shop", file("x").toString()))
        .contains("holds no request between these bounds");
    assertThat(refusal("--topic", "requests-of-shop", file("no").resolve("x").toString()))
        .contains("holds no request");
    send("requests-of-shop", 0, T0_MS, "{}");
    assertThat(refusal("--topic", "requests-of-shop", file("no").resolve("x").toString()))
        .contains("x: error: the file cannot be written (no such file or folder)");
    assertThat(folder).isEmptyDirectory();
    assertThat(names()).doesNotContain("request-of-shop", "request-of-shop.facts");
  }

  @Test
  void aRunsTopics_areRecordedAlike_eachTime_andAsItsFolderDoes() throws Exception {
    Ended run =
        new Loop(folder, broker.bootstrapServers())
            .run("taken", "kafka.shards=2", "tail_seconds=60");
    run.assertWhole();
    Path log = run.folder().resolve("log.jsonl.gz");
    for (String name : List.of("a", "b")) {
      assertThat(record("--topic", "taken", "--whole", file(name).toString()).status()).isZero();
    }
    assertThat(file("a")).hasSameBinaryContentAs(file("b"));
    assertThat(RecordingReader.headerOf(file("a")).timeZeroEpochMs())
        .isEqualTo(RecordingReader.headerOf(log).timeZeroEpochMs());
    assertThat(outcomes(file("a"))).isEqualTo(outcomes(log)).isNotEmpty();

    var sent = record("--topic", "taken", file("sent").toString());
    assertThat(sent.out()).contains("the requests that were sent");
    var whole = BadInputCommand.sluice("record", run.folder().toString(), file("whole").toString());
    assertThat(whole.status()).as(whole.err()).isZero();
    assertThat(whole.out()).contains("the whole request list");
    List<RecordedRequest> list = requests(file("whole"));
    List<RecordedRequest> part = requests(file("sent"));
    assertThat(part.size()).isEqualTo(run.rows("trace.csv").size());
    assertThat(list.subList(0, part.size()).equals(part)).isTrue();
    assertThat(list.size()).isGreaterThan(part.size());
    assertThat(RecordingReader.headerOf(file("whole")).requestDigest())
        .isEqualTo(RecordingReader.headerOf(log).requestDigest());

    var copy =
        BadInputCommand.sluice(
            "record", "--whole", run.folder().toString(), file("copy").toString());
    assertThat(copy.status()).as(copy.err()).isZero();
    assertThat(file("copy")).hasSameBinaryContentAs(log);
    assertThat(refusal("--topic", "taken", "--fields", "class=a", file("x").toString()))
        .contains("holds Sluice's own events");
    assertThat(refusal("--topic", "taken", "--whole", "--from", "offset:1", file("x").toString()))
        .contains("counts in one topic");
  }

  private static List<String> outcomes(Path file) throws Exception {
    List<String> outcomes = new ArrayList<>();
    try (var reader = RecordingReader.ofLog(file, false)) {
      for (RecordedEntry e = reader.next(); e != null; e = reader.next()) {
        if (e.topic().equals("outcomes")) {
          outcomes.add(e.partition() + " " + e.offset() + " " + new String(e.value(), UTF_8));
        }
      }
    }
    return outcomes;
  }

  @Test
  void aFileThatIsCutShort_isSalvaged_intoAWholeOne() throws Exception {
    Path experiment = new Loop(folder, null).write(Loop.EMULATED);
    Path results = folder.resolve("results");
    int status =
        Sluice.execute(
            "simulate",
            experiment.toString(),
            "--log",
            "--run-id",
            "s",
            "--results",
            results.toString());
    assertThat(status).isZero();
    byte[] whole = Files.readAllBytes(results.resolve("s").resolve("log.jsonl.gz"));
    Path cut = Files.write(file("cut.gz"), Arrays.copyOf(whole, whole.length / 2));
    var refused = BadInputCommand.sluice("record", "--whole", cut.toString(), file("x").toString());
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.err()).contains("cut.gz:", "--salvage");
    var salvaged =
        BadInputCommand.sluice(
            "record", "--whole", "--salvage", cut.toString(), file("x").toString());
    assertThat(salvaged.status()).as(salvaged.err()).isZero();
    assertThat(salvaged.out()).contains("missing", "cut short after ");
    try (var reader = RecordingReader.ofLog(file("x"), false)) {
      assertThat(reader.next()).isNotNull();
      do {
        assertThat(reader.loss()).isNull();
      } while (reader.next() != null);
    }
  }
}
