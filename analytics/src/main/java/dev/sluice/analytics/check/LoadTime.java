package dev.sluice.analytics.check;

import java.util.List;

/**
 * Time as the load bends it: the time at which the integral of the load's factor reaches a value,
 * by halving the bracket, so that it rests on the integral alone.
 */
public final class LoadTime {
  private static final double NS = 1e9;
  private static final int HALVINGS = 200;

  private final RunConfig config;
  private final List<RunConfig> steps;
  private final boolean diurnal;

  public LoadTime(RunConfig config) {
    this.config = config;
    this.steps = config.sections("load", "steps");
    this.diurnal = config.at("load", "diurnal") != null;
  }

  /** True if the load is even, so that each time is exact. */
  boolean isEven() {
    return config.at("load") == null;
  }

  /** True if the shape is defined here: rates stand in a file that the folder does not hold. */
  public boolean isKnown() {
    return isEven() || diurnal || !steps.isEmpty();
  }

  /** Returns the time in nanoseconds; {@link Long#MAX_VALUE} if it is not within 10^7 seconds. */
  long at(long evenNs, long notBeforeNs) {
    if (isEven()) {
      return evenNs;
    }
    double value = evenNs / NS;
    double low = notBeforeNs / NS;
    double high = 1e7;
    if (integral(high) < value) {
      return Long.MAX_VALUE;
    }
    for (int i = 0; i < HALVINGS && high - low > 1e-11; i++) {
      double middle = low + (high - low) / 2;
      if (integral(middle) < value) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return Math.round(high * NS);
  }

  /** Returns the mean factor from one time to a later one, in seconds. */
  public double meanFactor(double from, double to) {
    return isEven() ? 1 : (integral(to) - integral(from)) / (to - from);
  }

  private double integral(double until) {
    return diurnal ? diurnal(until) : stepped(until);
  }

  /** Integral of 1 + depth × sin(2π t / period). */
  private double diurnal(double until) {
    double depth = config.number("load", "diurnal", "depth");
    double omega = 2 * Math.PI / config.number("load", "diurnal", "period_seconds");
    return until + depth / omega * (1 - StrictMath.cos(omega * until));
  }

  /** Integral of a factor that is 1 at first, and goes to another at each step. */
  private double stepped(double until) {
    double sum = 0;
    double from = 0;
    double factor = 1;
    for (RunConfig step : steps) {
      double at = Math.min(until, seconds(step, "at"));
      sum += factor * Math.max(0, at - from);
      from = Math.max(from, at);
      double over = seconds(step, "over");
      double next = step.number("factor");
      if (until > from && over > 0) {
        double part = Math.min(over, until - from);
        sum += (factor + (next - factor) * part / over / 2) * part;
        from += part;
      }
      factor = next;
    }
    return sum + factor * Math.max(0, until - from);
  }

  private static double seconds(RunConfig step, String key) {
    double said = step.number(key + "_seconds");
    return Double.isNaN(said) ? 0 : said;
  }
}
