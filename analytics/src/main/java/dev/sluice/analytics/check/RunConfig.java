package dev.sluice.analytics.check;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The resolved experiment in a run's config.yaml. */
record RunConfig(Map<String, Object> values) {
  private static final int ALIASES_MAX = 50;

  /**
   * Reads a resolved experiment.
   *
   * @throws org.yaml.snakeyaml.error.YAMLException if the text is no YAML
   */
  static RunConfig parse(String yaml) {
    var options = new LoaderOptions();
    options.setAllowDuplicateKeys(false);
    options.setMaxAliasesForCollections(ALIASES_MAX);
    options.setCodePointLimit(Integer.MAX_VALUE);
    return section(new Yaml(new SafeConstructor(options)).load(yaml));
  }

  /** Returns the value at a path of keys; null if there is none. */
  @Nullable Object at(String... path) {
    Object value = values;
    for (String key : path) {
      value = value instanceof Map<?, ?> map ? map.get(key) : null;
    }
    return value;
  }

  /** Returns the number at a path; NaN if there is none. */
  double number(String... path) {
    return at(path) instanceof Number number ? number.doubleValue() : Double.NaN;
  }

  /** Returns the whole number at a path; 0 if there is none. */
  long whole(String... path) {
    return at(path) instanceof Number number ? number.longValue() : 0;
  }

  boolean flag(String... path) {
    return Boolean.TRUE.equals(at(path));
  }

  /** Returns the text of the value at a path; empty if there is none. */
  String text(String... path) {
    Object value = at(path);
    return value == null ? "" : value.toString();
  }

  /** Returns the texts of the list at a path; empty if there is none. */
  List<String> texts(String... path) {
    return at(path) instanceof List<?> list
        ? list.stream().map(String::valueOf).toList()
        : List.of();
  }

  /** Returns the mappings that a list holds, as configs; empty if there is no list. */
  List<RunConfig> sections(String... path) {
    return at(path) instanceof List<?> list
        ? list.stream().map(RunConfig::section).toList()
        : List.of();
  }

  /** Returns the mapping at a path by its keys, each value as a config, in the file's order. */
  Map<String, RunConfig> sectionsByName(String... path) {
    Map<String, RunConfig> sections = new LinkedHashMap<>();
    if (at(path) instanceof Map<?, ?> map) {
      map.forEach((name, value) -> sections.put(String.valueOf(name), section(value)));
    }
    return sections;
  }

  private static RunConfig section(@Nullable Object value) {
    Map<String, Object> values = new LinkedHashMap<>();
    if (value instanceof Map<?, ?> map) {
      map.forEach((key, v) -> values.put(String.valueOf(key), v));
    }
    return new RunConfig(values);
  }

  /** Workloads by name, in the file's order. */
  Map<String, RunConfig> workloads() {
    Map<String, RunConfig> workloads = new LinkedHashMap<>();
    sections("workloads").forEach(workload -> workloads.put(workload.text("name"), workload));
    return workloads;
  }

  long warmupNs() {
    return Math.round(number("warmup_seconds") * 1e9);
  }

  long durationNs() {
    return Math.round(number("duration_seconds") * 1e9);
  }

  /** True if the requests came from a file, of which the config tells only the name. */
  boolean isReplayed() {
    String process = text("arrivals", "process");
    return process.equals("replay") || process.equals("trace");
  }

  String scenario() {
    return at("scenario") == null ? "server" : text("scenario");
  }

  /** True if the run's policy joins jobs into micro-batches. */
  boolean joinsJobs() {
    return flag("microbatch", "enabled")
        && texts("microbatch", "policies").contains(text("scheduler_name"));
  }

  /** True if jobs of a class may share a batch. */
  boolean sharesBatches(String classType) {
    return flag("classes", classType, "microbatch");
  }

  /** True if lanes have a memory below the sum of the models. */
  boolean hasMemory() {
    return !Double.isNaN(number("lanes", "memory_mb"));
  }

  long lanesOfExecutor() {
    return flag("lanes", "enabled") ? Math.round(number("lanes", "num_lanes")) : 1;
  }

  /** True if a workload is a model file of the user's own, which runs on its own engine. */
  boolean hasOwnModel() {
    return at("path") != null;
  }

  /** Tokens of a workload's batch: base + 4 × samples, at half precision × 0.7 rounded up. */
  long tokensOf(String precision, long samples) {
    long whole = Math.round(number("tokens")) + 4 * samples;
    boolean half = precision.equals("fp16") || precision.equals("bf16");
    return half ? -Math.floorDiv(-7 * whole, 10L) : whole;
  }
}
