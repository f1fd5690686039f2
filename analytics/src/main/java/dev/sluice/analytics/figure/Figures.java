package dev.sluice.analytics.figure;

import static dev.sluice.analytics.figure.Figure.Definition.Unit.COUNT;
import static dev.sluice.analytics.figure.Figure.Definition.Unit.MILLISECONDS;
import static dev.sluice.analytics.figure.Figure.Definition.Unit.SECONDS;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Summary;
import dev.sluice.analytics.row.Verdict;
import dev.sluice.analytics.statistic.Bounds;
import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.analytics.statistic.ParallelTasks;
import dev.sluice.contract.experiment.Experiment.Threshold;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The registry of figures, in the order in which they stand in summary.json: those below, then each
 * {@link Figure} that a jar on the class path names in {@code
 * META-INF/services/dev.sluice.analytics.figure.Figure}, by the name of its class.
 */
public final class Figures {
  private static final List<Figure> BUILT_IN =
      List.of(
          new JobFigures(),
          new LaneFigures(),
          new FairnessFigures(),
          new StabilityFigures(),
          new ArrivalFigures(),
          new ScenarioFigures(),
          new LatenessFigures(),
          new LoopFigures(),
          new SpellFigures(),
          new PredictionFigures(),
          new ScoreTermFigures(),
          new EmulationFigures(),
          new EndFigures());

  private static final List<Figure> ALL =
      Stream.concat(
              BUILT_IN.stream(),
              ServiceLoader.load(Figure.class, Figures.class.getClassLoader()).stream()
                  .map(ServiceLoader.Provider::get)
                  .sorted(Comparator.comparing(figure -> figure.getClass().getName())))
          .toList();

  /** Numbers of a run that are no figures of its policy, and that no threshold bounds. */
  private static final List<Figure.Definition> OF_THE_RUN =
      List.of(
          Figure.Definition.of("window_seconds", SECONDS),
          Figure.Definition.of("clock_offset_ms_max", MILLISECONDS),
          Figure.Definition.of("fit_cpu_seconds", SECONDS),
          Figure.Definition.of("jobs_never_sent", COUNT));

  private Figures() {}

  /** Returns the name of the number that counts the values behind a number. */
  static String countBehind(String name, Figure.Definition definition) {
    String ofClass = name.substring(0, name.length() - definition.name().length());
    return ofClass + definition.countBehind();
  }

  /**
   * Returns the declaration of a number; null if no family has it.
   *
   * @param name its path in summary.json with dots; of a number that each class has, without its
   *     class or with it
   */
  public static Figure.@Nullable Definition definition(String name) {
    return Stream.concat(OF_THE_RUN.stream(), ALL.stream().flatMap(f -> f.numbers().stream()))
        .filter(number -> number.name().equals(name))
        .findFirst()
        .or(() -> ofAClass(name))
        .orElse(null);
  }

  private static Optional<Figure.Definition> ofAClass(String name) {
    return JobFigures.NUMBERS.stream()
        .filter(number -> name.endsWith("_" + number.name()) || name.endsWith("." + number.name()))
        .max(Comparator.comparingInt(number -> number.name().length()));
  }

  /**
   * Names that a threshold may bound. A figure of a class, or of all of them, has the class's name
   * or {@code all} and an underscore before it; without either it means all.
   */
  public static List<String> figureNames() {
    List<String> names = new ArrayList<>();
    for (Figure figure : ALL) {
      figure.numbers().forEach(number -> names.add(number.name()));
    }
    JobFigures.NUMBERS.forEach(number -> names.add("all_" + number.name()));
    return List.copyOf(names);
  }

  /**
   * Names of the numbers that every run of an experiment has, in a fixed order; a name below
   * another one follows it after a dot. Which of them are null depends on the run.
   *
   * @param classes names of the experiment's classes
   * @param workloads names of its workloads
   */
  public static List<String> numbers(List<String> classes, List<String> workloads) {
    List<String> names = new ArrayList<>();
    OF_THE_RUN.forEach(number -> names.add(number.name()));
    for (Figure figure : ALL) {
      if (figure instanceof JobFigures) {
        addOfJobs("all_", names);
        classes.forEach(c -> addOfJobs(c + "_", names));
      } else {
        figure.numbers().forEach(number -> names.add(number.name()));
      }
    }
    for (String one : classes) {
      for (String workload : workloads) {
        addOfJobs("by_class_workload." + one + "." + workload + ".", names);
      }
    }
    return List.copyOf(names);
  }

  private static void addOfJobs(String prefix, List<String> names) {
    JobFigures.NUMBERS.forEach(number -> names.add(prefix + number.name()));
  }

  /** Returns what values a number can have. */
  public static Bounds bounds(String name) {
    Figure.Definition definition = definition(name);
    return definition == null ? Bounds.FROM_ZERO : definition.range();
  }

  /** Computes every figure of the run, its marks, its thresholds and its verdict. */
  public static Summary summarize(RunRows run) {
    var summary = new Summary();
    RunHead.addTo(summary, run);
    List<Summary> parts = ALL.stream().map(figure -> new Summary()).toList();
    List<ParallelTasks.Task> counts = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      Figure figure = ALL.get(i);
      Summary part = parts.get(i);
      counts.add(() -> figure.addTo(part, run));
    }
    try {
      ParallelTasks.run(counts);
    } catch (IOException e) {
      throw new UncheckedIOException("figures were not counted", e); // none of them writes
    }
    parts.forEach(summary::add);
    addThresholds(summary, run.context().experiment().thresholds());
    RunHead.addProvenanceTo(summary, run);
    return summary;
  }

  /**
   * Adds the results of the thresholds: met, missed, or undecided. A threshold on a p99 of fewer
   * than {@value NearestRank#COUNT_FOR_P99} values, on a latency's p95 of fewer than {@value
   * NearestRank#COUNT_FOR_P95} jobs, or on a figure without a value, is undecided; an infinite
   * figure is above every bound.
   */
  private static void addThresholds(Summary summary, Map<String, Threshold> thresholds) {
    Map<String, Object> results = new LinkedHashMap<>();
    List<String> undecided = new ArrayList<>();
    thresholds.forEach(
        (name, threshold) -> {
          Double value = summary.figure(name);
          String bound = threshold.comparison() + " " + Decimals.plain(threshold.value());
          String result = "undecided";
          if (value == null || standsOnFew(summary, name)) {
            undecided.add("threshold undecided: " + name + " " + bound);
          } else if (threshold.holds(value)) {
            result = "met";
          } else {
            result = "missed";
            summary.worsen(Verdict.MISSED, "threshold missed: " + name + " " + bound);
          }
          Map<String, @Nullable Object> entry = new LinkedHashMap<>();
          entry.put("bound", bound);
          entry.put("value", value);
          entry.put("result", result);
          results.put(name, entry);
        });
    summary.put("thresholds", results);
    if (summary.verdict() != Verdict.MISSED) { // a missed one is certain whatever the others are
      undecided.forEach(why -> summary.worsen(Verdict.INCONCLUSIVE, why));
    }
    if (!results.isEmpty() && Boolean.TRUE.equals(summary.values().get("unstable"))) {
      summary.worsen(
          Verdict.INCONCLUSIVE,
          "unstable: the queue rose over the whole window, so that a longer run has worse figures");
    }
  }

  private static boolean standsOnFew(Summary summary, String name) {
    Figure.Definition definition = definition(name);
    if (definition == null || definition.fewBelow() == 0) {
      return false;
    }
    Double values = summary.figure(countBehind(name, definition));
    return values != null && values < definition.fewBelow();
  }
}
