package dev.sluice.contract.experiment;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.contract.experiment.Experiment.JobClass;
import dev.sluice.contract.experiment.Experiment.LinearServiceTime;
import dev.sluice.contract.experiment.Experiment.MemoryBudget;
import dev.sluice.contract.experiment.Experiment.ModelFile;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.contract.experiment.Experiment.WorkloadChoice;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.QuotedText;
import dev.sluice.contract.file.Sha256;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
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

  private static final JsonMapper KEYS =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .defaultPropertyInclusion(
              JsonInclude.Value.construct(
                  JsonInclude.Include.NON_EMPTY, JsonInclude.Include.NON_EMPTY))
          .build();

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
    for (JobClass one : jobs.classes()) {
      Map<String, Object> keys = keys(one);
      keys.remove("name");
      classes.put(one.name(), keys);
    }
    var scheduling = e.scheduling();
    Map<String, Object> simulation = keys(e.simulation());
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
            "microbatch", keys(scheduling.microbatch()),
            "resources", keys(e.resources()),
            "lanes", keys(e.lanes()),
            "predictor", keys(e.predictor()),
            "kafka", keys(e.kafka()),
            "thresholds", thresholds,
            "simulation", simulation.isEmpty() ? null : simulation);
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
    if (arrivals instanceof Replay replay) {
      return replayed(replay);
    }
    var drawn = (Arrivals.Drawn) arrivals;
    if (drawn.settings().isEmpty()) {
      return drawn.process();
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
      return map(d.name(), keys(d));
    }
    if (shape instanceof LoadShape.Rates rates) {
      return map(rates.name(), rates.file());
    }
    if (shape instanceof LoadShape.Steps steps) {
      return map(steps.name(), steps.steps().stream().map(ResolvedConfig::keys).toList());
    }
    return map();
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

  private static List<Map<String, Object>> inputs(ModelFile model) {
    List<Map<String, Object>> inputs = new ArrayList<>();
    for (ModelInput input : model.inputs()) {
      Map<String, Object> keys = keys(input);
      keys.put("dtype", input.dtype().text());
      inputs.add(keys);
    }
    return inputs;
  }

  private static Object orNone(@Nullable Object value) {
    return value == null ? "none" : value;
  }

  /** A record's values by their names in snake_case; null and empty lists are left out. */
  private static Map<String, Object> keys(Record values) {
    return KEYS.convertValue(values, new TypeReference<LinkedHashMap<String, Object>>() {});
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
