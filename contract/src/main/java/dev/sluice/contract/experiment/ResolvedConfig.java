package dev.sluice.contract.experiment;

import dev.sluice.contract.experiment.Experiment.Drift;
import dev.sluice.contract.experiment.Experiment.JobClass;
import dev.sluice.contract.experiment.Experiment.LinearServiceTime;
import dev.sluice.contract.experiment.Experiment.MemoryBudget;
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
    Map<String, @Nullable Object> top = new LinkedHashMap<>();
    top.put("run_name", e.runName());
    top.put("seed", e.seed());
    top.put("duration_seconds", e.load().durationSeconds());
    top.put("warmup_seconds", e.load().warmupSeconds());
    top.put("tail_seconds", e.load().tailSeconds());
    double rate = e.load().arrivalRateJobsPerSec();
    Double offered = e.load().offeredLoad();
    if (!Double.isNaN(rate)) {
      top.put("arrival_rate_jobs_per_sec", rate);
    } else if (offered != null) { // the rate is found later, or a file says the times
      top.put("offered_load", offered);
    }
    top.put("arrivals", arrivals(e.load().arrivals()));
    if (!e.load().shape().equals(LoadShape.even())) { // an even load keeps its digest
      top.put("load", shape(e.load().shape()));
    }
    if (e.load().scenario() != Scenario.SERVER) { // likewise
      top.put("scenario", e.load().scenario().key());
    }
    top.put("generators", e.load().generators());
    top.put("interactive_ratio", e.jobs().interactiveRatio());
    Map<String, Object> classes = new LinkedHashMap<>();
    e.jobs().classes().forEach(c -> classes.put(c.name(), jobClass(c)));
    top.put("classes", classes);
    top.put("workloads", e.jobs().workloads().stream().map(ResolvedConfig::workload).toList());
    top.put("backends_enabled", e.jobs().backendsEnabled());
    top.put("precision_modes", e.jobs().precisionModes());
    top.put("allow_slow_precision", e.jobs().allowSlowPrecision());
    top.put("batch_sizes", e.jobs().batchSizes());
    top.put("scheduler_name", e.scheduling().schedulerName());
    top.put("scheduler", new TreeMap<>(e.scheduling().weights()));
    top.put("admission", e.scheduling().admission());
    top.put("max_waiting", orNone(e.scheduling().maxWaiting()));
    top.put("expire_after_ms", orNone(e.scheduling().expireAfterMs()));
    var m = e.scheduling().microbatch();
    Map<String, @Nullable Object> microbatch =
        map(
            "enabled", m.enabled(),
            "window_ms", m.windowMs(),
            "max_batch", m.maxBatch(),
            "policies", m.policies(),
            "respect_deadlines", m.respectDeadlines());
    if (!m.models().isEmpty()) {
      Map<String, @Nullable Object> models = new LinkedHashMap<>();
      m.models()
          .forEach(
              (model, limits) -> {
                Map<String, @Nullable Object> limit = map("max_batch", limits.maxBatch());
                if (!limits.preferred().isEmpty()) {
                  limit.put("preferred", limits.preferred());
                }
                models.put(model, limit);
              });
      microbatch.put("models", models);
    }
    top.put("microbatch", microbatch);
    var r = e.resources();
    top.put(
        "resources",
        map(
            "enabled", r.enabled(),
            "total_tokens", r.totalTokens(),
            "cpu_fallback", r.cpuFallback()));
    var l = e.lanes();
    top.put(
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
            "drift",
                l.drift().isEmpty() ? null : l.drift().stream().map(ResolvedConfig::drift).toList(),
            "memory_mb", l.memoryMb()));
    var p = e.predictor();
    top.put(
        "predictor",
        map(
            "enabled", p.enabled(),
            "model_path", p.modelPath(),
            "quantile", p.quantile(),
            "retrain_seconds", p.retrainSeconds()));
    var k = e.kafka();
    top.put("kafka", map("bootstrap_servers", k.bootstrapServers(), "shards", k.shards()));
    Map<String, Object> thresholds = new TreeMap<>();
    e.thresholds()
        .forEach(
            (figure, t) ->
                thresholds.put(
                    figure, t.abort() ? map("bound", t.text(), "abort", true) : t.text()));
    top.put("thresholds", thresholds);
    var s = e.simulation();
    if (!s.equals(Simulation.DEFAULT)) { // an experiment with the default keeps its digest
      top.put(
          "simulation",
          map("latency_table", s.latencyTable(), "hops", s.hops(), "noise_seed", s.noiseSeed()));
    }
    var text = new StringBuilder();
    top.forEach((key, value) -> appendBlock(text, key, value));
    return text.toString();
  }

  /** SHA-256, in hex, of {@link #write}'s text: equal for equal experiments. */
  public static String digest(Experiment experiment) {
    return Sha256.hex(write(experiment).getBytes(StandardCharsets.UTF_8));
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
        "process", ReplayReader.process(replay.source()),
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
      return map(steps.name(), steps.steps().stream().map(ResolvedConfig::step).toList());
    }
    return map();
  }

  private static Map<String, @Nullable Object> step(LoadShape.Step s) {
    return map("at_seconds", s.atSeconds(), "factor", s.factor(), "over_seconds", s.overSeconds());
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

  private static Map<String, @Nullable Object> drift(Drift d) {
    return map("at_seconds", d.atSeconds(), "factor", d.factor(), "over_seconds", d.overSeconds());
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
