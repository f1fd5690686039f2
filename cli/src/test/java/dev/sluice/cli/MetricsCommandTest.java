package dev.sluice.cli;

import static dev.sluice.cli.BadInputCommand.sluice;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.analytics.live.MetricsCsv;
import dev.sluice.contract.event.LatencyHistogram;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.event.MetricsWindow.Counts;
import dev.sluice.contract.event.MetricsWindow.Predictions;
import dev.sluice.contract.event.RunSummarized;
import dev.sluice.contract.event.WindowRecord;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.RunTopics;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.log.Writing;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.Launch;
import dev.sluice.harness.serve.MetricsReading;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code ./sluice metrics}: the topic of a run on a real broker, piped on. */
@Tag("loop")
final class MetricsCommandTest {
  private static final Duration LIMIT = Duration.ofSeconds(300);
  private static final Path PYTHON = Path.of("/usr/bin/python3");

  private final String runId = "piped-" + UUID.randomUUID();
  private final List<String> said = new ArrayList<>();
  private KafkaAccess kafka;
  private Producer<byte[], byte[]> producer;

  @BeforeEach
  void makeTopics() throws Exception {
    kafka = KafkaAccess.embedded(SharedBroker.get().bootstrapServers(), 30_000);
    RunTopics.ensure(
        new Topics(runId), 1, kafka.clients(), MachineClock::monotonicNs, MachineClock.pacer());
    producer = kafka.clients().producer(Writing.IN_ORDER);
  }

  @AfterEach
  void removeTopics() throws Exception {
    producer.close();
    RunTopics.remove(new Topics(runId), kafka.clients());
  }

  private static String second(int second) {
    var counts =
        new Counts(2, 1, 1, 0, 1, 0, 80.5, null, null, 3L, LatencyHistogram.of(80_500_000));
    return text(
        new MetricsWindow(
            second * 1_000_000_000L,
            (second + 1) * 1_000_000_000L,
            counts,
            Map.of("batch", counts),
            3,
            2,
            4,
            0.75,
            Map.of(),
            null,
            null,
            null,
            null,
            Predictions.NONE));
  }

  private static String text(WindowRecord record) {
    return new String(EventCodec.METRICS.write(record), UTF_8);
  }

  private String end() {
    return text(new RunSummarized(runId, "{}", null));
  }

  private void append(String... records) throws Exception {
    for (String record : records) {
      producer
          .send(new ProducerRecord<>(new Topics(runId).metrics(), 0, null, record.getBytes(UTF_8)))
          .get();
    }
  }

  private MetricsReading reading(OutputStream out, boolean csv, boolean fromBeginning) {
    return new MetricsReading(
        kafka.bootstrapServers(), null, runId, csv, fromBeginning, out, said::add);
  }

  @Test
  void writesEachRecordAsItStands_toTheRunsEnd() throws Exception {
    String later = second(1).replace("\"version\":2", "\"version\":3,\"watts\":[1.5]");
    String unknown = "{\"type\":\"Joules\",\"version\":1}";
    append(second(0), later, unknown, end(), "after the end");
    var screen = new Screen();
    assertThat(reading(screen, false, true).execute()).isZero();
    assertThat(screen.text().lines()).containsExactly(second(0), later, unknown, end());
    assertThat(said).isEmpty();
  }

  @Test
  void writesTheRowsOfMetricsCsv() throws Exception {
    append(second(0), "{\"type\":\"Joules\",\"version\":1}", second(1), end());
    var screen = new Screen();
    assertThat(reading(screen, true, true).execute()).isZero();
    assertThat(screen.text().lines())
        .hasSize(5)
        .startsWith(String.join(",", MetricsCsv.COLUMNS))
        .anyMatch(row -> row.startsWith("0,all,2,1,1,0,1,0,80.5,inf,inf,3,2,4,0.75,"))
        .anyMatch(row -> row.startsWith("1,batch,2,1,1,0,1,0,80.5,inf,inf,3,,"));
  }

