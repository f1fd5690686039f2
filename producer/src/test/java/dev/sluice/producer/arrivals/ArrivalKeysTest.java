package dev.sluice.producer.arrivals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sluice.contract.experiment.ArrivalKeys;
import dev.sluice.contract.experiment.Arrivals;
import dev.sluice.contract.experiment.LoadShape;
import dev.sluice.contract.experiment.LoadShape.Diurnal;
import dev.sluice.contract.experiment.LoadShape.Rates;
import dev.sluice.contract.experiment.LoadShape.Steps;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What an experiment file may say of arrivals, and what is made of it. */
final class ArrivalKeysTest {
  @Test
  void eachNameMakesItsProcess() {
    assertThat(ArrivalProcesses.names()).containsExactly("constant", "gamma", "mmpp", "poisson");
    assertThat(ArrivalProcesses.keys()).containsOnlyKeys("constant", "gamma", "mmpp", "poisson");
    assertThat(process("constant", Map.of())).isInstanceOf(ConstantArrivals.class);
    assertThat(process("gamma", Map.of("cv", 2.0))).isInstanceOf(GammaArrivals.class);
    assertThat(process("mmpp", Map.of())).isInstanceOf(MmppArrivals.class);
    assertThat(process("poisson", Map.of())).isInstanceOf(PoissonArrivals.class);
    assertThat(ArrivalProcesses.keys().get("gamma")).isSameAs(GammaArrivals.KEYS);
    assertThat(ArrivalProcesses.keys().get("poisson")).isSameAs(ArrivalKeys.NONE);
  }

  private static ArrivalProcess process(String name, Map<String, Double> settings) {
    return ArrivalProcesses.of(new Arrivals.Drawn(name, settings), 8);
  }

  @Test
  void anUnknownNameIsRefused_withTheKnownOnes() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> process("poison", Map.of()))
        .withMessage(
            "arrivals (poison) is unknown. Known arrivals: constant, gamma, mmpp, poisson");
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
