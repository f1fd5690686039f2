package dev.sluice.harness.serve;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.RunSummarized;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.Topics;
import dev.sluice.harness.kafka.EmbeddedBroker;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.serve.RawClient.Event;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * From a real broker's topics to the page of an online deployment. The broker has the topics {@code
 * runs} and {@code metrics} and no other, so that a server that needed another one would show
 * nothing.
 */
@Tag("loop")
final class TopicReadingTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String RUN = "run-1";
  private static final Topics TOPICS = new Topics(RUN);

  @TempDir Path folder;
  private int port;
  private EmbeddedBroker broker;
  private KafkaProducer<byte[], byte[]> producer;
  private PageServer server;

  @BeforeEach
  void start() throws Exception {
    port = EmbeddedBroker.freePort();
    startBroker();
  }

  @AfterEach
  void stop() {
    if (server != null) {
      server.close();
    }
    stopBroker();
  }

  private void startBroker() throws Exception {
    broker = EmbeddedBroker.startAt(folder, port, Map.of());
    producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", broker.bootstrapServers(), "linger.ms", "0"),
            new ByteArraySerializer(),
            new ByteArraySerializer());
  }

  private void stopBroker() {
    producer.close();
    broker.close();
  }

  private void makeTopics() throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
      admin
          .createTopics(
              List.of(TOPICS.runs(), TOPICS.metrics()).stream()
                  .map(name -> new NewTopic(name, Optional.of(1), Optional.empty()))
                  .toList())
          .all()
          .get();
    }
  }

  private void serve() throws Exception {
    var run = new LiveRun(RUN);
    KafkaAccess kafka = KafkaAccess.of("--bootstrap", "127.0.0.1:" + port, null);
    run.read(kafka, () -> null);
    server = PageServer.start(new PageAddress(0, null, List.of(), 10), run);
  }

  private void send(String topic, byte[] record) throws Exception {
    producer.send(new ProducerRecord<>(topic, record)).get();
  }

  private void describe() throws Exception {
    send(
        TOPICS.runs(),
        EventCodec.RUNS.write(new RunStarted(RUN, 1_700_000_000_000L, 1, "c0", "r0", 1, 1, null)));
    send(TOPICS.metrics(), EventCodec.METRICS.write(Windows.described(RUN)));
  }

  private void settle(int from, int to) throws Exception {
    for (int second = from; second < to; second++) {
      send(TOPICS.metrics(), Windows.json(Windows.second(second)));
    }
  }

  private RawClient stream(String... headers) throws Exception {
    return RawClient.stream(server.url(), RUN, headers);
  }

  private static Event next(RawClient page, String name) throws Exception {
    while (true) {
      Event event = page.event();
      if (event.event().equals(name)) {
        return event;
      }
    }
  }

  private static List<String> seconds(RawClient page, int count) throws Exception {
    List<String> ids = new ArrayList<>();
    while (ids.size() < count) {
      ids.add(next(page, "second").id());
    }
    return ids;
  }

  @Test
  void whatAnalyticsWritesReachesThePage_fromTwoTopicsAlone() throws Exception {
    makeTopics();
    describe();
    settle(0, 3);
    serve();
    try (RawClient page = stream()) {
      Event snapshot = next(page, "snapshot");
      assertThat(snapshot.id()).isEqualTo("2");
      assertThat(JSON.readTree(snapshot.data()).at("/run/policy").asText()).isEqualTo("fifo");

      send(TOPICS.metrics(), Windows.json(Windows.lanes(12)));
      assertThat(next(page, "lanes").data())
          .isEqualTo(new String(Windows.json(Windows.lanes(12)), StandardCharsets.UTF_8));
      settle(3, 5);
      assertThat(seconds(page, 2)).containsExactly("3", "4");
      send(
          TOPICS.metrics(),
          EventCodec.METRICS.write(new RunSummarized(RUN, "{\"verdict\": \"met\"}", null)));
      assertThat(JSON.readTree(next(page, "ended").data()).path("state").asText())
          .isEqualTo("ended");
    }
  }

  @Test
  void aPageBeforeTheFirstRecord_evenBeforeTheTopics_getsTheRunOnceItBegins() throws Exception {
    serve();
    try (RawClient page = stream()) {
      assertThat(JSON.readTree(next(page, "snapshot").data()).at("/points/from_s").size()).isZero();

      makeTopics();
      describe();
      settle(0, 2);
      assertThat(seconds(page, 2)).containsExactly("0", "1");
      assertThat(RawClient.get(server.url(), "/api/runs/" + RUN).text()).contains("\"fifo\"");
    }
  }

  @Test
  void aBrokerThatGoesAndComesLeavesNoGap() throws Exception {
    makeTopics();
    describe();
    settle(0, 2);
    serve();
    try (RawClient page = stream()) {
      next(page, "snapshot");
      stopBroker();
      startBroker();
      settle(2, 4);
      settle(2, 5); // analytics was started again, and repeats

      assertThat(seconds(page, 3)).containsExactly("2", "3", "4");
    }
  }

  @Test
  void aServerThatIsStartedAgainGoesOnWhereThePageWas() throws Exception {
    makeTopics();
    describe();
    settle(0, 10);
    serve();
    String last;
    try (RawClient page = stream()) {
      last = next(page, "snapshot").id();
    }
    server.close();
    settle(10, 12);
    serve();
    try (RawClient page = stream("Last-Event-ID: " + last)) {
      settle(12, 13);

      assertThat(page.event().id()).isEqualTo("10"); // no snapshot
      assertThat(seconds(page, 2)).containsExactly("11", "12");
    }
  }

  @Test
  void recordsOfALaterVersionAndForeignBytesDoNotStopThePage() throws Exception {
    makeTopics();
    describe();
    settle(0, 1);
    String later =
        new String(Windows.json(Windows.second(1)), StandardCharsets.UTF_8)
            .replace("\"version\":2", "\"version\":3,\"newField\":{\"a\":[1]}");
    send(TOPICS.metrics(), later.getBytes(StandardCharsets.UTF_8));
    send(TOPICS.metrics(), "{\"type\":\"Unheard\",\"version\":3}".getBytes(StandardCharsets.UTF_8));
    send(TOPICS.metrics(), "no JSON".getBytes(StandardCharsets.UTF_8));
    settle(2, 3);
    serve();
    try (RawClient page = stream()) {
      JsonNode snapshot = JSON.readTree(next(page, "snapshot").data());

      assertThat(later).contains("\"version\":3");
      assertThat(snapshot.at("/points/from_s").size()).isEqualTo(3);
      assertThat(snapshot.at("/run/words").toString()).contains("records unreadable");
      settle(3, 4);
      assertThat(seconds(page, 1)).containsExactly("3");
    }
  }

  @Test
  void namesThatAreHtmlAreOnlyData() throws Exception {
    makeTopics();
    String name = "<img src=x onerror=alert(1)>";
    String second =
        new String(Windows.json(Windows.second(0)), StandardCharsets.UTF_8)
            .replace("interactive", name);
    describe();
    send(TOPICS.metrics(), second.getBytes(StandardCharsets.UTF_8));
    serve();
    try (RawClient page = stream()) {
      next(page, "snapshot");
    }
    RawClient.Answer answer = RawClient.get(server.url(), "/api/runs/" + RUN + "/snapshot");

    assertThat(answer.header("content-type")).startsWith("application/json");
    assertThat(answer.header("x-content-type-options")).isEqualTo("nosniff");
    assertThat(JSON.readTree(answer.body()).at("/points/classes").has(name)).isTrue();
  }
}