  private static CompletableFuture<Integer> started(MetricsReading reading) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return reading.execute();
          } catch (UserMistakeException | InterruptedException e) {
            throw new AssertionError(e);
          }
        });
  }

  @Test
  void beginsWithTheNextSecond_andFollows() throws Exception {
    append(second(0));
    var screen = new Screen();
    MetricsReading reading = reading(screen, true, false);
    CompletableFuture<Integer> status = started(reading);
    screen.await("class_type", LIMIT); // its place in the topic is found soon after
    for (int second = 1; !screen.text().contains(",all,"); second++) {
      assertThat(second).isLessThan(10_000);
      append(second(second));
    }
    append(end());
    assertThat(status.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isZero();
    assertThat(screen.text()).doesNotContain("\n0,all,");
  }

  @Test
  void endsAtOnce_ifTheRunHasEnded_andSaysHowToReadIt() throws Exception {
    append(second(0), end());
    var screen = new Screen();
    assertThat(reading(screen, false, false).execute()).isZero();
    assertThat(screen.text()).isEmpty();
    assertThat(said).singleElement().asString().contains("--from-beginning");
  }

  @Test
  void theTenLinesOfPythonPrintEachSecond_asTheDocumentHasThem() throws Exception {
    assumeTrue(
        python("import kafka").waitFor() == 0,
        "no /usr/bin/python3 with the package kafka-python (Debian's python3-kafka)");
    String document = Files.readString(Path.of("..", "docs", "metrics.md"));
    Matcher block = Pattern.compile("```python\n(.*?)```", Pattern.DOTALL).matcher(document);
    assertThat(block.find()).isTrue();
    String script =
        block
            .group(1)
            .replace("\"first.metrics\"", '"' + new Topics(runId).metrics() + '"')
            .replace("localhost:9092", kafka.bootstrapServers());
    assertThat(script).contains(runId, kafka.bootstrapServers());
    append(second(0), second(1), end());
    Process reader = python(script);
    assertThat(new String(reader.getInputStream().readAllBytes(), UTF_8))
        .isEqualTo("0 2 1 None\n1 2 1 None\n");
    assertThat(reader.waitFor()).isZero();
  }

  private static Process python(String script) throws IOException {
    assumeTrue(Files.isExecutable(PYTHON), "no " + PYTHON);
    return Launch.of(List.of(PYTHON.toString(), "-c", script)).start();
  }

  @Test
  void endsQuietly_whenTheOtherEndOfThePipeCloses() throws Exception {
    append(second(0));
    Process child =
        Launch.of(
                ChildJvm.sluice(
                    List.of(),
                    List.of(
                        "metrics",
                        "--bootstrap",
                        kafka.bootstrapServers(),
                        "--run-id",
                        runId,
                        "--from-beginning")))
            .start();
    try (var lines = new BufferedReader(new InputStreamReader(child.getInputStream(), UTF_8))) {
      assertThat(lines.readLine()).isEqualTo(second(0));
      lines.close();
      for (int second = 1; !child.waitFor(50, TimeUnit.MILLISECONDS); second++) {
        assertThat(second).isLessThan(1000);
        append(second(second));
      }
      assertThat(new String(child.getErrorStream().readAllBytes(), UTF_8)).isEmpty();
      assertThat(child.exitValue()).isZero();
    } finally {
      child.destroyForcibly();
    }
  }

  @Test
  void saysThatTheDiskIsFull() throws Exception {
    append(second(0), end());
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("No space left on device");
          }
        };
    assertThatThrownBy(() -> reading(full, true, true).execute())
        .isInstanceOf(UserMistakeException.class)
        .hasMessageStartingWith(
            "standard output: error: it cannot be written (no space left on device).\n  Maybe ");
  }

  @Test
  void endsWithAWord_whenTheTopicsGoAwayBeforeTheLastRecord() throws Exception {
    append(second(0));
    var screen = new Screen();
    MetricsReading reading = reading(screen, false, true);
    CompletableFuture<Integer> status = started(reading);
    screen.await("MetricsWindow", LIMIT);
    RunTopics.remove(new Topics(runId), kafka.clients());
    assertThat(status.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(ExitStatus.BUG);
    assertThat(said).singleElement().asString().contains("went away before its last record");
  }

  @Test
  void refusesARunThatIsNotThere_andAKafkaThatIsNot() {
    sluice("metrics", "--bootstrap", kafka.bootstrapServers(), "--run-id", runId + "x")
        .isRefused(1)
        .says("--run-id: error: no run with this id has topics there (" + runId + "x)")
        .says("Maybe you meant " + runId);
    sluice("metrics", "--bootstrap", "127.0.0.1:1", "--run-id", runId)
        .isRefused(1)
        .says("--bootstrap: error: no Kafka answers there");
    sluice("metrics", "--bootstrap", kafka.bootstrapServers(), "--run-id", "../x").isRefused(1);
  }
}
