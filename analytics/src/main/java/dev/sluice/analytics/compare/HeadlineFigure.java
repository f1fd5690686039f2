package dev.sluice.analytics.compare;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.analytics.figure.Figures;
import dev.sluice.contract.file.UserMistakeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A figure by which two settings are compared.
 *
 * @param name path in summary.json, with dots
 * @param higherIsBetter whether a setting is better if its figure is higher
 */
record HeadlineFigure(String name, boolean higherIsBetter) {
  static final String GOODPUT = "all_goodput_jobs_sec";

  /** What every comparison shows of all jobs, beside the primary figure. */
  private static final List<String> OF_ALL =
      List.of(
          GOODPUT,
          "all_throughput_jobs_sec",
          "all_slo_violation_rate",
          "all_avg_e2e_ms",
          "all_p50_e2e_ms",
          "all_p99_e2e_ms");

  /** What every comparison shows of each class. */
  private static final List<String> OF_A_CLASS = List.of("slo_violation_rate", "p99_e2e_ms");

  /** Ends of the names of figures of which less is better. */
  private static final List<String> LOWER =
      List.of(
          "avg_e2e_ms",
          "p50_e2e_ms",
          "p95_e2e_ms",
          "p99_e2e_ms",
          "p90_e2e_ms",
          "avg_wait_ms",
          "slo_violations",
          "slo_violation_rate",
          "dropped",
          "failed",
          "hop_p50_ms",
          "hop_p99_ms",
          "bubble_p50_ms",
          "bubble_p99_ms",
          "queue_mean",
          "queue_max",
          "attempts_lost",
          "attempts_unanswered");

  /** Ends of the names of figures of which more is better. */
  private static final List<String> HIGHER =
      List.of(
          "goodput_jobs_sec",
          "throughput_jobs_sec",
          "throughput_sps",
          "slo_attainment_min",
          "done",
          "offline_throughput_sps");

  /**
   * Returns the figures of a comparison, the primary one first.
   *
   * @param summary summary.json of one of the runs
   * @param primary name of the primary figure; null: goodput
   * @throws UserMistakeException if the primary figure is none, or has no better end
   */
  static List<HeadlineFigure> of(JsonNode summary, @Nullable String primary)
      throws UserMistakeException {
    List<String> classes = names(summary.path("by_class_workload"));
    List<HeadlineFigure> figures = new ArrayList<>();
    figures.add(
        named(
            primary == null ? GOODPUT : primary,
            classes,
            classes.isEmpty()
                ? List.of()
                : names(summary.path("by_class_workload").path(classes.get(0)))));
    List<String> others = new ArrayList<>(OF_ALL);
    if (classes.size() > 1) {
      classes.forEach(c -> OF_A_CLASS.forEach(end -> others.add(c + "_" + end)));
    }
    for (String name : others) {
      Boolean higher = direction(name);
      if (higher != null && !name.equals(figures.get(0).name)) {
        figures.add(new HeadlineFigure(name, higher));
      }
    }
    return figures;
  }

  /**
   * Returns a figure by its name.
   *
   * @throws UserMistakeException if it is none, or has no better end
   */
  static HeadlineFigure named(String name, List<String> classes, List<String> workloads)
      throws UserMistakeException {
    if (!Figures.numbers(classes, workloads).contains(name)) {
      throw new UserMistakeException(
          "--primary",
          "no run has the figure (" + name + ")",
          "you meant " + GOODPUT + ", all_avg_e2e_ms or another number of summary.json");
    }
    Boolean higher = direction(name);
    if (higher == null) {
      throw new UserMistakeException(
          "--primary",
          "neither more nor less of the figure (" + name + ") is better",
          "you meant " + GOODPUT + " or all_avg_e2e_ms");
    }
    return new HeadlineFigure(name, higher);
  }

  private static List<String> names(JsonNode tree) {
    return tree.properties().stream().map(Map.Entry::getKey).toList();
  }

  /** Whether more of a figure is better; null: neither is. */
  private static @Nullable Boolean direction(String name) {
    if (name.contains("completed_")) {
      return null; // it gains by dropping
    }
    if (HIGHER.stream().anyMatch(end -> ends(name, end))) {
      return true;
    }
    return LOWER.stream().anyMatch(end -> ends(name, end)) ? false : null;
  }

  private static boolean ends(String name, String end) {
    return name.equals(end) || name.endsWith("_" + end) || name.endsWith("." + end);
  }

  /** True if settings differ in it by a ratio: it is a time, above 0 and without an upper bound. */
  boolean isRatio() {
    return name.endsWith("_ms");
  }

  /** True if it is a mean over done jobs, which leaves out the others. */
  boolean isAverageOfDone() {
    return name.contains("avg_");
  }

  /** What of it a name ends in: the name without its class and workload. */
  String end() {
    return name.substring(name.lastIndexOf('.') + 1);
  }

  /**
   * Name of the figure beside this one, of the same class and workload.
   *
   * @param end the end of this figure's name that is replaced, as {@code avg_e2e_ms}
   */
  String beside(String end, String by) {
    return name.substring(0, name.length() - end.length()) + by;
  }

  /** The figure's value in a run; null: it has none, or an infinite one. */
  @Nullable Double in(JsonNode summary) {
    return value(summary, name);
  }

  static @Nullable Double value(JsonNode summary, String name) {
    JsonNode node = summary;
    if (!summary.has(name)) {
      for (String part : name.split("\\.", -1)) {
        node = node.path(part);
      }
    } else {
      node = summary.path(name);
    }
    return node.isNumber() ? Double.valueOf(node.doubleValue()) : null;
  }
}
