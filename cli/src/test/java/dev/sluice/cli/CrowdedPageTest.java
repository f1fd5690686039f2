package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.window.LanesWindow;
import dev.sluice.contract.window.LatencyHistogram;
import dev.sluice.contract.window.MetricsWindow;
import dev.sluice.contract.window.RunDescribed;
import dev.sluice.contract.window.RunSummarized;
import dev.sluice.harness.kafka.EmbeddedBroker;
import dev.sluice.harness.process.ChildProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page in a real browser, of a run with 200 classes on 1,024 lanes that a server reads. */
@Tag("loop")
final class CrowdedPageTest {
  private static final String RUN = "crowded";
  private static final Topics TOPICS = new Topics(RUN);
  private static final int CLASSES = 200;
  private static final int EXECUTORS = 16;
  private static final int LANES_EACH = 64;
  private static final long SECOND_NS = 1_000_000_000;
  private static final Pattern PAGE = Pattern.compile("Page {2}(http://\\S+)");
  private static final List<String> NAMES =
      IntStream.range(0, CLASSES).mapToObj(i -> "class-" + i).toList();

  @TempDir private static Path folder;

  private static Chromium browser;
  private static Roles roles;
  private static KafkaProducer<byte[], byte[]> producer;
  private static String rowsWhileLive;
  private static String rowsAtTheEnd;
  private static String rowsAfterTheEnd;
  private static long widthWhileLive;
  private static long narrowWidthWhileLive;
  private static List<String> latencyCharts;

