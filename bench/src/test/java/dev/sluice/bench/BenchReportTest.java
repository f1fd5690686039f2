package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.bench.Bench.Row;
import dev.sluice.bench.Benches.Window;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows, goals and the table of the bench. */
final class BenchReportTest {
  private static final Row TIME = Row.atMostLoops("time_ms", "ms", 0.5);
  private static final Row RATE = Row.atLeastPerLoop("rate", "jobs/s", 1_000);
  private static final Row RATIO = Row.atLeast("ratio", "", 0.9).beside("SimPy");

  @TempDir private Path folder;

  private static BenchReport report(double loopMs, Map<Row, List<Double>> readings) {
    var origin = new BenchOrigin("abc1234", LocalDate.of(2026, 11, 26), "a machine");
    return new BenchReport(origin, new LinkedHashMap<>(readings), List.of(loopMs), null);
  }

  @Test
  void theTableHasAtMostThirtyRows_ofDifferentNames() throws Exception {
    List<Bench> benches =
        Benches.ofTable(Path.of(".."), folder, new Window(15, 10), new Window(60, 30), text -> {});
    List<String> rows = benches.stream().flatMap(b -> b.rows().stream()).map(Row::name).toList();

    assertThat(rows).hasSizeLessThanOrEqualTo(30).doesNotHaveDuplicates();
    assertThat(benches).extracting(Bench::name).doesNotHaveDuplicates();
  }

  @Test
  void aScaledGoalGrowsWithTheLoop_andAPlainOneDoesNot() {
    assertThat(TIME.goal(300)).isEqualTo(150);
    assertThat(TIME.goal(600)).isEqualTo(300);
    assertThat(Row.atMostLoops("time_s", "s", 10).goal(300)).isEqualTo(3);
    assertThat(RATE.goal(500)).isEqualTo(2_000);
    assertThat(RATE.goal(1_000)).isEqualTo(1_000);
    assertThat(RATIO.goal(300)).isEqualTo(RATIO.goal(600)).isEqualTo(0.9);
  }

  @Test
  void aReadingReachesItsGoal_byTheMedianLoop() {
    assertThat(report(300, Map.of(TIME, List.of(150.0))).isNoneMissed()).isTrue();
    assertThat(report(300, Map.of(TIME, List.of(150.1))).isNoneMissed()).isFalse();
    assertThat(report(500, Map.of(RATE, List.of(1_999.0))).isNoneMissed()).isFalse();
    assertThat(report(500, Map.of(RATE, List.of(2_000.0))).isNoneMissed()).isTrue();
  }

  @Test
  void aRowWithoutAReadingIsMissed_unlessItsPeerIsMissing() {
    BenchReport peer = report(300, Map.of(RATIO, List.of()));
    assertThat(peer.isNoneMissed()).isTrue();
    assertThat(peer.table()).contains("none").contains("SimPy is missing");

    BenchReport other = report(300, Map.of(TIME, List.of()));
    assertThat(other.isNoneMissed()).isFalse();
    assertThat(other.table()).contains("none").contains("MISSED");
  }

  @Test
  void theTreeHasTheGoalOnThisMachine_andItsLoopsWhereItIsScaled() {
    JsonNode rows =
        new ObjectMapper()
            .valueToTree(report(300, Map.of(TIME, List.of(1.0))).toTree())
            .path("rows");
    assertThat(rows.path(0).path("goal").asDouble()).isEqualTo(150);
    assertThat(rows.path(0).path("goal_loops").asDouble()).isEqualTo(0.5);

    rows =
        new ObjectMapper()
            .valueToTree(report(300, Map.of(RATIO, List.of(1.0))).toTree())
            .path("rows");
    assertThat(rows.path(0).path("goal").asDouble()).isEqualTo(0.9);
    assertThat(rows.path(0).has("goal_loops")).isFalse();
  }

  @Test
  void theTableReplacesWhatStandsBetweenTheMarkers_andNothingElse() throws Exception {
    String before = "# Numbers\n\nWords.\n\n" + PublishedTable.BEGIN;
    String after = PublishedTable.END + "\nMore words: <!-- other -->\n";
    Path document = Files.writeString(folder.resolve("numbers.md"), before + "old\n" + after);

    PublishedTable.write(document, report(300, Map.of(TIME, List.of(120.0))).markdown());

    String text = Files.readString(document);
    assertThat(text).startsWith(before).endsWith(after).doesNotContain("old");
    assertThat(text)
        .contains("Commit abc1234, 2026-11-26, a machine.")
        .contains("a fixed loop took 300 ms")
        .contains("| time_ms | 120 ms | at most 150 ms (0.5 fixed loops) | reached |");

    PublishedTable.write(document, report(300, Map.of(TIME, List.of(160.0))).markdown());
    assertThat(Files.readString(document)).contains("**missed**").doesNotContain("| 120 ms |");
  }

  @Test
  void thePublishedDocumentHasAPlaceForTheTable() throws Exception {
    PublishedTable.check(Path.of("../docs/performance.md"));
  }

  @Test
  void theSustainedRateIsTheHighestThatWasKeptUpWith() throws Exception {
    assertThat(SustainedBench.highest(asked -> asked <= 5_000 ? asked - 1 : 0)).isEqualTo(4_499);
    assertThat(SustainedBench.highest(asked -> asked <= 6_000 ? asked : 0)).isEqualTo(5_625);
    assertThat(SustainedBench.highest(asked -> 0)).isZero();
  }
}
