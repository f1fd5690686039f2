package dev.sluice.analytics.live;

import dev.sluice.contract.experiment.Experiment.Threshold;
import dev.sluice.contract.file.Numbers;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * A run's resolved experiment, read leniently: what another version has written otherwise is
 * missing, and never an error.
 *
 * @param yaml the text of config.yaml
 */
record RunConfig(String yaml, Map<?, ?> top) {
  static RunConfig of(String yaml) {
    try {
      Object read = new Yaml(new SafeConstructor(new LoaderOptions())).load(yaml);
      return new RunConfig(yaml, read instanceof Map<?, ?> map ? map : Map.of());
    } catch (YAMLException e) {
      return new RunConfig(yaml, Map.of());
    }
  }

  @Nullable Object value(String... path) {
    Object value = top;
    for (String key : path) {
      value = value instanceof Map<?, ?> map ? map.get(key) : null;
    }
    return value;
  }

  @Nullable String text(String... path) {
    Object value = value(path);
    return value == null ? null : value.toString();
  }

  @Nullable Double number(String... path) {
    return value(path) instanceof Number number ? Double.valueOf(number.doubleValue()) : null;
  }

  double number(double missing, String... path) {
    Double number = number(path);
    return number == null ? missing : number;
  }

  private Map<?, ?> map(String... path) {
    return value(path) instanceof Map<?, ?> map ? map : Map.of();
  }

  /** Lanes of all shards, if each has one executor. */
  int lanes() {
    boolean several = !Boolean.FALSE.equals(value("lanes", "enabled"));
    return (int) ((several ? number(1, "lanes", "num_lanes") : 1) * number(1, "kafka", "shards"));
  }

  int shards() {
    return (int) number(1, "kafka", "shards");
  }

  /** Memory tokens of an executor; null: there is no budget. */
  @Nullable Long tokensOfAnExecutor() {
    Double each = number("resources", "total_tokens");
    return Boolean.TRUE.equals(value("resources", "enabled")) && each != null
        ? Long.valueOf(Math.round(each))
        : null;
  }

  /** Names of the classes of jobs. */
  List<String> classes() {
    return map("classes").keySet().stream().map(String::valueOf).toList();
  }

  Map<String, Double> weights() {
    Map<String, Double> weights = new LinkedHashMap<>();
    map("scheduler")
        .forEach(
            (name, value) -> {
              if (value instanceof Number number) {
                weights.put(String.valueOf(name), number.doubleValue());
              }
            });
    return weights;
  }

  /** Thresholds by figure; one in another version's form is left out. */
  Map<String, Threshold> thresholds() {
    Map<String, Threshold> thresholds = new LinkedHashMap<>();
    map("thresholds")
        .forEach(
            (figure, written) -> {
              Object text = written instanceof Map<?, ?> map ? map.get("bound") : written;
              String[] parts = String.valueOf(text).trim().split("\\s+", 2);
              BigDecimal bound = parts.length == 2 ? Numbers.decimal(parts[1]) : null;
              if (bound != null) {
                thresholds.put(
                    String.valueOf(figure), new Threshold(parts[0], bound.doubleValue()));
              }
            });
    return thresholds;
  }

  /**
   * A number of measured jobs that the load will not exceed: twice what is asked for, and some;
   * null where nothing bounds it.
   */
  @Nullable Double jobsMax() {
    boolean even =
        value("load") == null
            && value("scenario") == null
            && value("arrivals") instanceof String process
            && Set.of("poisson", "constant").contains(process);
    double seconds = number(0, "duration_seconds") - number(0, "warmup_seconds");
    Double rate = number("arrival_rate_jobs_per_sec");
    return even && rate != null && seconds > 0 ? Double.valueOf(2 * rate * seconds + 100) : null;
  }
}
