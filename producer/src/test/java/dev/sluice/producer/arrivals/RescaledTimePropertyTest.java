package dev.sluice.producer.arrivals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.contract.experiment.LoadShape;
import dev.sluice.contract.experiment.LoadShape.Diurnal;
import dev.sluice.contract.experiment.LoadShape.Step;
import dev.sluice.contract.experiment.LoadShape.Steps;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Arrivals under any shape of the load: the rate follows the shape, and all else stays. */
final class RescaledTimePropertyTest {
  private static final double RATE = 1000;

  @Provide
  Arbitrary<LoadShape> shapes() {
    var seconds = Arbitraries.doubles().between(0.1, 50);
    Arbitrary<LoadShape> diurnal =
        Combinators.combine(seconds, Arbitraries.doubles().between(0, 1)).as(Diurnal::new);
    var change =
        Combinators.combine(
                Arbitraries.doubles().between(0, 5),
                Arbitraries.doubles().between(0, 4).edgeCases(e -> e.add(0.0)),
                Arbitraries.doubles().between(0, 5).edgeCases(e -> e.add(0.0)))
            .as(Step::new);
    Arbitrary<LoadShape> steps = change.list().ofMinSize(1).ofMaxSize(5).map(this::apart);
    return Arbitraries.oneOf(diurnal, steps);
  }

  /** Reads the times as gaps after the change before; the last factor is above 0. */
  private LoadShape apart(List<Step> changes) {
    List<Step> steps = new ArrayList<>();
    double endSeconds = 0;
    for (Step change : changes) {
      double atSeconds = endSeconds + change.atSeconds();
      steps.add(new Step(atSeconds, change.factor(), change.overSeconds()));
      endSeconds = atSeconds + change.overSeconds();
    }
    steps.add(new Step(endSeconds, 0.5, 0));
    return new Steps(steps);
  }

  /** The time-rescaling theorem, by Kolmogorov and Smirnov at 10^-6. */
  @Property(tries = 60)
  void rescaledGapsOfPoissonArrivals_areUnitExponential(
      @ForAll("shapes") LoadShape shape, @ForAll long seed) {
    long[] timesNs = timesNs(shape, seed, 20_000);
    var gaps = new double[timesNs.length];
    double before = 0;
    for (int i = 0; i < gaps.length; i++) {
      double integral = RATE * shape.integralSeconds(timesNs[i] / 1e9);
      gaps[i] = integral - before;
      before = integral;
    }
    assertThat(Gaps.distanceToExponential(gaps, 1)).isLessThan(2.7 / Math.sqrt(gaps.length));
  }

  @Property(tries = 200)
  void isTheInverseOfTheIntegral(@ForAll("shapes") LoadShape shape, @ForAll long seed) {
    RescaledTime rescaled = RescaledTime.of(shape);
    var random = new RandomStream(seed);
    long evenNs = 0;
    long beforeNs = 0;
    for (int i = 0; i < 300; i++) {
      evenNs += random.nextBelow(500_000_000);
      long atNs = rescaled.atNs(evenNs);
      assertThat(atNs).isGreaterThanOrEqualTo(beforeNs);
      beforeNs = atNs;
      // a time is off by half a nanosecond, in which the rate is at most 4 times the mean
      assertThat(shape.integralSeconds(atNs / 1e9) * 1e9).isCloseTo(evenNs, within(8.0));
    }
  }

  private static long[] timesNs(LoadShape shape, long seed, int count) {
    var times =
        new IntendedTimes(
            ArrivalProcesses.poisson(RATE), new RandomStream(seed), RescaledTime.of(shape));
    var timesNs = new long[count];
    for (int i = 0; i < count; i++) {
      timesNs[i] = times.nextNs();
    }
    return timesNs;
  }
}
