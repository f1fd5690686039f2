package dev.sluice.analytics.check;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The resolved experiment in a run's config.yaml. */
public record RunConfig(Map<String, Object> values) {
  private static final double NS_PER_SECOND = 1e9;

  /** Returns the value at a path of keys; null if there is none. */
  @Nullable
  public Object at(String... path) {
    Object value = values;
    for (String key : path) {
      value = value instanceof Map<?, ?> map ? map.get(key) : null;
    }
    return value;
  }

  /** Returns the number at a path; NaN if there is none. */
  public double number(String... path) {
    return at(path) instanceof Number number ? number.doubleValue() : Double.NaN;
  }

  /** Returns the whole number at a path; 0 if there is none. */
  public long whole(String... path) {
    return at(path) instanceof Number number ? number.longValue() : 0;
  }

  /** Returns a number of seconds as whole nanoseconds, the nearest. */
  public long secondsAsNs(String... path) {
    return Math.round(number(path) * NS_PER_SECOND);
  }

  public boolean flag(String... path) {
    return Boolean.TRUE.equals(at(path));
  }

  /** Returns the text of the value at a path; empty if there is none. */
  public String text(String... path) {
    Object value = at(path);
    return value == null ? "" : value.toString();
  }

  /** Returns the texts of the list at a path; empty if there is none. */
  public List<String> texts(String... path) {
    return at(path) instanceof List<?> list
        ? list.stream().map(String::valueOf).toList()
        : List.of();
  }

  /** Returns the mappings that a list holds, as configs; empty if there is no list. */
  public List<RunConfig> sections(String... path) {
    return at(path) instanceof List<?> list
        ? list.stream().map(RunConfig::section).toList()
        : List.of();
  }

  /** Returns the mapping at a path by its keys, each value as a config, in the file's order. */
  public Map<String, RunConfig> sectionsByName(String... path) {
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
  public Map<String, RunConfig> workloads() {
    Map<String, RunConfig> workloads = new LinkedHashMap<>();
    sections("workloads").forEach(workload -> workloads.put(workload.text("name"), workload));
    return workloads;
  }

  public long warmupNs() {
    return secondsAsNs("warmup_seconds");
  }

  public long durationNs() {
    return secondsAsNs("duration_seconds");
  }

  /** True if the requests came from a file, of which the config tells only the name. */
  public boolean isReplayed() {
    String process = text("arrivals", "process");
    return process.equals("replay") || process.equals("trace");
  }

  /** Scenario: server, offline or single_stream. */
  public String scenario() {
    return at("scenario") == null ? "server" : text("scenario");
  }

  /** True if the run's policy joins jobs into micro-batches. */
  public boolean joinsJobs() {
    return flag("microbatch", "enabled")
        && texts("microbatch", "policies").contains(text("scheduler_name"));
  }

  /** True if jobs of a class may share a batch. */
  public boolean sharesBatches(String classType) {
    return flag("classes", classType, "microbatch");
  }

  /** Lanes of one executor. */
  public long lanesOfExecutor() {
    return flag("lanes", "enabled") ? Math.round(number("lanes", "num_lanes")) : 1;
  }

  /**
   * Returns the tokens of a batch: base + 4 × samples, at half precision × 0.7 rounded up.
   *
   * @param base tokens of the model
   */
  public static long tokens(long base, String precision, long samples) {
    long whole = base + 4 * samples;
    boolean half = precision.equals("fp16") || precision.equals("bf16");
    return half ? -Math.floorDiv(-7 * whole, 10L) : whole;
  }
}
