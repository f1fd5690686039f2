package dev.sluice.analytics.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.analytics.compare.Comparison.Verdict;
import dev.sluice.analytics.statistic.PairedDifference;
import dev.sluice.contract.file.UserMistakeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Verdicts on pairs of summaries made by hand. */
final class ComparisonTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static ObjectNode summary(double goodput, @Nullable Double p99, double average) {
    ObjectNode run = JSON.createObjectNode();
    run.putObject("by_class_workload").putObject("interactive").putObject("vit");
    run.put("all_count", 1000).put("all_done", 1000);
    run.put("all_goodput_jobs_sec", goodput).put("all_throughput_jobs_sec", 100.0);
    run.put("all_slo_violation_rate", 0.01);
    run.put("all_avg_e2e_ms", average).put("all_p50_e2e_ms", average);
    return run.put("all_p99_e2e_ms", p99);
  }

  /** Pairs around 100 jobs/s, 50 ms and 20 ms, of which B is changed. */
  private static List<List<JsonNode>> pairs(int count, BiConsumer<Random, ObjectNode> change) {
    var random = new Random(5);
    List<List<JsonNode>> pairs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      double average = 20 + random.nextGaussian();
      ObjectNode b = summary(100 + 0.1 * random.nextGaussian(), 50.0, average);
      change.accept(random, b);
      pairs.add(List.of(summary(100 + 0.1 * random.nextGaussian(), 50.0, average), b));
    }
    return pairs;
  }

  private static Comparison.Line line(Comparison comparison, String figure) {
    return comparison.lines().stream()
        .filter(line -> line.figure().name().equals(figure))
        .findFirst()
        .orElseThrow();
  }

  private static Comparison ofPairs(List<List<JsonNode>> pairs, @Nullable String primary)
      throws UserMistakeException {
    return Comparison.judge(
        HeadlineFigure.of(pairs.get(0).get(0), primary), new PairsOfRuns(pairs));
  }

  @Test
  void saysWhetherTheRequestsWereEqual() throws Exception {
    var equal = ofPairs(pairs(8, (r, b) -> {}), null);
    assertThat(equal.method()).endsWith("8 pairs of runs with equal requests");
    var other = ofPairs(pairs(8, (r, b) -> b.put("request_digest", "d2")), null);
    assertThat(other.method()).endsWith("8 pairs of runs with other requests");
  }

  @Test
  void moreGoodputIsBetter_andLessIsWorse() throws Exception {
    var more = ofPairs(pairs(8, (r, b) -> b.put("all_goodput_jobs_sec", 101.0)), null);
    assertThat(more.primaryVerdict()).isEqualTo(Verdict.BETTER);
    assertThat(more.isWorse()).isFalse();
    var less = ofPairs(pairs(8, (r, b) -> b.put("all_goodput_jobs_sec", 99.0)), null);
    assertThat(less.primaryVerdict()).isEqualTo(Verdict.WORSE);
    assertThat(less.isWorse()).isTrue();
  }

  @Test
  void aShorterLatencyIsBetter_andIsARatio() throws Exception {
    var shorter =
        ofPairs(
            pairs(
                8,
                (random, b) ->
                    b.put(
                        "all_avg_e2e_ms",
                        b.get("all_avg_e2e_ms").doubleValue()
                            * Math.exp(-0.1 + 0.01 * random.nextGaussian()))),
            "all_avg_e2e_ms");
    assertThat(shorter.primaryVerdict()).isEqualTo(Verdict.BETTER);
    PairedDifference ratio = shorter.lines().get(0).sample().difference();
    assertThat(ratio).isNotNull();
    assertThat(ratio.interval().mean()).isCloseTo(-0.1, within(0.02));
  }

  @Test
  void withinNoise_saysWhatWouldHaveBeenFound() throws Exception {
    Comparison same = ofPairs(pairs(8, (random, b) -> {}), null);
    assertThat(same.primaryVerdict()).isEqualTo(Verdict.WITHIN_NOISE);
    Comparison.Line line = same.lines().get(0);
    PairedDifference difference = line.sample().difference();
    assertThat(difference).isNotNull();
    // the effect that power.t.test of R gives for 8 pairs and the power 0.8
    assertThat(line.detectable())
        .isCloseTo(1.156034677994664 * difference.interval().sd(), within(1e-4));
  }

  @Test
  void anInfinitePercentileHasNoVerdict() throws Exception {
    Comparison comparison = ofPairs(pairs(8, (random, b) -> b.putNull("all_p99_e2e_ms")), null);
    assertThat(line(comparison, "all_p99_e2e_ms").verdict()).isEqualTo(Verdict.CANNOT_TELL);
    assertThat(line(comparison, "all_p99_e2e_ms").sample().why())
        .isEqualTo("infinite or without a value in 8 of 16 runs");
  }

  @Test
  void anAverageThatLeavesJobsOutHasNoVerdict() throws Exception {
    Comparison comparison =
        ofPairs(pairs(8, (r, b) -> b.put("all_done", 990).put("all_avg_e2e_ms", 1.0)), null);
    assertThat(line(comparison, "all_avg_e2e_ms").verdict()).isEqualTo(Verdict.CANNOT_TELL);
    assertThat(line(comparison, "all_avg_e2e_ms").sample().why())
        .isEqualTo("an average over done jobs alone, and 80 jobs were not done");
  }

  @Test
  void fewerThanEightPairsHaveNoVerdict() throws Exception {
    Comparison comparison = ofPairs(pairs(7, (r, b) -> b.put("all_goodput_jobs_sec", 90.0)), null);
    assertThat(comparison.lines()).allMatch(line -> line.verdict() == Verdict.CANNOT_TELL);
    assertThat(comparison.lines().get(0).sample().why()).isEqualTo("7 pairs, and 8 are needed");
    assertThat(comparison.isWorse()).isFalse();
  }

  @Test
  void figuresBesideThePrimaryOne_areJudgedTogether() throws Exception {
    // alone each p is about 0.02: below 0.05, and above a fifth of it
    BiConsumer<Random, ObjectNode> slightly =
        (random, b) -> b.put("all_throughput_jobs_sec", 101.0 + 0.96 * random.nextGaussian());
    var comparison = ofPairs(pairs(8, slightly), null);
    PairedDifference difference = line(comparison, "all_throughput_jobs_sec").sample().difference();
    assertThat(difference).isNotNull();
    assertThat(difference.p()).isBetween(0.01, 0.05);
    assertThat(line(comparison, "all_throughput_jobs_sec").verdict())
        .isEqualTo(Verdict.WITHIN_NOISE);
    assertThat(ofPairs(pairs(8, slightly), "all_throughput_jobs_sec").primaryVerdict())
        .isEqualTo(Verdict.BETTER);
  }

  @Test
  void refusesAPrimaryFigure_thatIsNone_orHasNoBetterEnd() {
    List<List<JsonNode>> pairs = pairs(8, (random, b) -> {});
    assertThatThrownBy(() -> ofPairs(pairs, "goodput"))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("no run has the figure (goodput)");
    assertThatThrownBy(() -> ofPairs(pairs, "lane_use"))
        .hasMessageContaining("neither more nor less of the figure (lane_use) is better");
    assertThatThrownBy(() -> ofPairs(pairs, "all_completed_p99_e2e_ms"))
        .hasMessageContaining("neither more nor less");
  }
}
