package dev.sluice.harness.serve;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.contract.event.RunSummarized;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.serve.RawClient.Answer;
import dev.sluice.harness.serve.RawClient.Event;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What pages read of a live run's stream: a real server, without a Kafka. */
final class PageStreamTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int PAGES_MAX = 3;

  private final LiveRun run = new LiveRun("run-1");
  private PageServer server;

  @BeforeEach
  void start() throws UserMistakeException {
    server = PageServer.start(new PageAddress(0, null, List.of(), PAGES_MAX), run);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private void described() {
    run.described(Windows.described("run-1"));
  }

  private void settled(long from, long to) {
    for (long second = from; second < to; second++) {
      run.settled(Windows.second(second));
    }
  }

  private RawClient stream(String... headers) throws IOException {
    return RawClient.stream(server.url(), "run-1", headers);
  }

  /** Ids of the next events that are seconds; others are passed over. */
  private static List<String> seconds(RawClient page, int count) throws IOException {
    List<String> ids = new ArrayList<>();
    while (ids.size() < count) {
      Event event = page.event();
      if (event.event().equals("second")) {
        ids.add(event.id());
      }
    }
    return ids;
  }

  @Test
  void aSnapshotComesFirst_thenEachSecondWithItsNumberAsId() throws IOException {
    described();
    settled(0, 5);
    run.caughtUp();
    try (RawClient page = stream()) {
      Event snapshot = page.event();
      settled(5, 8);

      assertThat(snapshot.event()).isEqualTo("snapshot");
      assertThat(snapshot.id()).isEqualTo("4");
      JsonNode json = JSON.readTree(snapshot.data());
      assertThat(json.at("/run/id").asText()).isEqualTo("run-1");
      assertThat(json.at("/points/from_s").size()).isEqualTo(5);
      assertThat(seconds(page, 3)).containsExactly("5", "6", "7");
    }
  }

  @Test
  void aSecondIsTheRecordAsTheTopicHoldsIt() throws IOException {
    described();
    run.caughtUp();
    try (RawClient page = stream()) {
      page.event();
      settled(0, 1);

      assertThat(page.event().data())
          .isEqualTo(new String(Windows.json(Windows.second(0)), StandardCharsets.UTF_8));
    }
  }

  @Test
  void aPageThatComesBackGoesOn_withoutAGapOrADouble() throws IOException {
    described();
    settled(0, 100);
    run.caughtUp();
    try (RawClient page = stream("Last-Event-ID: 10")) {
      List<String> first = seconds(page, 50);
      settled(100, 120);

      assertThat(first).first().isEqualTo("11");
      assertThat(first).last().isEqualTo("60");
      List<String> rest = seconds(page, 59);
      assertThat(rest).doesNotHaveDuplicates().first().isEqualTo("61");
      assertThat(rest).last().isEqualTo("119");
    }
  }

  @Test
  void aPageThatComesBackAfterTenMinutesGetsASnapshot() throws IOException {
    described();
    settled(0, 700);
    run.caughtUp();
    try (RawClient page = stream("Last-Event-ID: 3")) {
      assertThat(page.event().event()).isEqualTo("snapshot");
    }
  }

  @Test
  void anIdThatTheRunHasNotReachedGetsASnapshot() throws IOException {
    described();
    settled(0, 5);
    run.caughtUp();
    try (RawClient page = stream("Last-Event-ID: 99")) {
      Event first = page.event();

      assertThat(first.event()).isEqualTo("snapshot");
      assertThat(first.id()).isEqualTo("4");
    }
  }

  @Test
  void aServerThatWasStartedAgainReadsTheTopicsBeforeAPageGoesOn() throws IOException {
    described();
    settled(0, 20); // so far the new server has read
    try (RawClient page = stream("Last-Event-ID: 39")) {
      settled(20, 45);
      run.caughtUp();

      assertThat(seconds(page, 5)).containsExactly("40", "41", "42", "43", "44");
    }
  }

  @Test
  void aSecondThatIsToldTwiceIsSentOnce() throws IOException {
    described();
    settled(0, 3);
    run.caughtUp();
    try (RawClient page = stream("Last-Event-ID: 0")) {
      settled(0, 3); // analytics or the broker came back
      settled(3, 5);

      assertThat(seconds(page, 4)).containsExactly("1", "2", "3", "4");
    }
  }

  @Test
  void aPageBeforeTheFirstRecordGetsASnapshotOfNothing() throws IOException {
    run.caughtUp();
    try (RawClient page = stream()) {
      Event snapshot = page.event();

      JsonNode json = JSON.readTree(snapshot.data());
      assertThat(snapshot.id()).isEmpty();
      assertThat(json.at("/run/state").asText()).isEqualTo("live");
      assertThat(json.at("/run/time_zero_epoch_ms").isNull()).isTrue();
      assertThat(json.at("/points/from_s").size()).isZero();
    }
  }

  @Test
  void lanesHaveNoId_andTheirBatchesStandInTheNextSnapshot() throws IOException {
    described();
    run.caughtUp();
    try (RawClient page = stream()) {
      page.event();
      run.lanes(Windows.lanes(0), Windows.json(Windows.lanes(0)));

      Event lanes = page.event();
      assertThat(lanes.event()).isEqualTo("lanes");
      assertThat(lanes.id()).isEmpty();
    }
    try (RawClient page = stream()) {
      JsonNode batch = JSON.readTree(page.event().data()).at("/batches/batches/0");
      assertThat(batch.path("id").asText()).isEqualTo("0:0-0");
      assertThat(batch.path("executor").asText()).isEqualTo("executor-0");
      assertThat(batch.path("lane").asInt()).isZero();
    }
  }

  @Test
  void theLastFrameCarriesTheSummary_andTheStreamEnds() throws IOException {
    described();
    settled(0, 2);
    run.caughtUp();
    try (RawClient page = stream("Last-Event-ID: 0")) {
      run.ended(new RunSummarized("run-1", "{\"verdict\": \"met\", \"all_count\": 20}", null));

      assertThat(seconds(page, 1)).containsExactly("1");
      Event ended = page.event();
      assertThat(ended.event()).isEqualTo("ended");
      assertThat(JSON.readTree(ended.data()).at("/summary/all_count").asInt()).isEqualTo(20);
      assertThat(JSON.readTree(ended.data()).path("state").asText()).isEqualTo("ended");
      assertThat(page.event()).isNull();
      Answer again =
          RawClient.get(server.url(), "/api/runs/run-1/stream", "Last-Event-ID: " + ended.id());
      assertThat(again.status()).isEqualTo(204); // the browser does not come back any more
    }
  }

  @Test
  void aPageThatComesAfterTheEndGetsAllAtOnce() throws IOException {
    described();
    settled(0, 2);
    run.ended(new RunSummarized("run-1", "{\"verdict\": \"met\"}", null));
    try (RawClient page = stream()) {
      assertThat(page.event().event()).isEqualTo("snapshot");
      assertThat(page.event().event()).isEqualTo("ended");
      assertThat(page.event()).isNull();
    }
  }

  @Test
  void aRunThatIsDescribedAfterAPageHasBegunIsToldAtOnce() throws IOException {
    run.caughtUp();
    try (RawClient page = stream()) {
      page.event();
      described();

      Event event = page.event();
      assertThat(event.event()).isEqualTo("run");
      assertThat(JSON.readTree(event.data()).path("policy").asText()).isEqualTo("fifo");
      assertThat(JSON.readTree(event.data()).at("/words/0/word").asText()).isEqualTo("emulated");
    }
  }

  @Test
  void whatChangesInTheRunIsTold() throws IOException {
    described();
    settled(0, 2);
    run.caughtUp();
    try (RawClient page = stream()) {
      page.event();
      run.trouble("broker away", null);
      settled(2, 3);
      run.trouble("broker away", "no answer");

      Event event = page.event();
      while (!event.data().contains("broker away")) {
        event = page.event();
      }
      assertThat(event.event()).isEqualTo("run");
      assertThat(event.data()).contains("no answer");
    }
  }

  @Test
  void aPageThatDoesNotReadLosesFrames_andGetsASnapshotOnceItReads() throws IOException {
    described();
    settled(0, 1);
    run.caughtUp();
    try (var stuck = new RawClient(server.url(), 4096).streaming("run-1");
        RawClient reading = stream("Last-Event-ID: 0")) {
      byte[] large = large();
      int told = 0;
      while (server.streams.dropped() == 0) {
        run.lanes(Windows.lanes(told), large);
        told++;
        assertThat(reading.event().event()).isEqualTo("lanes"); // nobody else is slowed
      }
      settled(1, 4);
      assertThat(seconds(reading, 3)).containsExactly("1", "2", "3");

      Event event = stuck.event(); // the first snapshot, and what the system kept
      Event last = event;
      while (last.event().equals("lanes") || last == event) {
        last = stuck.event();
      }
      assertThat(last.event()).isEqualTo("snapshot");
      assertThat(last.id()).isEqualTo("3");
      settled(4, 5);
      assertThat(seconds(stuck, 1)).containsExactly("4");
    }
  }

  /** A record of 100 kB: unknown fields are ignored. */
  private static byte[] large() {
    return ("{\"pad\":\"" + "x".repeat(100_000) + "\"}").getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void oneStreamTooManyIsRefusedWithASentence() throws IOException {
    described();
    run.caughtUp();
    List<RawClient> pages = new ArrayList<>();
    for (int i = 0; i < PAGES_MAX; i++) {
      pages.add(stream());
    }
    Answer refused = RawClient.get(server.url(), "/api/runs/run-1/stream");

    assertThat(server.streams.count()).isEqualTo(PAGES_MAX);
    assertThat(refused.status()).isEqualTo(503);
    assertThat(refused.text()).contains("All 3 streams are in use").contains("--max-pages");
    for (RawClient page : pages) {
      page.close();
    }
    settled(0, 1); // a write finds that they are gone
    run.lanes(Windows.lanes(0), large());
    run.lanes(Windows.lanes(1), large());
    try (RawClient next = firstFree()) {
      assertThat(next.event().event()).isEqualTo("snapshot");
    }
  }

  /** A place is free once the server has seen that a page is gone. */
  private RawClient firstFree() throws IOException {
    for (int i = 0; ; i++) {
      try {
        return stream();
      } catch (IOException refused) {
        run.lanes(Windows.lanes(i), large());
      }
    }
  }

  @Test
  void anHourIsASnapshotOfAtMost300Kib() throws IOException {
    described();
    settled(0, 3600);
    run.caughtUp();

    assertThat(RawClient.get(server.url(), "/api/runs/run-1/snapshot").body().length)
        .isLessThanOrEqualTo(300 * 1024);
  }

  @Test
  void tenMinutesOf200ClassesOn1024LanesAreASnapshotOfAtMost300Kib_withEachClass()
      throws IOException {
    described();
    for (int second = 0; second < 600; second++) {
      run.settled(Windows.second(second, 200));
    }
    run.caughtUp();
    try (RawClient page = stream()) {
      assertCrowded(page.event().data());
      byte[] lanes = Windows.json(Windows.lanes(14_400, 16, 64));
      run.lanes(Windows.lanes(14_400, 16, 64), lanes);
      assertThat(page.event().data()).isEqualTo(new String(lanes, StandardCharsets.UTF_8));
    }
    String json = RawClient.get(server.url(), "/api/runs/run-1/snapshot").text();
    assertCrowded(json);
  }

  private static void assertCrowded(String snapshot) throws IOException {
    assertThat(snapshot.length()).isLessThanOrEqualTo(300 * 1024);
    JsonNode points = JSON.readTree(snapshot).path("points");
    assertThat(points.path("classes")).hasSize(200);
    long requested = 0;
    for (JsonNode jobs : points.at("/classes/class-199/requested")) {
      requested += jobs.asLong();
    }
    assertThat(requested).as("jobs of the last class").isEqualTo(6_000);
  }

  @Test
  void secondsArePaged() throws IOException {
    described();
    settled(0, 700);

    JsonNode first = JSON.readTree(RawClient.get(server.url(), "/api/runs/run-1/seconds").body());
    JsonNode rest =
        JSON.readTree(RawClient.get(server.url(), "/api/runs/run-1/seconds?from=600").body());

    assertThat(first.path("seconds").size()).isEqualTo(600);
    assertThat(first.path("next").asInt()).isEqualTo(600);
    assertThat(rest.path("seconds").size()).isEqualTo(100);
    assertThat(rest.path("next").isNull()).isTrue();
    assertThat(rest.at("/seconds/0")).isEqualTo(JSON.readTree(Windows.json(Windows.second(600))));
  }

  @Test
  void aNumberThatIsNoneIsRefusedWithASentence() throws IOException {
    for (String query :
        List.of("seconds?from=-1", "seconds?from=x", "batches", "batches?from=2&to=1")) {
      Answer answer = RawClient.get(server.url(), "/api/runs/run-1/" + query);
      assertThat(answer.status()).as(query).isEqualTo(400);
      assertThat(answer.text()).contains("must be");
    }
  }

  @Test
  void noSecretOfTheKafkaConfigReachesThePage(@TempDir Path folder) throws Exception {
    Path config = folder.resolve("client.properties");
    Files.writeString(
        config,
        "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\n"
            + "sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required"
            + " username=\"me\" password=\"s3cr3t-word\n"); // no end: Kafka's message quotes it
    KafkaAccess kafka = KafkaAccess.of("--bootstrap", "127.0.0.1:1", config);
    run.read(kafka, () -> null);
    try (RawClient page = stream()) {
      String said = page.event().data();

      assertThat(said).contains("broker away").doesNotContain("s3cr3t");
    }
    for (String path : List.of("/api/runs", "/api/runs/run-1", "/api/runs/run-1/snapshot")) {
      assertThat(RawClient.get(server.url(), path).text()).doesNotContain("s3cr3t");
    }
  }
}
