package dev.sluice.analytics.check;

import dev.sluice.contract.file.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

/**
 * The request list of an experiment, drawn a second time by the words of docs/experiments.md: gaps
 * from the stream {@code arrivals}; class, workload, backend, precision and samples of each job
 * from the stream {@code job-mix}, in this order.
 *
 * @param digest SHA-256 of the list; empty where a promise or a time is not exactly known
 */
record DrawnList(List<Drawn> jobs, String digest) {
  private static final double NS = 1e9;

  /**
   * A job of the list.
   *
   * @param backend engine; empty where it is that of the model's own file
   * @param sloNs promise; −1 where it is a multiple of an isolated time
   */
  record Drawn(
      String classType,
      String workload,
      String backend,
      String precision,
      long samples,
      long sloNs,
      long intendedNs) {}

  /** Draws the list, up to the end of the tail. */
  static DrawnList of(RunConfig config) {
    var mix = new Mix(config);
    List<Drawn> jobs = new ArrayList<>();
    boolean exact = true;
    if (config.scenario().equals("server")) {
      var gaps = new Gaps(config);
      var time = new LoadTime(config);
      exact = time.isEven();
      long endNs =
          Math.round((config.number("duration_seconds") + config.number("tail_seconds")) * NS);
      long wholeNs = 0;
      double fractionNs = 0;
      long atNs = 0;
      while (true) {
        double ahead = fractionNs + gaps.next();
        wholeNs += (long) Math.floor(ahead);
        fractionNs = ahead - Math.floor(ahead);
        atNs = time.at(wholeNs, atNs);
        if (atNs >= endNs) {
          break;
        }
        jobs.add(mix.next(atNs));
      }
    } else {
      long count =
          Math.max(
              1,
              Math.round(
                  config.number("arrival_rate_jobs_per_sec") * config.number("duration_seconds")));
      for (long i = 0; i < count; i++) {
        jobs.add(mix.next(0));
      }
    }
    exact &= jobs.stream().allMatch(job -> job.sloNs >= 0 && !job.backend.isEmpty());
    return new DrawnList(jobs, exact ? digest(jobs) : "");
  }

  private static String digest(List<Drawn> jobs) {
    MessageDigest sha256 = Sha256.begin();
    var line = new StringBuilder();
    int index = 0;
    for (Drawn job : jobs) {
      line.setLength(0);
      line.append("job-").append(index++);
      line.append('\t').append(job.classType).append('\t').append(job.workload);
      line.append('\t').append(job.backend).append('\t').append(job.precision);
      line.append('\t').append(job.samples).append('\t').append(job.sloNs);
      line.append('\t').append(job.intendedNs).append('\n');
      sha256.update(line.toString().getBytes(StandardCharsets.UTF_8));
    }
    return HexFormat.of().formatHex(sha256.digest());
  }

  private static final class Mix {
    private final Draws draws;
    private final double interactiveRatio;
    private final List<String> interactive = new ArrayList<>();
    private final List<String> others = new ArrayList<>();
    private final List<String> all = new ArrayList<>();
    private final RunConfig config;
    private final List<RunConfig> workloads;
    private final double[] weightUpTo;
    private final List<String> backends;
    private final List<String> precisions;
    private final List<String> sizes;

    Mix(RunConfig config) {
      this.config = config;
      draws = new Draws(config.whole("seed"), "job-mix");
      interactiveRatio = config.number("interactive_ratio");
      config
          .sectionsByName("classes")
          .forEach(
              (name, jobClass) -> {
                all.add(name);
                (jobClass.flag("interactive") ? interactive : others).add(name);
              });
      workloads = config.sections("workloads");
      weightUpTo = new double[workloads.size()];
      double sum = 0;
      for (int i = 0; i < weightUpTo.length; i++) {
        sum += workloads.get(i).number("weight");
        weightUpTo[i] = sum;
      }
      backends = config.texts("backends_enabled");
      precisions = config.texts("precision_modes");
      sizes = config.texts("batch_sizes");
    }

