package dev.sluice.analytics.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.analytics.fold.SyntheticRun;
import dev.sluice.contract.event.RunDescribed;
import dev.sluice.contract.event.RunSummarized;
import dev.sluice.contract.experiment.Experiment.Threshold;
import dev.sluice.contract.experiment.ResolvedConfig;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Snapshots of described runs with made-up seconds. */
final class SnapshotTest {
  private static RunDescribed described(Map<String, Threshold> thresholds) {
    return new RunDescribed(
        "run-1",
        SyntheticRun.ZERO_EPOCH_MS,
        List.of("emulated lanes: they waited instead of computing"),
        ResolvedConfig.write(SyntheticRun.experiment(100, 2, 3600, 4, thresholds)),
        "c0ffee",
        "feed",
        true,
        Map.of("sluice", "0.1.0"));
  }

  private static ObjectNode batches(int count) {
    ObjectNode batches = Json.object();
    ArrayNode bars = batches.putArray("batches");
    for (int i = 0; i < count; i++) {
      bars.addObject().put("id", "0:" + i + "-0").put("text", "x".repeat(400));
    }
    return batches.put("left_out", 0);
  }

  @Test
  void isOfAtMost300KiB_forAnHour() throws Exception {
    var windows = Windows.random(3600, 2000, List.of("batch", "bulk", "interactive"), 1);
    String json =
        Snapshot.json(Run.of(described(Map.of()), null).json(windows), windows, batches(100));
    assertThat(json.getBytes(StandardCharsets.UTF_8)).hasSizeBetween(100_000, 300 * 1024);
    JsonNode snapshot = new JsonMapper().readTree(json);
    assertThat(snapshot.path("points").path("from_s")).hasSize(900);
    assertThat(snapshot.path("batches").path("batches")).hasSize(100);
  }

  @Test
  void hasFewerPoints_whenThereAreManyClasses() throws Exception {
    List<String> classes = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      classes.add("class-" + i);
    }
    var windows = Windows.random(300, 3, classes, 1);
    String json =
        Snapshot.json(Run.of(described(Map.of()), null).json(windows), windows, batches(200));
    assertThat(json.getBytes(StandardCharsets.UTF_8)).hasSizeLessThan(300 * 1024);
    JsonNode points = new JsonMapper().readTree(json).path("points");
    long seconds = 0;
    for (JsonNode span : points.path("span_s")) {
      seconds += span.asLong();
    }
    assertThat(seconds).isEqualTo(300);
    assertThat(points.path("classes")).hasSize(200);
  }

  @Test
  void saysWhatTheRunIs() throws Exception {
    var thresholds = Map.of("interactive_p99_e2e_ms", new Threshold("<", 200));
    Run run = Run.of(described(thresholds), null);
    JsonNode json =
        new JsonMapper().readTree(Snapshot.json(run.json(List.of()), List.of(), null)).path("run");
    assertThat(json.path("state").asText()).isEqualTo("live");
    assertThat(json.path("provisional").asBoolean()).isTrue();
    assertThat(json.path("words").path(0).path("word").asText()).isEqualTo("emulated");
    assertThat(json.path("first_lines").path(0).asText()).startsWith("! emulated lanes");
    assertThat(json.path("first_lines").path(1).asText())
        .isEqualTo("quickstart, policy dynamic, run-1");
    assertThat(json.path("lanes").asInt()).isEqualTo(4);
    assertThat(json.path("planned_seconds").asInt()).isEqualTo(3600);
    assertThat(json.path("classes")).hasSize(2);
    assertThat(json.path("thresholds").path(0).path("state").asText()).isEqualTo("open");
    assertThat(json.path("summary").isNull()).isTrue();
    assertThat(json.path("digests").path("requests").asText()).isEqualTo("feed");
    assertThat(json.path("commands").path("explain").asText())
        .isEqualTo("./sluice explain results/run-1 JOB");
  }

  @Test
  void takesThresholdsFromTheSummary_whenTheRunHasEnded() throws Exception {
    String summary =
        """
        {"verdict": "missed", "not_comparable": ["<b>late</b>"],
         "thresholds": {"p99_e2e_ms": {"bound": "< 5", "value": 7.5, "result": "missed"},
                        "failed": {"bound": "<= 0", "value": null, "result": "undecided"}}}
        """;
    var run = Run.of(described(Map.of()), new RunSummarized("run-1", summary, null));
    JsonNode json =
        new JsonMapper().readTree(Snapshot.json(run.json(List.of()), List.of(), null)).path("run");
    assertThat(json.path("state").asText()).isEqualTo("ended");
    assertThat(json.path("thresholds").path(0).path("state").asText()).isEqualTo("missed");
    assertThat(json.path("thresholds").path(0).path("value").asDouble()).isEqualTo(7.5);
    assertThat(json.path("thresholds").path(1).path("state").asText()).isEqualTo("open");
    assertThat(json.path("words").path(1).path("why").asText()).isEqualTo("<b>late</b>");
  }

  @Test
  void saysWhatItsPicturesSay_whenTheRunHasEnded() throws Exception {
    String summary =
        """
        {"verdict": "met", "not_comparable": [], "unstable": true,
         "notes": ["busy machine: others took 33 % of its processors meanwhile", "other"]}
        """;
    var run = Run.of(described(Map.of()), new RunSummarized("run-1", summary, null));
    assertThat(run.words())
        .containsEntry("busy machine", List.of("others took 33 % of its processors meanwhile"))
        .containsEntry("unstable", List.of("the queue rose over the whole measured window"))
        .containsOnlyKeys("emulated", "busy machine", "unstable");
  }

  @Test
  void saysThatTheRunFailed_whenItWasGivenUp() {
    var run = Run.of(described(Map.of()), new RunSummarized("run-1", null, "the disk is full"));
    JsonNode json = run.json(List.of());
    assertThat(json.path("state").asText()).isEqualTo("failed");
    assertThat(json.path("failure").asText()).isEqualTo("the disk is full");
  }
}
