package dev.sluice.analytics.row;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The figures of a run, as they stand in summary.json: a tree of numbers, texts, lists and maps, in
 * a fixed order.
 *
 * <p>In the tree an infinite figure is {@link Double#POSITIVE_INFINITY} and one with an empty
 * divisor is null; in JSON both are null.
 */
public final class Summary {
  public static final String NOT_COMPARABLE = "not_comparable";

  /** Beginning of each reason of a verdict that {@link #notComparable} gave. */
  public static final String NOT_COMPARABLE_BECAUSE = "not comparable: ";

  /** Beginning of the note that other processes took much of the machine. */
  public static final String BUSY_MACHINE = "busy machine: ";

  private static final String BY_CLASS_WORKLOAD = "by_class_workload";

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  private final Map<String, @Nullable Object> values = new LinkedHashMap<>();
  private final List<String> reasons = new ArrayList<>();
  private final List<String> verdictReasons = new ArrayList<>();
  private Verdict verdict = Verdict.MET;

  public Summary() {}

  /**
   * Adds a figure, of which there is none by that name. A whole number stays whole, NaN is null.
   */
  public void put(String name, @Nullable Object value) {
    if (values.containsKey(name)) {
      throw new IllegalArgumentException("two figures are named " + name);
    }
    values.put(name, value instanceof Double d && d.isNaN() ? null : value);
  }

  /** Adds all that a part holds, behind what there is. */
  public void add(Summary part) {
    part.values.forEach(
        (name, value) -> {
          if (!name.equals(NOT_COMPARABLE)) {
            put(name, value);
          }
        });
    reasons.addAll(part.reasons);
    if (!part.reasons.isEmpty()) {
      values.put(NOT_COMPARABLE, List.copyOf(reasons));
    }
    verdictReasons.addAll(part.verdictReasons);
    verdict = verdict.worst(part.verdict);
  }

  /** Marks the run as not comparable with others, so that it tells nothing of its policy. */
  public void notComparable(String reason) {
    reasons.add(reason);
    values.put(NOT_COMPARABLE, List.copyOf(reasons));
    worsen(Verdict.INCONCLUSIVE, NOT_COMPARABLE_BECAUSE + reason);
  }

  /** Makes the verdict at least as bad as the given one, for a reason in words. */
  public void worsen(Verdict atLeast, String why) {
    verdict = verdict.worst(atLeast);
    verdictReasons.add(why);
  }

  /** The tree, unmodifiable. */
  public Map<String, @Nullable Object> values() {
    return Collections.unmodifiableMap(values);
  }

  /** Verdict: whether the run is whole, and whether its thresholds were met. */
  public Verdict verdict() {
    return verdict;
  }

  /** Reasons why the verdict is not {@link Verdict#MET}, in words; empty if it is. */
  public List<String> verdictReasons() {
    return List.copyOf(verdictReasons);
  }

  /** Reasons against comparing the run with others; empty if it may be compared. */
  public List<String> notComparableReasons() {
    return List.copyOf(reasons);
  }

  /**
   * Looks a figure up; a name without a class means all classes. A figure of a class and workload
   * has its path, {@code by_class_workload.CLASS.WORKLOAD.FIGURE}.
   *
   * @return null if the tree has no such number; infinite for a percentile that falls on a job that
   *     was not done
   */
  public @Nullable Double figure(String name) {
    Object value =
        name.startsWith(BY_CLASS_WORKLOAD + ".")
            ? below(name)
            : values.containsKey(name) ? values.get(name) : values.get("all_" + name);
    return value instanceof Number number ? Double.valueOf(number.doubleValue()) : null;
  }

  private @Nullable Object below(String path) {
    int first = BY_CLASS_WORKLOAD.length() + 1;
    int second = path.indexOf('.', first);
    int last = path.lastIndexOf('.'); // a workload's name may hold dots
    Object value = values.get(BY_CLASS_WORKLOAD);
    if (second < 0 || last <= second) {
      return null;
    }
    for (String key :
        List.of(
            path.substring(first, second),
            path.substring(second + 1, last),
            path.substring(last + 1))) {
      value = value instanceof Map<?, ?> map ? map.get(key) : null;
    }
    return value;
  }

  public String toJson() {
    return json(values);
  }

  /** Returns a tree as JSON, in which what is not finite is null. */
  public static String json(Map<String, @Nullable Object> tree) {
    try {
      return JSON.writeValueAsString(finite(tree)) + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a summary that cannot be written", e);
    }
  }

  private static @Nullable Object finite(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      Map<String, @Nullable Object> copy = new LinkedHashMap<>();
      map.forEach((name, inner) -> copy.put(String.valueOf(name), finite(inner)));
      return copy;
    }
    return value instanceof Double d && !Double.isFinite(d) ? null : value;
  }
}
