package dev.sluice.analytics.check;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

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
    try {
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
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
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("each Java has SHA-256", e);
    }
  }

  /** Draws what each job is. */
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
      String backend = one(backends);
      if (workload.at("path") != null) {
        backend = ""; // a model file of the user's own runs on its own engine
      }
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
}
