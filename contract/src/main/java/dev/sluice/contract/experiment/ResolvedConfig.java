package dev.sluice.contract.experiment;

import dev.sluice.contract.experiment.Experiment.JobClass;
import dev.sluice.contract.experiment.Experiment.LinearServiceTime;
import dev.sluice.contract.experiment.Experiment.MemoryBudget;
import dev.sluice.contract.experiment.Experiment.Microbatch;
import dev.sluice.contract.experiment.Experiment.ModelFile;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.contract.experiment.Experiment.Simulation;
import dev.sluice.contract.experiment.Experiment.WorkloadChoice;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.QuotedText;
import dev.sluice.contract.file.Sha256;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A whole experiment as an experiment file again, every key with its value, in a fixed order. */
public final class ResolvedConfig {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z][A-Za-z0-9_./-]*");
  private static final Pattern RESERVED =
      Pattern.compile(
          "true|false|yes|no|on|off|y|n|null|nan|inf|infinity", Pattern.CASE_INSENSITIVE);

  private ResolvedConfig() {}

  /**
   * The text of a file that {@link ExperimentFile} reads as an equal experiment. Paths in it stay
   * relative to the folder of the original file. A key {@code recorded} may be appended, which
   * names that folder.
   */
  public static String write(Experiment e) {
    var load = e.load();
    boolean rated = !Double.isNaN(load.arrivalRateJobsPerSec());
    var jobs = e.jobs();
    Map<String, Object> classes = new LinkedHashMap<>();
    jobs.classes().forEach(c -> classes.put(c.name(), jobClass(c)));
    var scheduling = e.scheduling();
    var r = e.resources();
    var l = e.lanes();
    var p = e.predictor();
    var s = e.simulation();
    Map<String, Object> thresholds = new TreeMap<>();
    e.thresholds()
        .forEach(
            (figure, t) ->
                thresholds.put(
                    figure, t.abort() ? map("bound", t.text(), "abort", true) : t.text()));
    // what a file seldom has is left out where it is the default, which keeps the digest
    Map<String, @Nullable Object> top =
        map(
            "run_name", e.runName(),
            "seed", e.seed(),
            "duration_seconds", load.durationSeconds(),
            "warmup_seconds", load.warmupSeconds(),
            "tail_seconds", load.tailSeconds(),
            "arrival_rate_jobs_per_sec", rated ? load.arrivalRateJobsPerSec() : null,
            // the rate is found later, or a file says the times
            "offered_load", rated ? null : load.offeredLoad(),
            "arrivals", arrivals(load.arrivals()),
            "load", load.shape().equals(LoadShape.even()) ? null : shape(load.shape()),
            "scenario", load.scenario() == Scenario.SERVER ? null : load.scenario().key(),
            "generators", load.generators(),
            "interactive_ratio", jobs.interactiveRatio(),
            "classes", classes,
            "workloads", jobs.workloads().stream().map(ResolvedConfig::workload).toList(),
            "backends_enabled", jobs.backendsEnabled(),
            "precision_modes", jobs.precisionModes(),
            "allow_slow_precision", jobs.allowSlowPrecision(),
            "batch_sizes", jobs.batchSizes(),
            "scheduler_name", scheduling.schedulerName(),
            "scheduler", new TreeMap<>(scheduling.weights()),
            "admission", scheduling.admission(),
            "max_waiting", orNone(scheduling.maxWaiting()),
            "expire_after_ms", orNone(scheduling.expireAfterMs()),
            "microbatch", microbatch(scheduling.microbatch()),
            "resources",
                map(
                    "enabled", r.enabled(),
                    "total_tokens", r.totalTokens(),
                    "cpu_fallback", r.cpuFallback()),
            "lanes",
                map(
                    "enabled", l.enabled(),
                    "num_lanes", l.numLanes(),
                    "threads", l.threads(),
                    "device", l.device(),
                    "kind", l.kind(),
                    "latency_table", l.latencyTable(),
                    "heartbeat_ms", l.heartbeatMs(),
                    "ahead", l.ahead(),
                    "lease_ms", l.leaseMs(),
                    "max_attempts", l.maxAttempts(),
                    "speed", l.speed(),
                    "drift", l.drift().isEmpty() ? null : steps(l.drift()),
                    "memory_mb", l.memoryMb()),
            "predictor",
                map(
                    "enabled", p.enabled(),
                    "model_path", p.modelPath(),
                    "quantile", p.quantile(),
                    "retrain_seconds", p.retrainSeconds()),
            "kafka",
                map(
                    "bootstrap_servers", e.kafka().bootstrapServers(),
                    "shards", e.kafka().shards()),
            "thresholds", thresholds,
            "simulation",
                s.equals(Simulation.DEFAULT)
                    ? null
                    : map(
                        "latency_table", s.latencyTable(),
                        "hops", s.hops(),
                        "noise_seed", s.noiseSeed()));
    var text = new StringBuilder();
    top.forEach((key, value) -> appendBlock(text, key, value));
    return text.toString();
  }

  /** SHA-256, in hex, of {@link #write}'s text: equal for equal experiments. */
  public static String digest(Experiment experiment) {
    return Sha256.hex(write(experiment).getBytes(StandardCharsets.UTF_8));
  }

  private static Map<String, @Nullable Object> microbatch(Microbatch m) {
    Map<String, Object> models = new LinkedHashMap<>();
    m.models()
        .forEach(
            (model, limits) ->
                models.put(
                    model,
                    map(
                        "max_batch",
                        limits.maxBatch(),
                        "preferred",
                        limits.preferred().isEmpty() ? null : limits.preferred())));
    return map(
        "enabled", m.enabled(),
        "window_ms", m.windowMs(),
        "max_batch", m.maxBatch(),
        "policies", m.policies(),
        "respect_deadlines", m.respectDeadlines(),
        "models", models.isEmpty() ? null : models);
  }

  /** A name alone where the process has no settings. */
  private static Object arrivals(Arrivals arrivals) {
    if (arrivals instanceof Arrivals.Replayed replayed) {
      return replayed(replayed.replay());
    }
    if (!(arrivals instanceof Arrivals.Drawn drawn) || drawn.settings().isEmpty()) {
      return arrivals.process();
    }
    Map<String, Object> mapping = new LinkedHashMap<>();
    mapping.put("process", drawn.process());
    mapping.putAll(new TreeMap<>(drawn.settings()));
    return mapping;
  }

  private static Map<String, @Nullable Object> replayed(Replay replay) {
    Map<String, Object> columns = new TreeMap<>();
    replay
        .columns()
        .forEach(
            (attribute, column) ->
                columns.put(
                    attribute,
                    column.stripe() ? map("from", column.from(), "stripe", true) : column.from()));
    var scale = replay.scale();
    return map(
        "process", replay.source().key(),
        "file", replay.file(),
        "salvage", replay.salvage() ? true : null,
        "speed", scale.ratePerSecond() == null ? scale.speed() : null,
        "rate", scale.ratePerSecond(),
        "from", scale.fromSeconds(),
        "to", scale.toSeconds(),
        "slo", replay.names().ownPromises() ? "config" : "recorded",
        "map", texts(replay.names().map()),
        "drop", texts(replay.names().drop()),
        "columns", columns.isEmpty() ? null : columns,
        "spread", replay.spread() ? true : null);
  }

  private static @Nullable List<String> texts(List<?> items) {
    return items.isEmpty() ? null : items.stream().map(Object::toString).toList();
  }

  private static Map<String, @Nullable Object> shape(LoadShape shape) {
    if (shape instanceof LoadShape.Diurnal d) {
      return map(d.name(), map("period_seconds", d.periodSeconds(), "depth", d.depth()));
    }
    if (shape instanceof LoadShape.Rates rates) {
      return map(rates.name(), rates.file());
    }
    if (shape instanceof LoadShape.Steps steps) {
      return map(steps.name(), steps(steps.steps()));
    }
    return map();
  }

  private static List<?> steps(List<LoadShape.Step> steps) {
    return steps.stream()
        .map(
            s ->
                map(
                    "at_seconds", s.atSeconds(),
                    "factor", s.factor(),
                    "over_seconds", s.overSeconds()))
        .toList();
  }

  private static Map<String, @Nullable Object> jobClass(JobClass c) {
    return map(
        "slo_ms", c.sloMs(),
        "slo_scale", c.sloScale(),
        "priority", c.priority(),
        "interactive", c.interactive(),
        "microbatch", c.microbatch());
  }

  private static Map<String, @Nullable Object> workload(WorkloadChoice w) {
    ModelFile model = w.model();
    LinearServiceTime linear = w.linear();
    MemoryBudget budget = w.memoryBudget();
    return map(
        "name", w.name(),
        "weight", w.weight(),
        "tokens", budget == null ? w.tokens() : budget.wholeTokens(),
        "memory_budget", budget == null ? null : Long.toString(budget.bytes()),
        "path", model == null ? null : model.path(),
        "input_shape", model == null ? null : model.inputShape(),
        "inputs", model == null || model.inputShape() != null ? null : inputs(model),
        "alpha_ms", linear == null ? null : linear.alphaMs(),
        "beta_ms", linear == null ? null : linear.betaMs(),
        "load_ms", linear == null ? null : linear.loadMs(),
        "memory_mb", linear == null ? null : linear.memoryMb());
  }

  private static List<Map<String, @Nullable Object>> inputs(ModelFile model) {
    return model.inputs().stream()
        .map(
            input ->
                map(
                    "name", input.name().isEmpty() ? null : input.name(),
                    "shape", input.shape().isEmpty() ? null : input.shape(),
                    "dtype", input.dtype().text(),
                    "range", input.range().isEmpty() ? null : input.range()))
        .toList();
  }

  private static Object orNone(@Nullable Object value) {
    return value == null ? "none" : value;
  }

  /** Keys and values in turn; keys whose value is null are left out. */
  private static Map<String, @Nullable Object> map(@Nullable Object... keysAndValues) {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      if (keysAndValues[i + 1] != null) {
        map.put(String.valueOf(keysAndValues[i]), keysAndValues[i + 1]);
      }
    }
    return map;
  }

  /** Top-level mappings and lists of mappings take a line per entry. */
  private static void appendBlock(StringBuilder text, String key, @Nullable Object value) {
    text.append(key).append(':');
    if (value instanceof Map<?, ?> map && !map.isEmpty()) {
      text.append('\n');
      map.forEach(
          (k, v) ->
              text.append("  ").append(inline(k)).append(": ").append(inline(v)).append('\n'));
    } else if (value instanceof List<?> list && list.get(0) instanceof Map<?, ?>) {
      text.append('\n');
      list.forEach(item -> text.append("  - ").append(inline(item)).append('\n'));
    } else {
      text.append(' ').append(inline(value)).append('\n');
    }
  }

  private static String inline(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream()
          .map(entry -> inline(entry.getKey()) + ": " + inline(entry.getValue()))
          .collect(Collectors.joining(", ", "{", "}"));
    }
    if (value instanceof List<?> list) {
      return list.stream().map(ResolvedConfig::inline).collect(Collectors.joining(", ", "[", "]"));
    }
    if (value instanceof Double number) {
      return Numbers.text(number);
    }
    String text = String.valueOf(value);
    return value instanceof String
            && (!PLAIN.matcher(text).matches() || RESERVED.matcher(text).matches())
        ? QuotedText.ascii(text)
        : text;
  }
}
