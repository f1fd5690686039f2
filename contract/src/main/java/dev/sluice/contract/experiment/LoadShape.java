package dev.sluice.contract.experiment;

import java.util.List;

/**
 * How the rate of arrivals changes during a run, the key {@code load}: the rate at a time is {@code
 * arrival_rate_jobs_per_sec} times the shape's factor at that time.
 */
public sealed interface LoadShape {
  /** The shape of a file without the key: the rate never changes. */
  static LoadShape even() {
    return new Even();
  }

  String name();

  /**
   * Returns the integral of the factor from time zero to a time, in seconds.
   *
   * @throws IllegalStateException if the shape stands in a file of its own
   */
  double integralSeconds(double untilSeconds);

  /** Mean factor from one time to a later one; see {@link #integralSeconds}. */
  default double meanFactor(double fromSeconds, double toSeconds) {
    return (integralSeconds(toSeconds) - integralSeconds(fromSeconds)) / (toSeconds - fromSeconds);
  }

  record Even() implements LoadShape {
    @Override
    public String name() {
      return "even";
    }

    @Override
    public double integralSeconds(double untilSeconds) {
      return untilSeconds;
    }

    @Override
    public double meanFactor(double fromSeconds, double toSeconds) {
      return 1;
    }
  }

  /**
   * A rate that rises and falls as a sine: 1 + depth × sin(2π t / period). Its mean over each whole
   * period is 1; it begins at the mean, and rises.
   *
   * @param depth largest distance from the mean, in [0, 1]
   */
  record Diurnal(double periodSeconds, double depth) implements LoadShape {
    @Override
    public String name() {
      return "diurnal";
    }

    @Override
    public double integralSeconds(double untilSeconds) {
      double omega = 2 * Math.PI / periodSeconds;
      // 1 − cos x as 2 sin²(x / 2), which keeps its digits near 0
      double sine = StrictMath.sin(omega * untilSeconds / 2);
      return untilSeconds + depth / omega * 2 * sine * sine;
    }
  }

  /** A rate that is 1 at first, and changes to a factor at each step. */
  record Steps(List<Step> steps) implements LoadShape {
    public Steps {
      steps = List.copyOf(steps);
    }

    @Override
    public String name() {
      return "steps";
    }

    @Override
    public double integralSeconds(double untilSeconds) {
      double sum = 0;
      double atSeconds = 0;
      double factor = 1;
      for (Step step : steps) {
        if (step.atSeconds() >= untilSeconds) {
          break;
        }
        sum += factor * (step.atSeconds() - atSeconds);
        double changeSeconds = Math.min(step.overSeconds(), untilSeconds - step.atSeconds());
        double last =
            step.overSeconds() == 0
                ? step.factor()
                : factor + (step.factor() - factor) * (changeSeconds / step.overSeconds());
        sum += (factor + last) / 2 * changeSeconds;
        atSeconds = step.atSeconds() + changeSeconds;
        factor = last;
      }
      return sum + factor * (untilSeconds - atSeconds);
    }
  }

  /**
   * A change of a factor, of the rate or of emulated service times: linearly from the factor
   * before, which is 1 at first, to this one.
   *
   * @param atSeconds beginning of the change, since time zero
   * @param overSeconds duration of the change; 0: a step
   */
  record Step(double atSeconds, double factor, double overSeconds) {}

  /**
   * Rates from a file, scaled so that their mean over the measured window is {@code
   * arrival_rate_jobs_per_sec}.
   *
   * @param file path of a CSV with the columns second and rate, relative to the experiment file
   */
  record Rates(String file) implements LoadShape {
    @Override
    public String name() {
      return "rates";
    }

    @Override
    public double integralSeconds(double untilSeconds) {
      throw new IllegalStateException("the shape of the load stands in " + file);
    }
  }
}
