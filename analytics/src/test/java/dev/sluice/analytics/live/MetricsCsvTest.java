package dev.sluice.analytics.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.LatencyHistogram;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.event.MetricsWindow.Counts;
import dev.sluice.contract.event.MetricsWindow.Predictions;
import dev.sluice.contract.log.EventCodec;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** metrics.csv, from windows made by hand. */
final class MetricsCsvTest {
  private static final Counts BATCH =
      new Counts(14, 12, 1, 0, 2, 11, 80.5, 210.25, null, 3L, LatencyHistogram.EMPTY);
  private static final Counts NOTHING =
      new Counts(0, 0, 0, 0, 0, 0, null, null, null, 0L, LatencyHistogram.EMPTY);

  private static String written(MetricsWindow window) throws IOException {
    var text = new StringWriter();
    try (MetricsCsv csv = MetricsCsv.to(text)) {
      csv.write(window);
    }
    return text.toString();
  }

  @Test
  void hasARowForAllClasses_andOneForEach() throws Exception {
    var window =
        new MetricsWindow(
            3_000_000_000L,
            4_000_000_000L,
            BATCH,
            Map.of("interactive", NOTHING, "batch", BATCH),
            3,
            2,
            4,
            0.75,
            Map.of("policy", 2_000_000L, "tokens", 41_000_000L),
            6L,
            8L,
            1.5,
            0.75,
            new Predictions(9, 1, 0, -0.0625));
    assertThat(written(window))
        .isEqualTo(
            """
            second,class_type,requested,done,dropped,failed,violations,goodput_jobs_sec,\
            p50_e2e_ms,p95_e2e_ms,p99_e2e_ms,waiting,running,lanes,lane_use,\
            blocked_ms_tokens,blocked_ms_window,blocked_ms_capability,blocked_ms_policy,\
            tokens_in_use,tokens,lateness_max_ms,lateness_p99_ms,\
            prediction_count,prediction_p95_misses,prediction_p99_misses,prediction_median_error
            3,all,14,12,1,0,2,11,80.5,210.25,inf,3,2,4,0.75,\
            41.000000,0.000000,0.000000,2.000000,6,8,1.5,0.75,9,1,0,-0.0625
            3,batch,14,12,1,0,2,11,80.5,210.25,inf,3,,,,,,,,,,,,,,,
            3,interactive,0,0,0,0,0,0,,,,0,,,,,,,,,,,,,,,
            """);
  }

  @Test
  void hasTheColumnsThatAreDocumented() throws Exception {
    String text = Files.readString(Path.of("..", "docs", "results.md"));
    String section = text.split("\n## metrics.csv\n", -1)[1].split("\n## ", -1)[0];
    List<String> documented =
        section
            .lines()
            .filter(line -> line.startsWith("| ") && !line.startsWith("| column"))
            .filter(line -> !line.startsWith("| ---"))
            .flatMap(line -> Stream.of(line.split(" \\| ", -1)[0].substring(2).split(", ", -1)))
            .toList();
    assertThat(documented).containsExactlyElementsOf(MetricsCsv.COLUMNS);
  }

  @Test
  void leavesEmptyWhatVersion1DoesNotSay() throws Exception {
    String version1 =
        """
        {"type":"MetricsWindow","version":1,"fromNs":0,"toNs":1000000000,"total":{"requested":1,\
        "done":1,"dropped":0,"failed":0,"violations":0,"goodputPerSecond":1.0,"p50E2eMs":80.5,\
        "p95E2eMs":80.5,"p99E2eMs":80.5},"byClass":{"batch":{"requested":1,"done":1,"dropped":0,\
        "failed":0,"violations":0,"goodputPerSecond":1.0,"p50E2eMs":80.5,"p95E2eMs":80.5,\
        "p99E2eMs":80.5}},"waiting":3,"running":2,"lanes":2,"laneUse":null}""";
    var window = (MetricsWindow) EventCodec.METRICS.read(version1.getBytes(StandardCharsets.UTF_8));
    assertThat(written(window).lines().skip(1))
        .containsExactly(
            "0,all,1,1,0,0,0,1,80.5,80.5,80.5,3,2,2,,,,,,,,,,,,,",
            "0,batch,1,1,0,0,0,1,80.5,80.5,80.5,,,,,,,,,,,,,,,,");
  }
}
