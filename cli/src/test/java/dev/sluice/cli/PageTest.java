package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.contract.event.BatchesEnded;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.event.RunDescribed;
import dev.sluice.contract.event.WindowRecord;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.Topics;
import dev.sluice.harness.kafka.EmbeddedBroker;
import dev.sluice.harness.process.ChildProcess;
import dev.sluice.harness.process.ChildProcess.Signal;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The page in a real browser, of a real run: nine windows watch it, one after the other loses its
 * stream, sleeps, is loaded again, and the server dies. What they show in the end is compared with
 * the topic and with the folder.
 */
@Tag("loop")
final class PageTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String RUN = "paged";

  /** Windows that stay where they are; the others are used up by single tests. */
  private static final List<String> COMPARED = List.of("3", "4", "5", "9");

  private static final Pattern PAGE = Pattern.compile("Page {2}(http://\\S+)");
  private static final String SETTLED = "Number(document.documentElement.dataset.settled)";
  private static final String STATE = "document.getElementById('state').textContent";

  /** Keeps when each frame was drawn, and what it showed. */
  private static final String WATCH =
      """
      window.drawn = [];
      new MutationObserver(() => {
        const {now, settled} = document.documentElement.dataset;
        window.drawn.push([Date.now(), Number(now), Number(settled)]);
      }).observe(document.documentElement, {attributeFilter: ['data-now']});
      """;

  @TempDir private static Path folder;

  private static Chromium browser;
  private static Roles roles;
  private static String page;
  private static final Map<String, String> windows = new LinkedHashMap<>();
  private static List<String> consoleBeforeTheServerDied;
  private static List<List<Number>> drawn;
  private static long framesWithoutMotion;
  private static List<ConsumerRecord<byte[], byte[]>> seconds;

  @BeforeAll
  static void watchARunFromItsBeginningToItsEnd() throws Exception {
    browser = Chromium.start(folder.resolve("browser"));
    EmbeddedBroker broker = SharedBroker.get();
    roles = new Roles(folder, broker.bootstrapServers(), RUN);
    Path results = Files.createDirectories(folder.resolve("results"));
    ChildProcess server = roles.start("serve", "serve", results.toString(), "--port", "0");
    roles.awaitPrinted(server, "Page  http");
    Matcher address = PAGE.matcher(Roles.printed(server));
    assertThat(address.find()).isTrue();
    page = address.group(1);
    ChildProcess run = startRun(broker, results);
    roles.awaitPrinted(run, "infeasible"); // the load begins next

    open("first");
    browser.run(WATCH);
    browser.await(SETTLED + " >= 3");
    double liveMsMax = 0;
    for (String name : List.of("2", "3", "4", "5", "6", "7", "8", "9")) {
      open(name);
      Object liveMs = browser.await(STATE + ".startsWith('Live') && performance.now()");
      liveMsMax = Math.max(liveMsMax, ((Number) liveMs).doubleValue());
    }
    say("each of nine windows live within " + Math.round(liveMsMax) + " ms of its opening");
    consoleBeforeTheServerDied = browser.console();

    browser.show(windows.get("first"));
    drawn = frames();
    browser.show(windows.remove("first")); // it holds the stream
    browser.closeWindow();
    browser.show(windows.get("2"));
    long closedNs = System.nanoTime();
    String advanced = SETTLED + " > " + browser.run("return " + SETTLED) + " + 0.5";
    browser.await(advanced);
    say(
        "taken over, with a new second, after "
            + (System.nanoTime() - closedNs) / 1_000_000
            + " ms");

    browser.show(windows.get("3"));
    browser.reload();
    browser.show(windows.get("4"));
    browser.sleep();
    browser.show(windows.get("5"));
    browser.emulate(Map.of("prefers-reduced-motion", "reduce"));
    browser.run(WATCH);
    browser.await("window.drawn.length && window.drawn.at(-1)[0] > window.drawn[0][0] + 3000");
    framesWithoutMotion =
        frames().stream()
            .filter(f -> f.get(0).longValue() <= frames().get(0).get(0).longValue() + 3000)
            .count();
    browser.show(windows.get("4"));
    browser.wake();

    browser.show(windows.get("2"));
    server.expectEnd();
    server.signal(Signal.KILL);
    browser.await(STATE + ".startsWith('Silent')");
    String port = String.valueOf(URI.create(page).getPort());
    server = roles.start("serve-again", "serve", results.toString(), "--port", port);
    roles.awaitPrinted(server, "Page  http");
    long startedNs = System.nanoTime();
    browser.await("/^(Live|Ended|Finished)/.test(" + STATE + ")");
    say("the server found again after " + (System.nanoTime() - startedNs) / 1_000_000 + " ms");

    run.expectEnd();
    run.signal(Signal.TERM); // the arrivals end early, and the run goes to its end
    run.process().waitFor();
    for (String window : windows.values()) {
      browser.show(window);
      browser.await("/^(Ended|Finished)/.test(" + STATE + ")");
    }
    browser.console();
    seconds = TopicRecords.of(broker.bootstrapServers(), new Topics(RUN).metrics());
  }

  private static ChildProcess startRun(EmbeddedBroker broker, Path results) throws Exception {
    List<String> arguments =
        new ArrayList<>(
            List.of("run", roles.loop().write(Loop.EMULATED).toString(), "--run-id", RUN));
    arguments.addAll(Roles.UNHURRIED);
    arguments.addAll(List.of("--bootstrap", broker.bootstrapServers(), "--keep-topics"));
    arguments.addAll(List.of("--results", results.toString(), "--set", "duration_seconds=600"));
    return roles.start("run", arguments.toArray(String[]::new));
  }

  @AfterAll
  static void close() {
    if (roles != null) {
      roles.close();
    }
    if (browser != null) {
      browser.close();
    }
  }

  private static void open(String name) {
    windows.put(name, browser.open(page + "#" + RUN));
  }

  private static void say(String measured) {
    System.out.println("Page: " + measured);
  }

  @SuppressWarnings("unchecked")
  private static List<List<Number>> frames() {
    return (List<List<Number>>) browser.run("return window.drawn;");
  }

  private static List<MetricsWindow> settled() throws Exception {
    List<MetricsWindow> windows = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : seconds) {
      if (EventCodec.METRICS.read(record.value()) instanceof MetricsWindow window) {
        windows.add(window);
      }
    }
    return windows;
  }

  /** A column of a chart's table in the current window, by the second that a row begins with. */
  @SuppressWarnings("unchecked")
  private static Map<Long, String> column(String chart, String name, int rowsExpected) {
    browser.run(
        "document.querySelector('[data-do=all]').click();"
            + "document.getElementById(arguments[0]).scrollIntoView();"
            + "document.getElementById(arguments[0]).querySelector('details').open = true;",
        chart);
    List<List<String>> rows =
        (List<List<String>>)
            browser.await(
                "(() => { const c = document.getElementById('"
                    + chart
                    + "'); const heads = [...c.querySelectorAll('th[scope=col]')]"
                    + ".map((h) => h.textContent); const at = heads.indexOf('"
                    + name
                    + "'); const rows = [...c.querySelectorAll('tbody tr')];"
                    + "return at > 0 && rows.length >= "
                    + rowsExpected
                    + " && rows.map((r) => [r.cells[0].textContent, r.cells[at].textContent]);"
                    + "})()");
    Map<Long, String> column = new TreeMap<>();
    for (List<String> row : rows) {
      String[] clock = row.get(0).split(":", -1);
      column.put(Long.parseLong(clock[0]) * 60 + Long.parseLong(clock[1]), row.get(1));
    }
    return column;
  }

  /**
   * Seconds through the last one in which a job was there. How many idle ones follow until the end
   * of the run is known differs between the topic and the folder, which a page reads afterwards.
   */
  private static Map<Long, Double> expected(ToDoubleFunction<MetricsWindow> value)
      throws Exception {
    List<MetricsWindow> windows = settled();
    while (isIdle(windows.get(windows.size() - 1))) {
      windows.remove(windows.size() - 1);
    }
    Map<Long, Double> expected = new TreeMap<>();
    for (MetricsWindow window : windows) {
      expected.put(window.fromNs() / 1_000_000_000, value.applyAsDouble(window));
    }
    return expected;
  }

  private static boolean isIdle(MetricsWindow window) {
    return window.total().requested() + window.total().ended() == 0
        && window.waiting() + window.running() == 0;
  }

  private static void assertColumn(String chart, String name, ToDoubleFunction<MetricsWindow> value)
      throws Exception {
    Map<Long, Double> expected = expected(value);
    Map<Long, String> shown = column(chart, name, expected.size());
    assertThat(shown.keySet()).as(chart + ", " + name).containsAll(expected.keySet());
    shown.forEach(
        (second, text) -> {
          if (!expected.containsKey(second)) {
            assertThat(text).as(chart + ", " + name + " at " + second).isIn("", "0");
          }
        });
    expected.forEach(
        (second, number) -> {
          String text = shown.get(second);
          if (Double.isNaN(number)) {
            assertThat(text).as(chart + " at " + second).isEmpty();
          } else if (Double.isInfinite(number)) {
            assertThat(text).as(chart + " at " + second).isEqualTo("infinite");
          } else {
            assertThat(Double.parseDouble(text.replace(",", "")))
                .as(chart + ", " + name + " at " + second)
                .isEqualTo(number, within(Math.max(1e-3, 5e-4 * number))); // four digits
          }
        });
  }

  private static double p99Ms(MetricsWindow.Counts counts) {
    if (counts.done() + counts.dropped() + counts.failed() == 0) {
      return Double.NaN;
    }
    Double p99 = counts.p99E2eMs();
    return p99 == null ? Double.POSITIVE_INFINITY : p99;
  }

  @Test
  void eachWindowShowsEachSecondAsItsRecord_afterReloadSleepAndRestart() throws Exception {
    assertThat(settled().size()).isGreaterThan(5);
    for (String name : COMPARED) {
      browser.show(windows.get(name));
      assertColumn("chart-rates", "in", window -> window.total().requested());
      assertColumn("chart-rates", "out", window -> window.total().done());
      assertColumn("chart-waiting", "all", MetricsWindow::waiting);
    }
    assertColumn(
        "chart-latency-interactive", "p99", window -> p99Ms(window.byClass().get("interactive")));
    assertColumn("chart-latency-batch", "p99", window -> p99Ms(window.byClass().get("batch")));
    assertColumn(
        "chart-lane-use",
        "use",
        window -> Objects.requireNonNullElse(window.laneUse(), Double.NaN));
  }

  @Test
  void theFiguresAreThoseOfTheSummary_byClass() throws Exception {
    JsonNode summary =
        JSON.readTree(folder.resolve("results").resolve(RUN).resolve("summary.json").toFile());
    for (String window : COMPARED) {
      browser.show(windows.get(window));
      for (String name : List.of("all", "interactive", "batch")) {
        for (String figure :
            List.of(
                "count",
                "done",
                "dropped",
                "p50_e2e_ms",
                "p95_e2e_ms",
                "p99_e2e_ms",
                "slo_violation_rate",
                "goodput_jobs_sec")) {
          JsonNode value = summary.path(name + "_" + figure);
          String shown =
              (String)
                  browser.await(
                      "document.querySelector('[data-figure="
                          + name
                          + "_"
                          + figure
                          + "]').textContent");
          if (value.isNull()) {
            assertThat(shown).as(name + " " + figure).isEqualTo("infinite");
          } else {
            assertThat(Double.parseDouble(shown))
                .as(name + " " + figure)
                .isEqualTo(value.asDouble(), within(0.0005));
          }
        }
      }
    }
  }

  @Test
  void nothingStandsInTheConsole_andNoRequestLeavesTheAddress() {
    assertThat(consoleBeforeTheServerDied).isEmpty();
    browser.show(windows.get("2"));
    browser.reload();
    browser.await("document.querySelector('[data-figure=all_count]')");
    @SuppressWarnings("unchecked")
    List<String> requests =
        (List<String>)
            browser.run("return performance.getEntriesByType('resource').map((r) => r.name)");
    assertThat(requests).isNotEmpty().allMatch(request -> request.startsWith(page));
    Path report = folder.resolve("results").resolve(RUN).resolve("report.html");
    browser.go(report.toUri().toString());
    browser.await("document.querySelector('.chart canvas')");
    assertThat(browser.console()).isEmpty();
    assertThat((Long) browser.run("return performance.getEntriesByType('resource').length"))
        .isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "prefers-color-scheme, light, 1366",
    "prefers-color-scheme, dark, 1366",
    "forced-colors, active, 1366",
    "prefers-color-scheme, light, 360"
  })
  void axeFindsNothing(String feature, String value, int width) throws Exception {
    browser.show(windows.get("6"));
    browser.resize(width, 900);
    browser.emulate(Map.of(feature, value));
    for (String where : List.of(RUN, "runs")) {
      browser.go("about:blank");
      browser.go(page + "#" + where);
      browser.await("document.querySelector('.chart, #runs tbody tr')");
      assertThat(browser.violations()).as(where).isEmpty();
      assertThat((Long) browser.run("return document.documentElement.scrollWidth"))
          .as("no scrolling sideways")
          .isLessThanOrEqualTo(width);
    }
  }

  @Test
  void theTabKeyReachesEachControl_fromTheFirstToTheLast() {
    browser.show(windows.get("7"));
    browser.run(
        "window.reached = []; document.activeElement.blur(); scrollTo(0, 0);"
            + "document.addEventListener('focusin', ({target}) => reached.push(target));");
    Long controls =
        (Long)
            browser.run(
                "window.controls = [...document.querySelectorAll("
                    + "'a[href], button, input, select, summary, [tabindex=\"0\"]')]"
                    + ".filter((e) => e.checkVisibility()); return controls.length");
    for (int i = 0; i < controls + 10; i++) { // a batch's card has controls of its own
      browser.press("Tab", 9);
    }
    assertThat(
            browser.run(
                "return [...new Set(reached)].map((c) => controls.indexOf(c)).filter((i) => i >= 0)"))
        .isEqualTo(LongStream.range(0, controls).boxed().toList());
  }

  @Test
  void theKeysActOnAChartsCursor_onTheLanes_andOnThePage() {
    browser.show(windows.get("8"));
    browser.run( // a page that was opened live shows the last minute, and a run can be longer
        "document.querySelector('[data-do=all]').click();"
            + "document.querySelector('#chart-rates .plot').focus()");
    browser.await(
        "document.querySelector('#chart-rates .summary').textContent.startsWith('0:00 ')");
    browser.press("Home", 36);
    browser.await(
        "document.querySelector('#chart-rates .plot').ariaValueText.startsWith('at 0:01: in ')");
    browser.run("document.querySelector('#gantt canvas').focus()");
    browser.press("ArrowRight", 39);
    String words = (String) browser.await("document.getElementById('card').textContent");
    assertThat(words).contains("Predicted", "Actual", "Score", "./sluice explain results/" + RUN);
    browser.press("Escape", 27);
    browser.await("document.getElementById('card').hidden");
    browser.press("?", 191);
    browser.await("document.getElementById('keys').open");
    browser.press("Escape", 27);
    browser.await("!document.getElementById('keys').open");
    browser.press("r", 82);
    browser.await("document.querySelector('#runs tbody tr')");
  }

  @Test
  void theLanesStepOnceASecond_whereMotionIsNotWanted() {
    assertThat(framesWithoutMotion).isBetween(1L, 4L);
  }

  @Test
  void drawsWhatWasAppended() throws Exception {
    assertThat(drawn).isNotEmpty();
    List<Long> lanes = new ArrayList<>();
    List<Long> sinceBatches = new ArrayList<>();
    List<Long> settled = new ArrayList<>();
    List<Long> sinceEnds = new ArrayList<>();
    long zeroMs =
        ((RunDescribed) EventCodec.METRICS.read(seconds.get(0).value())).timeZeroEpochMs();
    for (ConsumerRecord<byte[], byte[]> record : seconds) {
      WindowRecord read = EventCodec.METRICS.read(record.value());
      if (read instanceof BatchesEnded ended) {
        delay(lanes, record.timestamp(), ended.toNs(), 1);
        ended.executors().stream()
            .flatMap(executor -> executor.lanes().stream())
            .flatMap(lane -> lane.batches().stream())
            .forEach(
                batch ->
                    sinceBatches.add(record.timestamp() - zeroMs - batch.finishedNs() / 1_000_000));
      } else if (read instanceof MetricsWindow window) {
        delay(settled, record.timestamp(), window.toNs(), 2);
        delay(sinceEnds, zeroMs + window.toNs() / 1_000_000, window.toNs(), 2);
      }
    }
    assertThat(lanes).isNotEmpty();
    assertThat(sinceBatches).isNotEmpty();
    assertThat(settled).isNotEmpty();
    say("record appended to frame drawn, p95 of lanes " + p95(lanes) + " ms");
    say("end of a batch to its record appended, p95 " + p95(sinceBatches) + " ms");
    say("record appended to frame drawn, p95 of seconds " + p95(settled) + " ms");
    say("end of a second to its settled frame drawn, p95 " + p95(sinceEnds) + " ms");
  }

  /** Adds the time from an append to the first frame of its instant, if the page was open then. */
  private static void delay(List<Long> delays, long appendedMs, long instantNs, int place) {
    double instant = instantNs / 1e9 - 1e-6;
    if (drawn.get(0).get(place).doubleValue() < instant) {
      drawn.stream()
          .filter(frame -> frame.get(place).doubleValue() >= instant)
          .findFirst()
          .ifPresent(frame -> delays.add(frame.get(0).longValue() - appendedMs));
    }
  }

  private static long p95(List<Long> delays) {
    List<Long> sorted = delays.stream().sorted().toList();
    return sorted.get((int) Math.ceil(0.95 * sorted.size()) - 1);
  }
}
