package dev.sluice.analytics.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.contract.event.LatencyHistogram;
import dev.sluice.contract.event.MetricsWindow;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Points of made-up seconds. */
final class PointsTest {
  private static final List<String> CLASSES = List.of("batch", "interactive");

  private static long sum(JsonNode column) {
    long sum = 0;
    for (JsonNode value : column) {
      sum += value.asLong();
    }
    return sum;
  }

  /** The seconds of each point. */
  private static List<List<MetricsWindow>> spans(JsonNode points, List<MetricsWindow> windows) {
    List<List<MetricsWindow>> spans = new ArrayList<>();
    for (int i = 0; i < points.path("from_s").size(); i++) {
      int from = points.path("from_s").path(i).asInt();
      spans.add(windows.subList(from, from + points.path("span_s").path(i).asInt()));
    }
    return spans;
  }

  @Property(tries = 20)
  void addUpToTheWindows(@ForAll @IntRange(min = 1, max = 6000) int seconds, @ForAll long seed) {
    List<MetricsWindow> windows = Windows.random(seconds, 4, CLASSES, seed);
    JsonNode points = Points.of(windows).json();
    assertThat(sum(points.path("span_s"))).isEqualTo(seconds);
    assertThat(sum(points.path("total").path("done")))
        .isEqualTo(windows.stream().mapToLong(w -> w.total().done()).sum());
    for (String name : CLASSES) {
      JsonNode counts = points.path("classes").path(name);
      assertThat(sum(counts.path("requested")))
          .isEqualTo(windows.stream().mapToLong(w -> w.byClass().get(name).requested()).sum());
      assertThat(sum(counts.path("dropped")))
          .isEqualTo(windows.stream().mapToLong(w -> w.byClass().get(name).dropped()).sum());
    }
    assertThat(sum(points.path("beyond_p95")))
        .isEqualTo(
            windows.stream()
                .mapToLong(w -> w.predictions() == null ? 0 : w.predictions().beyondP95())
                .sum());
    for (String column : List.of("waiting", "lane_use", "lateness_max_ms", "tokens")) {
      assertThat(points.path(column)).hasSameSizeAs(points.path("from_s"));
    }
  }

  @Property(tries = 10)
  void havePercentilesOfTheAddedHistogram_andOfASecondItsOwn(@ForAll long seed) {
    List<MetricsWindow> windows = Windows.random(1500, 30, CLASSES, seed);
    JsonNode points = Points.of(windows).json();
    List<List<MetricsWindow>> spans = spans(points, windows);
    for (int i = 0; i < spans.size(); i++) {
      var endToEnd = LatencyHistogram.EMPTY;
      long ended = 0;
      for (MetricsWindow window : spans.get(i)) {
        LatencyHistogram more = window.total().endToEnd();
        endToEnd = more == null ? endToEnd : endToEnd.plus(more);
        ended += window.total().ended();
      }
      for (int percent : new int[] {50, 95, 99}) {
        JsonNode told = points.path("total").path("p" + percent + "_ms").path(i);
        if (ended == 0) {
          assertThat(told.isNull()).isTrue();
          continue;
        }
        double ms = endToEnd.percentileNs(percent, ended) / 1e6;
        if (Double.isInfinite(ms)) {
          assertThat(told.asText()).isEqualTo("inf");
        } else {
          double share = spans.get(i).size() == 1 ? 0.006 : 0.001; // a bucket's half; rounding
          assertThat(told.asDouble()).isCloseTo(ms, within(share * ms));
        }
      }
    }
  }

  @Property(tries = 10)
  void keepTheLargestAndSmallest_whenThinned(
      @ForAll @IntRange(min = 700, max = 9000) int seconds, @ForAll long seed) {
    List<MetricsWindow> windows = Windows.random(seconds, 1, CLASSES, seed);
    JsonNode points = Points.of(windows).json();
    assertThat(points.path("from_s").size()).isLessThan(seconds);
    List<List<MetricsWindow>> spans = spans(points, windows);
    for (int i = 0; i < spans.size(); i++) {
      List<MetricsWindow> span = spans.get(i);
      assertThat(points.path("waiting").path(i).asLong())
          .isEqualTo(span.stream().mapToLong(MetricsWindow::waiting).max().orElseThrow());
      assertThat(points.path("waiting_min").path(i).asLong())
          .isEqualTo(span.stream().mapToLong(MetricsWindow::waiting).min().orElseThrow());
    }
  }

  @Test
  void areSecondsForTenMinutes_tenSecondsForTheHourBefore_thenMinutes() {
    JsonNode points = Points.of(Windows.random(7200, 1, CLASSES, 1)).json();
    List<Integer> spans = new ArrayList<>();
    points.path("span_s").forEach(span -> spans.add(span.asInt()));
    assertThat(spans.stream().filter(span -> span == 1)).hasSize(600);
    assertThat(spans.stream().filter(span -> span == 10)).hasSize(360);
    assertThat(spans.stream().filter(span -> span == 60)).hasSize(50);
  }

  @Test
  void haveNoPercentile_whenTheRecordsAreOfVersion1() {
    MetricsWindow v2 = Windows.random(1, 9, List.of("batch"), 3).get(0);
    MetricsWindow.Counts total = v2.total();
    var counts =
        new MetricsWindow.Counts(total.requested(), 5, 0, 0, 0, 5, 1.0, 2.0, 3.0, null, null);
    List<MetricsWindow> windows = new ArrayList<>();
    for (int second = 0; second < 700; second++) {
      windows.add(
          new MetricsWindow(
              second * Windows.SECOND_NS,
              (second + 1) * Windows.SECOND_NS,
              counts,
              java.util.Map.of("batch", counts),
              1,
              2,
              3,
              null,
              java.util.Map.of(),
              null,
              null,
              null,
              null,
              null));
    }
    JsonNode points = Points.of(windows).json();
    assertThat(points.path("total").path("p99_ms").path(0).isNull()).isTrue();
    assertThat(points.path("total").path("p99_ms").path(points.path("from_s").size() - 1).asInt())
        .isEqualTo(3);
    assertThat(points.path("batches").path(0).isNull()).isTrue();
  }
}
