package dev.sluice.producer.arrivals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.contract.experiment.ArrivalKeys;
import dev.sluice.contract.experiment.Arrivals;
import dev.sluice.contract.experiment.LoadShape;
import dev.sluice.contract.experiment.LoadShape.Diurnal;
import dev.sluice.contract.experiment.LoadShape.Rates;
import dev.sluice.contract.experiment.LoadShape.Steps;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What an experiment file may say of arrivals, and what is made of it. */
final class ArrivalKeysTest {
  @Test
  void eachNameMakesItsProcess() {
    assertThat(ArrivalProcesses.names()).isSorted().doesNotHaveDuplicates();
    assertThat(ArrivalProcesses.keys().keySet())
        .containsExactlyElementsOf(ArrivalProcesses.names());
    assertThat(firstGapNs(process("constant", Map.of())))
        .isEqualTo(firstGapNs(ArrivalProcesses.constant(8)));
    assertThat(process("gamma", Map.of("cv", 2.0))).isInstanceOf(GammaArrivals.class);
    assertThat(process("mmpp", Map.of())).isInstanceOf(MmppArrivals.class);
    assertThat(firstGapNs(process("poisson", Map.of())))
        .isEqualTo(firstGapNs(ArrivalProcesses.poisson(8)));
    assertThat(ArrivalProcesses.keys().get("gamma")).isSameAs(GammaArrivals.KEYS);
    assertThat(ArrivalProcesses.keys().get("poisson")).isSameAs(ArrivalKeys.NONE);
  }

  @Test
  void eachProcessKeepsTheRate_andGivesTheSameGapsToTheSameSeed() {
    for (var entry : ArrivalProcesses.keys().entrySet()) {
      Map<String, Double> examples =
          entry.getValue().keys().stream()
              .collect(Collectors.toMap(ArrivalKeys.Key::name, ArrivalKeys.Key::example));
      ArrivalProcess first = process(entry.getKey(), examples);
      ArrivalProcess second = process(entry.getKey(), examples);
      var random = new RandomStream(42);
      var again = new RandomStream(42);
      double sumNs = 0;
      for (int i = 0; i < 50_000; i++) {
        double gapNs = first.nextGapNs(random);
        assertThat(gapNs).as(entry.getKey()).isEqualTo(second.nextGapNs(again));
        sumNs += gapNs;
      }
      assertThat(sumNs / 50_000 / 125e6).as(entry.getKey()).isCloseTo(1, within(0.1));
    }
  }

  private static ArrivalProcess process(String name, Map<String, Double> settings) {
    return ArrivalProcesses.of(new Arrivals.Drawn(name, settings), 8);
  }

  private static double firstGapNs(ArrivalProcess process) {
    return process.nextGapNs(new RandomStream(1));
  }

  @Test
  void anUnknownNameIsRefused_withTheKnownOnes() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> process("poison", Map.of()))
        .withMessage(
            "arrivals (poison) is unknown. Known arrivals: "
                + String.join(", ", ArrivalProcesses.names()));
  }

  /** A quarter of the time at four times the rate is all of it: between bursts nothing comes. */
  @Test
  void burstsMayTakeTheWholeRate_andNotMore() {
    ArrivalKeys keys = MmppArrivals.KEYS;
    assertThat(keys.rule().apply(Map.of("burst", 4.0, "share", 0.25))).isEmpty();
    var mistake = keys.rule().apply(Map.of("burst", 4.0, "share", 0.3)).orElseThrow();
    assertThat(mistake.key()).isEqualTo("burst");
    assertThat(mistake.what())
        .isEqualTo(
            "arrivals.burst (4) × arrivals.share (0.3) must be at most 1: the bursts alone would"
                + " exceed the mean rate");
    assertThat(mistake.maybe()).isEqualTo("burst should be at most 3.33");
  }

  @Test
  void eachShapeBendsTheTimeInItsWay() {
    assertThat(RescaledTime.of(LoadShape.even())).isSameAs(RescaledTime.EVEN);
    assertThat(RescaledTime.of(new Diurnal(10, 0.5))).isInstanceOf(DiurnalTime.class);
    assertThat(RescaledTime.of(new Steps(List.of()))).isInstanceOf(SegmentedTime.class);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RescaledTime.of(new Rates("rates.csv")))
        .withMessage("load (rates) stands in a file");
  }
}
