package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.RunSummarized;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page in a real browser, of a run with 200 classes on 1,024 lanes that a server reads. */
@Tag("loop")
final class CrowdedPageTest {
  private static final int CLASSES = 200;
  private static final int EXECUTORS = 16;
  private static final int LANES_EACH = 64;
  private static final List<String> NAMES =
      IntStream.range(0, CLASSES).mapToObj(i -> "class-" + i).toList();

  @TempDir private static Path folder;

  private static Chromium browser;
  private static ServedRun run;
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
    run = new ServedRun(folder, "crowded", NAMES, EXECUTORS, LANES_EACH);
    for (int second = 0; second < 60; second++) {
      run.send(run.second(second));
    }
    run.send(run.lanes(4 * 60, 1));
    browser.open(run.serve());
    browser.await("document.documentElement.dataset.settled >= 60");
    for (int quarter = 4 * 60 + 1; quarter <= 4 * 61; quarter++) {
      run.send(run.lanes(quarter, 1));
    }
    run.send(run.second(60));
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
    run.send(new RunSummarized("crowded", summary(), null));
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
    if (run != null) {
      run.close();
    }
    if (browser != null) {
      browser.close();
    }
  }

  private static long width() {
    return (Long) browser.run("return document.documentElement.scrollWidth");
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
