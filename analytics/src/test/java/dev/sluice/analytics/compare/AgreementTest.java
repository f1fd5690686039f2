package dev.sluice.analytics.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.analytics.compare.Agreement.Judgement;
import dev.sluice.analytics.compare.Agreement.Line;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Verdicts on made-up summaries. */
final class AgreementTest {
  @Test
  void isEquivalent_whenTheIntervalLiesWithinTheMargin() {
    Line p50 =
        line("all_p50_e2e_ms", true, List.of(100.0, 100.0, 100.0), List.of(101.0, 102.0, 103.0));
    assertThat(p50.margin()).isEqualTo(5, within(1e-9));
    assertThat(p50.difference().mean()).isEqualTo(2, within(1e-9));
    assertThat(p50.difference().halfWidth()).as("2.92 / sqrt(3)").isEqualTo(1.686, within(0.001));
    assertThat(p50.judgement()).isEqualTo(Judgement.EQUIVALENT);
  }

  @Test
  void isDifferent_whenItLiesOutside() {
    assertThat(
            line("all_p50_e2e_ms", true, List.of(100.0, 100.0, 100.0), List.of(109.0, 110.0, 111.0))
                .judgement())
        .isEqualTo(Judgement.DIFFERENT);
    assertThat(
            line("all_p50_e2e_ms", true, List.of(100.0, 100.0, 100.0), List.of(89.0, 90.0, 91.0))
                .judgement())
        .isEqualTo(Judgement.DIFFERENT);
  }

  @Test
  void isUndecided_whenItIsTooWide() {
    assertThat(
            line("all_p99_e2e_ms", true, List.of(100.0, 100.0, 100.0), List.of(90.0, 100.0, 110.0))
                .judgement())
        .isEqualTo(Judgement.UNDECIDED);
  }

  @Test
  void allowsTwiceAsMuch_onRealLanes() {
    assertThat(
            line("all_p50_e2e_ms", false, List.of(100.0, 100.0), List.of(107.0, 107.1)).judgement())
        .isEqualTo(Judgement.EQUIVALENT);
  }

  @Test
  void judgesGoodputInPointsOfTheJobs() {
    Line goodput =
        line("batch_slo_violation_rate", true, List.of(0.10, 0.10), List.of(0.110, 0.111));
    assertThat(goodput.figure()).isEqualTo("batch_goodput_percent");
    assertThat(goodput.live()).isEqualTo(90, within(1e-9));
    assertThat(goodput.margin()).isEqualTo(2, within(1e-9));
    assertThat(goodput.judgement()).isEqualTo(Judgement.EQUIVALENT);
  }

  @Test
  void isAsGenerousAsLiveRunsAreApart_ofTheSameRequestsAlone() {
    List<Double> live = List.of(90.0, 110.0);
    List<Double> simulated = List.of(100.0, 120.1);
    assertThat(line("all_p50_e2e_ms", true, live, simulated).margin()).isEqualTo(20, within(1e-9));
    List<JsonNode> others = summaries("all_p50_e2e_ms", live);
    ((com.fasterxml.jackson.databind.node.ObjectNode) others.get(1)).put("request_digest", "b");
    assertThat(
            new Agreement(others, summaries("all_p50_e2e_ms", simulated), true)
                .lines()
                .get(0)
                .margin())
        .isEqualTo(5, within(1e-9));
  }

  @Test
  void hasNoVerdict_ofOneRun_andSaysWhatItIsAbout() {
    var one =
        new Agreement(
            summaries("all_p50_e2e_ms", List.of(100.0)),
            summaries("all_p50_e2e_ms", List.of(100.0)),
            true);
    assertThat(one.lines().get(0).judgement()).isNull();
    assertThat(one.render()).startsWith("hop model").doesNotContain("reality");
    assertThat(one.toJson()).contains("\"verdict\" : null");
  }

  private static Line line(
      String figure, boolean emulated, List<Double> live, List<Double> simulated) {
    return new Agreement(summaries(figure, live), summaries(figure, simulated), emulated)
        .lines()
        .get(0);
  }

  private static List<JsonNode> summaries(String figure, List<Double> values) {
    List<JsonNode> summaries = new ArrayList<>();
    for (double value : values) {
      summaries.add(
          new ObjectMapper().createObjectNode().put("request_digest", "a").put(figure, value));
    }
    return summaries;
  }
}
