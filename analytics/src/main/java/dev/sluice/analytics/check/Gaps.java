package dev.sluice.analytics.check;

/** Gaps between arrivals in nanoseconds at the mean rate, by the definition of each process. */
final class Gaps {
  private static final double NS = 1e9;

  private final Draws draws;
  private final String process;
  private final double rate;
  private final RunConfig config;
  private boolean bursting;
  private boolean begun;

  Gaps(RunConfig config) {
    this.config = config;
    this.draws = new Draws(config.whole("seed"), "arrivals");
    this.process =
        config.at("arrivals") instanceof String name ? name : config.text("arrivals", "process");
    this.rate = config.number("arrival_rate_jobs_per_sec");
  }

  /** True if the process is defined here. */
  boolean isKnown() {
    return switch (process) {
      case "constant", "poisson", "gamma", "mmpp" -> true;
      default -> false;
    };
  }

  double next() {
    return switch (process) {
      case "constant" -> NS / rate;
      case "poisson" -> -(NS / rate) * StrictMath.log(draws.unit());
      case "gamma" -> gamma();
      default -> mmpp();
    };
  }

  /** Marsaglia and Tsang 2000; for a shape below 1 their boost by u^(1/shape). */
  private double gamma() {
    double cv = config.number("arrivals", "cv");
    double shape = 1 / (cv * cv);
    double scale = NS / rate / shape;
    double d = (shape < 1 ? shape + 1 : shape) - 1 / 3.0;
    double c = 1 / Math.sqrt(9 * d);
    while (true) {
      double x = draws.normal();
      double v = (1 + c * x) * (1 + c * x) * (1 + c * x);
      double u = draws.unit();
      if (v > 0 && StrictMath.log(u) < x * x / 2 + d * (1 - v + StrictMath.log(v))) {
        double gap = scale * (d * v);
        return shape < 1 ? gap * StrictMath.pow(draws.unit(), 1 / shape) : gap;
      }
    }
  }

  /** Two Poisson processes that take turns, for times of exponential length. */
  private double mmpp() {
    double share = config.number("arrivals", "share");
    double burst = config.number("arrivals", "burst");
    double burstEnds = 1 / config.number("arrivals", "mean_burst_seconds");
    double quietEnds = burstEnds * share / (1 - share);
    double quietRate = rate * Math.max(0, 1 - burst * share) / (1 - share);
    if (!begun) {
      begun = true;
      bursting = draws.unit() < share;
    }
    double seconds = 0;
    while (true) {
      double own = bursting ? rate * burst : quietRate;
      double both = own + (bursting ? burstEnds : quietEnds);
      seconds -= StrictMath.log(draws.unit()) / both;
      if (draws.unit() * both < own) {
        return seconds * NS;
      }
      bursting = !bursting;
    }
  }
}
