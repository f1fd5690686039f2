package dev.sluice.analytics.compare;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.analytics.figure.Figure;
import dev.sluice.analytics.figure.Figure.Definition.Better;
import dev.sluice.analytics.figure.Figure.Definition.Unit;
import dev.sluice.analytics.figure.Figures;
import dev.sluice.analytics.statistic.Bounds;
import dev.sluice.contract.file.UserMistakeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A figure by which two settings are compared.
 *
 * @param name path in summary.json, with dots
 * @param definition what the figure says of itself
 */
record HeadlineFigure(String name, Figure.Definition definition) {
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

  /**
   * Returns the figures of a comparison, the primary one first.
   *
   * @param summary summary.json of one of the runs
   * @param primary name of the primary figure; null: goodput
   * @throws UserMistakeException if the primary figure is none, or has no better end
   */
  static List<HeadlineFigure> of(JsonNode summary, @Nullable String primary)
      throws UserMistakeException {
    List<String> classes = classes(summary);
    List<HeadlineFigure> figures = new ArrayList<>();
    figures.add(named(primary == null ? GOODPUT : primary, classes, workloads(summary)));
    List<String> others = new ArrayList<>(OF_ALL);
    if (classes.size() > 1) {
      classes.forEach(c -> OF_A_CLASS.forEach(end -> others.add(c + "_" + end)));
    }
    for (String name : others) {
      if (!name.equals(figures.get(0).name)) {
        figures.add(new HeadlineFigure(name, definition(name)));
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
    Figure.Definition definition = definition(name);
    if (definition.better() == Better.NEITHER) {
      throw new UserMistakeException(
          "--primary",
          "neither more nor less of the figure (" + name + ") is better",
          "you meant " + GOODPUT + " or all_avg_e2e_ms");
    }
    return new HeadlineFigure(name, definition);
  }

  static List<String> classes(JsonNode summary) {
    return summary.path("by_class_workload").properties().stream().map(Map.Entry::getKey).toList();
  }

  static List<String> workloads(JsonNode summary) {
    return summary.path("by_class_workload").properties().stream()
        .limit(1)
        .flatMap(ofClass -> ofClass.getValue().properties().stream())
        .map(Map.Entry::getKey)
        .toList();
  }

  private static Figure.Definition definition(String name) {
    return Objects.requireNonNull(Figures.definition(name), name);
  }

  boolean higherIsBetter() {
    return definition.better() == Better.MORE;
  }

  /** True if settings differ in it by a ratio: it is a time, above 0 and without an upper bound. */
  boolean isRatio() {
    return (definition.unit() == Unit.MILLISECONDS || definition.unit() == Unit.SECONDS)
        && definition.range() == Bounds.FROM_ZERO;
  }

  /**
   * The class and workload that the figure is of, as its name begins: {@code all_}, {@code
   * interactive_} or {@code by_class_workload.interactive.vit.}; empty: of the whole run.
   */
  String scope() {
    return name.substring(0, name.length() - definition.name().length());
  }

  /** The figure's value in a run; null: it has none, or an infinite one. */
  @Nullable Double in(JsonNode summary) {
    return value(summary, name);
  }

  /** Finds a number by its path; names of its parts may hold dots. */
  static @Nullable Double value(JsonNode tree, String path) {
    if (tree.path(path).isNumber()) {
      return tree.path(path).doubleValue();
    }
    for (Map.Entry<String, JsonNode> field : tree.properties()) {
      String name = field.getKey() + ".";
      Double value =
          path.startsWith(name) ? value(field.getValue(), path.substring(name.length())) : null;
      if (value != null) {
        return value;
      }
    }
    return null;
  }
}