    Drawn next(long atNs) {
      boolean wantsInteractive = draws.unit() < interactiveRatio;
      List<String> sort = wantsInteractive ? interactive : others;
      String classType = one(interactive.isEmpty() || others.isEmpty() ? all : sort);
      RunConfig workload = workload();
      String drawn = one(backends);
      String backend = workload.hasOwnModel() ? "" : drawn;
      String precision = one(precisions);
      long samples = Long.parseLong(one(sizes));
      double sloMs = config.number("classes", classType, "slo_ms");
      return new Drawn(
          classType,
          workload.text("name"),
          backend,
          precision,
          samples,
          Double.isNaN(sloMs) ? -1 : Math.max(1, Math.round(sloMs * 1e6)),
          atNs);
    }

    private RunConfig workload() {
      double at = draws.unit() * weightUpTo[weightUpTo.length - 1];
      int place = 0;
      while (place < weightUpTo.length - 1 && at >= weightUpTo[place]) {
        place++;
      }
      return workloads.get(place);
    }

    private String one(List<String> choices) {
      return choices.get(draws.below(choices.size()));
    }
  }

  /**
   * A stream of random numbers by its definition: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014)
   * from the state mix(mix(seed + γ) xor h), where h is the FNV-1a hash of the stream's purpose.
   */
  private static final class Draws {
    private static final long GAMMA = 0x9E3779B97F4A7C15L;
    private static final long FNV_BASIS = 0xCBF29CE484222325L;
    private static final long FNV_PRIME = 0x100000001B3L;

    private long state;

    Draws(long seed, String purpose) {
      long hash = FNV_BASIS;
      for (byte b : purpose.getBytes(StandardCharsets.US_ASCII)) {
        hash = (hash ^ b) * FNV_PRIME;
      }
      state = mixed(mixed(seed + GAMMA) ^ hash);
    }

    private long bits() {
      state += GAMMA;
      return mixed(state);
    }

    private static long mixed(long bits) {
      long z = bits;
      z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
      z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
      return z ^ z >>> 31;
    }

    /** Uniform in (0, 1): the middle of one of 2^52 equal parts. */
    double unit() {
      return ((bits() >>> 12) + 0.5) / (1L << 52);
    }

    /** Uniform in [0, bound): 63 bits modulo bound, drawn again above the last whole multiple. */
    int below(int bound) {
      long drawn = bits() >>> 1;
      while (drawn - drawn % bound > Long.MAX_VALUE - (bound - 1)) {
        drawn = bits() >>> 1;
      }
      return (int) (drawn % bound);
    }

    /** Normal with mean 0 and deviation 1, by Box and Muller, the cosine alone. */
    double normal() {
      double radius = Math.sqrt(-2 * StrictMath.log(unit()));
      return radius * StrictMath.cos(2 * Math.PI * unit());
    }
  }

  /** Gaps between arrivals in nanoseconds at the mean rate, by the definition of each process. */
  static final class Gaps {
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
      return Set.of("constant", "poisson", "gamma", "mmpp").contains(process);
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

  /**
   * Time as the load bends it: the time at which the integral of the load's factor reaches a value,
   * by halving the bracket, so that it rests on the integral alone.
   */
  static final class LoadTime {
    private static final int HALVINGS = 200;

    private final RunConfig config;
    private final List<RunConfig> steps;
    private final boolean diurnal;

    LoadTime(RunConfig config) {
      this.config = config;
      this.steps = config.sections("load", "steps");
      this.diurnal = config.at("load", "diurnal") != null;
    }

    /** True if the load is even, so that each time is exact. */
    boolean isEven() {
      return config.at("load") == null;
    }

    /** True if the shape is defined here: rates stand in a file that the folder does not hold. */
    boolean isKnown() {
      return isEven() || diurnal || !steps.isEmpty();
    }

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
    double meanFactor(double from, double to) {
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
}