  @BeforeAll
  @SuppressWarnings("unchecked")
  static void watchARunFromItsRecordsToItsEnd() throws Exception {
    browser = Chromium.start(folder.resolve("browser"));
    EmbeddedBroker broker = SharedBroker.get();
    roles = new Roles(folder, broker.bootstrapServers(), RUN);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
      List<NewTopic> topics = new ArrayList<>();
      for (String name : List.of(TOPICS.runs(), TOPICS.metrics(), TOPICS.lanes())) {
        topics.add(new NewTopic(name, Optional.of(1), Optional.empty()));
      }
      admin.createTopics(topics).all().get();
    }
    producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", broker.bootstrapServers(), "linger.ms", "0"),
            new ByteArraySerializer(),
            new ByteArraySerializer());
    send(
        TOPICS.runs(),
        EventCodec.RUNS.write(new RunStarted(RUN, 1_700_000_000_000L, 1, "c0", "r0", 1, 1, null)));
    send(TOPICS.metrics(), EventCodec.METRICS.write(described()));
    for (int second = 0; second < 60; second++) {
      send(TOPICS.metrics(), EventCodec.METRICS.write(second(second)));
    }
    send(TOPICS.lanes(), EventCodec.LANES.write(lanes(4 * 60)));
    ChildProcess server =
        roles.start(
            "serve",
            "serve",
            "--bootstrap",
            broker.bootstrapServers(),
            "--run-id",
            RUN,
            "--port",
            "0");
    roles.awaitPrinted(server, "Page  http");
    Matcher address = PAGE.matcher(Roles.printed(server));
    assertThat(address.find()).isTrue();
    browser.open(address.group(1) + "#" + RUN);
    browser.await("document.documentElement.dataset.settled >= 60");
    for (int quarter = 4 * 60 + 1; quarter <= 4 * 61; quarter++) {
      send(TOPICS.lanes(), EventCodec.LANES.write(lanes(quarter)));
    }
    send(TOPICS.metrics(), EventCodec.METRICS.write(second(60)));
    browser.await("document.documentElement.dataset.settled >= 61");
    rowsWhileLive = rows();
    widthWhileLive = width();
    latencyCharts =
        (List<String>)
            browser.run(
                """
                const found = [];
                const charts = () => [...document.querySelectorAll('section[id^=chart-latency-]')]
                    .map((chart) => chart.id.slice('chart-latency-'.length));
                const groups = [...document.getElementById('group').options].map((o) => o.value);
                for (const group of groups) {
                  const before = charts().join();
                  const choice = document.getElementById('group');
                  const isShown = choice.value === group;
                  choice.value = group;
                  choice.dispatchEvent(new Event('change'));
                  while (!isShown && charts().join() === before) await new Promise(requestAnimationFrame);
                  found.push(...charts());
                }
                return found;
                """);
    browser.resize(360, 900);
    narrowWidthWhileLive = width();
    browser.resize(1366, 900);
    send(TOPICS.metrics(), EventCodec.METRICS.write(new RunSummarized(RUN, summary(), null)));
    browser.await("document.querySelector('[data-figure=all_count]')");
    rowsAtTheEnd = rows();
    browser.reload();
    browser.await("document.querySelector('[data-figure=all_count]')");
    rowsAfterTheEnd = rows();
  }

  private static String rows() {
    return (String)
        browser.await(
            "(() => { const words = document.getElementById('lanes-summary').textContent;"
                + " return words.includes('executor') && words; })()");
  }

  @AfterAll
  static void close() {
    if (producer != null) {
      producer.close();
    }
    if (roles != null) {
      roles.close();
    }
    if (browser != null) {
      browser.close();
    }
  }

  private static void send(String topic, byte[] record) throws Exception {
    producer.send(new ProducerRecord<>(topic, record)).get();
  }

  private static long width() {
    return (Long) browser.run("return document.documentElement.scrollWidth");
  }

  private static RunDescribed described() {
    var yaml = new StringBuilder("run_name: crowded\nscheduler_name: fifo\nclasses:\n");
    NAMES.forEach(name -> yaml.append("  ").append(name).append(": {slo_ms: 100, priority: 1}\n"));
    return new RunDescribed(
        RUN, 1_700_000_000_000L, List.of(), yaml.toString(), "c0", "r0", true, Map.of());
  }

  private static MetricsWindow second(long number) {
    var counts =
        new MetricsWindow.Counts(
            10, 10, 0, 0, 1, 9, 5.0, 8.0, 9.0, 2L, LatencyHistogram.of(5_000_000, 9_000_000));
    Map<String, MetricsWindow.Counts> byClass = new TreeMap<>();
    NAMES.forEach(name -> byClass.put(name, counts));
    return new MetricsWindow(
        number * SECOND_NS,
        (number + 1) * SECOND_NS,
        counts,
        byClass,
        2,
        1,
        EXECUTORS * LANES_EACH,
        0.5,
        Map.of(),
        null,
        null,
        1.0,
        1.0,
        MetricsWindow.Predictions.NONE);
  }

  /** A quarter of a second in which each lane ran one batch. */
  private static LanesWindow lanes(long number) {
    long fromNs = (number - 1) * SECOND_NS / 4;
    List<LanesWindow.Executor> executors = new ArrayList<>();
    for (int e = 0; e < EXECUTORS; e++) {
      List<LanesWindow.Lane> lanes = new ArrayList<>();
      for (int i = 0; i < LANES_EACH; i++) {
        var batch =
            new LanesWindow.Batch(
                "0:" + number + "-" + (e * LANES_EACH + i),
                1,
                fromNs,
                true,
                fromNs + SECOND_NS / 8,
                "DONE",
                "resnet18",
                "onnx",
                "fp32",
                NAMES.get(i),
                1,
                "job-" + i,
                1,
                125.0,
                null,
                125.0,
                Map.of());
        lanes.add(new LanesWindow.Lane(i, 0.5, "resnet18/onnx/fp32", List.of(batch), 0));
      }
      executors.add(new LanesWindow.Executor("executor-" + e, 0, "emulated", null, lanes));
    }
    return new LanesWindow(fromNs, fromNs + SECOND_NS / 4, 600, 2, 1, executors);
  }

  private static String summary() {
    var json =
        new StringBuilder("{\"verdict\": \"met\", \"warmup_seconds\": 0, \"duration_seconds\": 61");
    json.append(", \"all_count\": ").append(7 * CLASSES);
    NAMES.forEach(name -> json.append(", \"").append(name).append("_count\": 7"));
    return json.append("}").toString();
  }

  @Test
  void lanesAreFoldedByExecutor_alsoForAPageThatIsOpenedAfterTheEnd() {
    assertThat(List.of(rowsWhileLive, rowsAtTheEnd, rowsAfterTheEnd))
        .containsOnly(EXECUTORS + " executors; height: share of busy lanes.");
    browser.run("document.getElementById('lanes-numbers').open = true");
    String rows = "[...document.querySelectorAll('#lanes-numbers tbody th')]";
    browser.await(rows + ".length");
    assertThat(browser.run("return " + rows + ".map((h) => h.textContent)"))
        .isEqualTo(IntStream.range(0, EXECUTORS).mapToObj(e -> "executor-" + e).toList());
  }

  @Test
  void eachClassHasItsChartAndTableWhileItIsLive_andItsRowInTheEnd() {
    assertThat(latencyCharts).containsExactlyInAnyOrderElementsOf(NAMES);
    for (String name : NAMES) {
      assertThat(
              browser.run(
                  "return document.querySelector('[data-figure=" + name + "_count]').textContent"))
          .as(name)
          .isEqualTo("7");
    }
  }

  @Test
  void nothingScrollsSideways_andNothingStandsInTheConsole() {
    assertThat(widthWhileLive).isLessThanOrEqualTo(1366);
    assertThat(narrowWidthWhileLive).isLessThanOrEqualTo(360);
    browser.resize(360, 900);
    assertThat(width()).isLessThanOrEqualTo(360);
    browser.resize(1366, 900);
    assertThat(browser.console()).isEmpty();
  }
}
