package dev.sluice.scheduling.prediction;

/**
 * The correction of a published table by completions: a factor for the device kind, one for the
 * workload and backend, and one for the precision and samples, which are multiplied.
 *
 * <p>In natural logarithms each factor is a sum of small steps toward the error that all three
 * leave, so that no error counts twice. An error counts at most {@value #ERROR_MAX}, of which
 * {@value #RATE} is taken, so that a single outlier moves next to nothing. While the errors of a
 * workload and backend keep their sign, both grow by {@value #GROWTH} with each of them, up to a
 * rate of {@value #RATE_MAX}: a step change is caught up with in about ten batches. Long runs of
 * one sign correct the workload and the device kind; the samples' own factor learns from short runs
 * alone.
 *
 * <p>The errors' clipping is Huber's (Annals of Mathematical Statistics 35, 1964), the growth with
 * the sign that of Rprop (Riedmiller and Braun, ICNN 1993).
 */
final class Correction {
  static final double ERROR_MAX = 0.1;
  static final double RATE = 0.05;
  static final double RATE_MAX = 0.5;
  static final double GROWTH = 1.5;

  /** Share of a step that goes to the device kind, so that its other workloads learn from it. */
  static final double DEVICE_SHARE = 0.3;

  /** Longest run of errors with one sign from which the samples' own factor learns. */
  static final int RUN_OF_SAMPLES_MAX = 3;

  /** Bound of each factor and of its reciprocal, as a natural logarithm. */
  static final double LOG_MAX = StrictMath.log(8);

  private static final int RUN_MAX = 20;

  final Factor workload = new Factor();

  /** Number of latest errors with one sign; above 0 if services took longer. */
  int run;

  /** A factor that is learnt in steps. */
  static final class Factor {
    double log;
    double value = 1;

    void set(double newLog) {
      log = Math.max(-LOG_MAX, Math.min(LOG_MAX, newLog));
      value = StrictMath.exp(log);
    }
  }

  /** Goes on from a factor, with a number of latest errors of one sign. */
  void restart(double log, int newRun) {
    workload.set(log);
    run = newRun;
  }

  /** Learns from ln(actual / the table's time) of a completed batch. */
  void learn(double log, Factor device, Factor samples) {
    double error = log - device.log - workload.log - samples.log;
    if (error == 0) {
      return;
    }
    int sign = error > 0 ? 1 : -1;
    run = run * sign > 0 ? Math.max(-RUN_MAX, Math.min(RUN_MAX, run + sign)) : sign;
    int length = Math.abs(run);
    double growth = StrictMath.pow(GROWTH, length - 1);
    double step = Math.min(RATE_MAX, RATE * growth) * clipped(error, ERROR_MAX * growth);
    device.set(device.log + DEVICE_SHARE * step);
    workload.set(workload.log + (1 - DEVICE_SHARE) * step);
    if (length <= RUN_OF_SAMPLES_MAX) {
      samples.set(samples.log + RATE * clipped(error, ERROR_MAX));
    }
  }

  private static double clipped(double error, double most) {
    return Math.max(-most, Math.min(most, error));
  }
}
