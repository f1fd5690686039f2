package dev.sluice.harness.report;

import dev.sluice.scheduling.policies.Policies;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** Experiments of a few hundred emulated jobs, drawn from a seed, as YAML. */
public final class RandomExperiment {
  private final Random random;
  private final StringBuilder yaml = new StringBuilder();

  /** Whether lanes have a memory below the sum of the models. */
  private final boolean memory;

  private RandomExperiment(long seed) {
    this.random = new Random(seed);
    this.memory = new Random(~seed).nextInt(4) == 0;
  }

  public static String of(long seed) {
    return new RandomExperiment(seed).write(seed);
  }

  private String write(long seed) {
    line("run_name: random-%d", seed);
    line("seed: %d", random.nextLong());
    String scenario = one("server", "server", "server", "server", "offline", "single_stream");
    boolean server = scenario.equals("server");
    double seconds = 2 + random.nextInt(5);
    line("scenario: %s", scenario);
    line("duration_seconds: %s", seconds);
    line("warmup_seconds: %s", scenario.equals("offline") ? 0 : one("0", "0.5", "1"));
    line("tail_seconds: %s", one("0", "1", "30"));
    line("arrival_rate_jobs_per_sec: %s", 30 + random.nextInt(120));
    line("generators: %s", server ? one("1", "1", "3") : "1");
    if (server) {
      line(
          "arrivals: %s",
          one(
              "poisson",
              "constant",
              "{process: gamma, cv: 2.5}",
              "{process: gamma, cv: 0.4}",
              "{process: mmpp, burst: 3, share: 0.2, mean_burst_seconds: 0.5}"));
      maybe(
          "load: %s",
          "{diurnal: {period_seconds: 3, depth: 0.7}}",
          "{steps: [{at_seconds: 1, factor: 3}, {at_seconds: 2.5, factor: 0.5,"
              + " over_seconds: 0.75}]}");
    }
    jobs();
    scheduler();
    lanes();
    return yaml.toString();
  }

  private void jobs() {
    line("interactive_ratio: %s", one("0.3", "0.05", "0.9"));
    line("classes:");
    line("  interactive: {slo_ms: %s}", one("20", "80", "300.5"));
    line(
        "  batch: {slo_ms: %s, priority: %d, microbatch: %s}",
        one("200", "1500"), random.nextInt(7), random.nextInt(4) > 0);
    if (random.nextInt(3) == 0) {
      line(
          "  urgent: {slo_ms: 40, priority: 0, interactive: true, microbatch: %s}",
          random.nextBoolean());
    }
    line("workloads:");
    line(
        "  - {name: small, weight: 2, alpha_ms: %s, beta_ms: 1.5, tokens: 30%s}",
        one("4", "9.25"), load(3, 20));
    if (random.nextBoolean()) {
      line(
          "  - {name: large, alpha_ms: 25, beta_ms: %s, tokens: 80%s}",
          one("0", "6"), load(12.5, 90));
    }
    if (random.nextInt(4) == 0) {
      line("  - {synthetic: 5, zipf: 1.2, alpha_ms: 5, beta_ms: 2, tokens: 50%s}", load(6, 40.25));
    }
    line("backends_enabled: %s", one("[onnx]", "[pytorch, onnx]"));
    line("precision_modes: %s", one("[fp32]", "[fp32, fp16]"));
    line("allow_slow_precision: true");
    line("batch_sizes: %s", one("[1]", "[1, 2, 4]", "[1, 8]"));
  }

  private void scheduler() {
    List<String> policies = Policies.names();
    String policy = policies.get(random.nextInt(policies.size()));
    line("scheduler_name: %s", policy);
    if (policy.equals("dynamic")) {
      maybe("scheduler: %s", "{urgency: 3}", "{tokens: 0.5}");
    }
    line("admission: %s", one("none", "none", "expired", "hopeless"));
    maybe("max_waiting: %s", "5", "60");
    maybe("expire_after_ms: %s", "150", "1000");
    line(
        "microbatch: {enabled: %s, window_ms: %s, max_batch: %s, policies: %s,"
            + " respect_deadlines: %s}",
        random.nextInt(5) > 0,
        one("0", "3", "10", "40"),
        one("4", "8", "32"),
        one("[batch_aware, dynamic]", "[" + policy + "]"),
        random.nextInt(4) == 0);
    line(
        "resources: {enabled: %s, total_tokens: %s, cpu_fallback: %s}",
        random.nextInt(6) > 0, one("120", "200", "1000"), random.nextInt(4) == 0);
  }

  private void lanes() {
    line("lanes:");
    line("  kind: emulated");
    line("  num_lanes: %d", 1 + random.nextInt(5));
    int ahead = random.nextInt(3) / 2;
    line("  ahead: %d", memory ? 0 : ahead);
    if (memory) {
      line("  memory_mb: %s", one("100", "150"));
    }
    line("  speed: %s", one("1", "1", "2.5"));
    maybe(
        "  drift: %s",
        "[{at_seconds: 1, factor: 2.5}]",
        "[{at_seconds: 0.5, factor: 1.7, over_seconds: 1}, {at_seconds: 3, factor: 0.6}]");
    line("kafka: {shards: %s}", one("1", "1", "2", "4"));
    line("predictor: {enabled: %s}", random.nextInt(3) == 0);
    if (random.nextInt(3) == 0) {
      line("simulation: {hops: none}");
    }
  }

  private String load(double ms, double mb) {
    return memory ? ", load_ms: %s, memory_mb: %s".formatted(ms, mb) : "";
  }

  private void maybe(String format, String... values) {
    if (random.nextBoolean()) {
      line(format, one(values));
    }
  }

  private String one(String... values) {
    return values[random.nextInt(values.length)];
  }

  private void line(String format, Object... values) {
    yaml.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
