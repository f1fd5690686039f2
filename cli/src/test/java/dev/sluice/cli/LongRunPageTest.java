package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page in a real browser, of a run that has gone on for an hour on 64 busy lanes. */
@Tag("loop")
final class LongRunPageTest {
  private static final int HOUR = 3600;
  private static final int STREAMED = 12;

  /** Keeps when the charts were drawn, and the tasks that kept the page busy for over 50 ms. */
  private static final String WATCH =
      """
      window.tasks = [];
      new PerformanceObserver((list) => tasks.push(...list.getEntries()))
          .observe({type: 'longtask', buffered: true});
      new MutationObserver((changes, observer) => {
        window.chartsAt = performance.now();
        observer.disconnect();
      }).observe(document, {subtree: true, attributeFilter: ['data-settled']});
      """;

  @TempDir private Path folder;

  @Test
  void showsTheWholeHour_andEachSecondThatComes() throws Exception {
    try (var browser = Chromium.start(folder.resolve("browser"));
        var run = new ServedRun(folder, "hour", List.of("interactive", "batch"), 1, 64)) {
      for (int second = 0; second < HOUR; second++) {
        run.send(run.second(second));
      }
      run.send(run.lanes(4 * HOUR, 2));
      String page = run.serve();
      browser.tell("Page.addScriptToEvaluateOnNewDocument", Map.of("source", WATCH));
      for (int visit = 0; visit < 2; visit++) { // the first one finds nothing in any cache
        browser.go("about:blank");
        browser.go(page);
        Number charts = (Number) browser.await("window.chartsAt");
        Number paint =
            (Number)
                browser.await(
                    "performance.getEntriesByName('first-contentful-paint')[0].startTime");
        say(
            "visit %d: first paint after %d ms, charts of an hour after %d ms"
                .formatted(visit, paint.longValue(), charts.longValue()));
      }
      assertThat(browser.run("return document.documentElement.dataset.settled"))
          .isEqualTo(String.valueOf(HOUR));
      browser.run("window.tasks.length = 0; window.streamsFrom = performance.now()");
      stream(run, browser);
      List<?> tasks =
          (List<?>)
              browser.run(
                  "return tasks.filter((t) => t.startTime > streamsFrom)"
                      + ".map((t) => Math.round(t.duration))");
      say("tasks of over 50 ms in " + STREAMED + " s of streaming: " + tasks);
    }
  }

  /** Sends four records of batches a second, and each second, until the page has drawn all. */
  private static void stream(ServedRun run, Chromium browser) throws InterruptedException {
    var failure = new AtomicReference<Exception>();
    var sent = new CountDownLatch(4 * STREAMED);
    var quarter = new AtomicLong(4L * HOUR);
    ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    try {
      var unused =
          clock.scheduleAtFixedRate(
              () -> {
                long number = quarter.incrementAndGet();
                try {
                  run.send(run.lanes(number, 2));
                  if (number % 4 == 0) {
                    run.send(run.second(number / 4 - 1));
                  }
                } catch (Exception e) {
                  failure.set(e);
                }
                sent.countDown();
              },
              0,
              250,
              TimeUnit.MILLISECONDS);
      assertThat(sent.await(10, TimeUnit.MINUTES)).isTrue();
    } finally {
      clock.shutdownNow();
    }
    assertThat(failure.get()).isNull();
    browser.await("document.documentElement.dataset.settled >= " + (HOUR + STREAMED));
  }

  private static void say(String measured) {
    System.out.println("Page: " + measured);
  }
}
