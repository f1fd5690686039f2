package dev.sluice.producer.arrivals;

import dev.sluice.contract.experiment.ArrivalKeys;
import dev.sluice.contract.file.Range;
import java.util.Map;

/**
 * Gamma arrivals: gaps are independent, with mean 1 / rate and standard deviation cv / rate. The
 * shape is 1 / cv². A cv of 1 is Poisson; below, gaps are more even; above, arrivals come in
 * bunches.
 *
 * <p>The sampler is exact: Marsaglia and Tsang, "A Simple Method for Generating Gamma Variables",
 * ACM TOMS 26 (3), 2000. It rejects a cubed normal number until one fits; a shape below 1 takes a
 * gap of shape + 1 times u^(1 / shape). Normal numbers are by Box and Muller (1958). All of it is
 * {@link StrictMath}, so that each machine draws the same bits.
 */
final class GammaArrivals implements ArrivalProcess {
  static final ArrivalKeys KEYS =
      ArrivalKeys.of(new ArrivalKeys.Key("cv", Range.within(0.01, 20), 2));

  private final double shape;
  private final double scaleNs;
  private final double d;
  private final double c;

  GammaArrivals(double ratePerSecond, Map<String, Double> settings) {
    double cv = settings.getOrDefault("cv", Double.NaN);
    shape = 1 / (cv * cv);
    scaleNs = 1e9 / ratePerSecond / shape;
    d = (shape < 1 ? shape + 1 : shape) - 1 / 3.0;
    c = 1 / Math.sqrt(9 * d);
  }

  @Override
  public double nextGapNs(RandomStream random) {
    double gapNs = scaleNs * nextOfShapeAboveOne(random);
    return shape < 1 ? gapNs * StrictMath.pow(random.nextOpenUnit(), 1 / shape) : gapNs;
  }

  private double nextOfShapeAboveOne(RandomStream random) {
    while (true) {
      double x = nextNormal(random);
      double root = 1 + c * x;
      double v = root * root * root;
      double u = random.nextOpenUnit();
      if (v > 0 && StrictMath.log(u) < x * x / 2 + d * (1 - v + StrictMath.log(v))) {
        return d * v;
      }
    }
  }

  private static double nextNormal(RandomStream random) {
    double radius = Math.sqrt(-2 * StrictMath.log(random.nextOpenUnit()));
    return radius * StrictMath.cos(2 * Math.PI * random.nextOpenUnit());
  }
}
