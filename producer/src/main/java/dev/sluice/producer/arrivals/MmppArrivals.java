package dev.sluice.producer.arrivals;

import dev.sluice.contract.experiment.ArrivalKeys;
import dev.sluice.contract.experiment.ArrivalKeys.Mistake;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.Range;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Bursts: a Markov-modulated Poisson process of two states (Fischer and Meier-Hellstern, "The
 * Markov-modulated Poisson process (MMPP) cookbook", Performance Evaluation 18, 1993). In a burst
 * the rate is the run's times {@code burst}; bursts take {@code share} of the time and last {@code
 * mean_burst_seconds} in the mean. Between bursts the rate is lower, so that the mean rate is the
 * run's. Both kinds of spells have exponential lengths, and the state at time zero is drawn by the
 * shares, so that the process is stationary.
 *
 * <p>The sampler is exact: the next arrival and the end of the spell compete, the earlier of both
 * is drawn, and which one it is.
 */
final class MmppArrivals implements ArrivalProcess {
  static final ArrivalKeys KEYS =
      new ArrivalKeys(
          List.of(
              new ArrivalKeys.Key("burst", Range.within(1, 1000), 4),
              new ArrivalKeys.Key("share", Range.within(0.0001, 0.9999), 0.1),
              new ArrivalKeys.Key("mean_burst_seconds", Range.within(0.001, 100_000), 2)),
          MmppArrivals::mistake);

  private final double share;
  private final double burstRate;
  private final double quietRate;
  private final double burstEndRate;
  private final double quietEndRate;
  private boolean begun;
  private boolean bursting;

  MmppArrivals(double ratePerSecond, Map<String, Double> settings) {
    double burst = settings.getOrDefault("burst", Double.NaN);
    share = settings.getOrDefault("share", Double.NaN);
    burstRate = ratePerSecond * burst;
    quietRate = ratePerSecond * Math.max(0, 1 - burst * share) / (1 - share);
    burstEndRate = 1 / settings.getOrDefault("mean_burst_seconds", Double.NaN);
    quietEndRate = burstEndRate * share / (1 - share);
  }

  private static Optional<Mistake> mistake(Map<String, Double> values) {
    double burst = values.getOrDefault("burst", Double.NaN);
    double share = values.getOrDefault("share", Double.NaN);
    return burst * share <= 1
        ? Optional.empty()
        : Optional.of(
            new Mistake(
                "burst",
                "arrivals.burst (%s) × arrivals.share (%s) must be at most 1: the bursts alone would exceed the mean rate"
                    .formatted(Numbers.text(burst), Numbers.text(share)),
                "burst should be at most " + Numbers.text(Math.floor(1 / share * 100) / 100)));
  }

  @Override
  public double nextGapNs(RandomStream random) {
    if (!begun) {
      begun = true;
      bursting = random.nextOpenUnit() < share;
    }
    double gapSeconds = 0;
    while (true) {
      double rate = bursting ? burstRate : quietRate;
      double bothRates = rate + (bursting ? burstEndRate : quietEndRate);
      gapSeconds -= StrictMath.log(random.nextOpenUnit()) / bothRates;
      if (random.nextOpenUnit() * bothRates < rate) {
        return gapSeconds * 1e9;
      }
      bursting = !bursting;
    }
  }
}
