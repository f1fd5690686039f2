package dev.sluice.producer.arrivals;

import dev.sluice.contract.experiment.LoadShape.Diurnal;

/**
 * Time under a rate that rises and falls as a sine. The integral is inverted by Newton's steps, and
 * by halving where a step would leave the bracket; it is off by some nanoseconds at most, except
 * where the rate is near 0.
 */
final class DiurnalTime implements RescaledTime {
  private static final int STEPS_MAX = 100;
  private static final double PRECISE_SECONDS = 1e-10;

  private final Diurnal shape;
  private final double omega;
  private double lastSeconds;

  DiurnalTime(Diurnal shape) {
    this.shape = shape;
    this.omega = 2 * Math.PI / shape.periodSeconds();
  }

  @Override
  public long atNs(long evenNs) {
    double value = evenNs / 1e9;
    // the integral is ahead of the time by 0 to 2 depth / omega
    double low = Math.max(lastSeconds, value - 2 * shape.depth() / omega);
    double high = Math.max(low, value);
    double at = Math.min(high, Math.max(low, lastSeconds));
    for (int i = 0; i < STEPS_MAX && high - low > PRECISE_SECONDS; i++) {
      double ahead = shape.integralSeconds(at) - value;
      if (ahead > 0) {
        high = at;
      } else {
        low = at;
      }
      double rate = 1 + shape.depth() * StrictMath.sin(omega * at);
      double next = at - ahead / rate;
      boolean leaves = !(next > low && next < high);
      if (!leaves && Math.abs(next - at) < PRECISE_SECONDS) {
        at = next;
        break;
      }
      at = leaves ? low + (high - low) / 2 : next;
    }
    lastSeconds = Math.max(lastSeconds, at);
    return Math.round(lastSeconds * 1e9);
  }
}
