package dev.sluice.harness.twin.figure;

import dev.sluice.analytics.statistic.Bounds;
import dev.sluice.analytics.summary.Summary;
import dev.sluice.harness.twin.fold.RunRows;
import java.util.ArrayList;
import java.util.List;

/** The registry of figures, in the order in which they stand in summary.json. */
public final class Figures {
  private static final List<Figure> ALL =
      List.of(
          new JobFigures(),
          new CapacityFigures(),
          new BlockedFigures(),
          new AttemptFigures(),
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
          new StartFigures(),
          new EndFigures());

  /** Ends of the names of shares. */
  private static final List<String> SHARES =
      List.of("slo_violation_rate", "lane_use", "slo_attainment_min", "_miss_rate");

  /** Beginnings of the names of numbers that may be below 0. */
  private static final List<String> UNBOUNDED =
      List.of("queue_growth", "prediction_bias", "append_delay");

  private Figures() {}

  /** Name of the figure that counts the values behind a p99. */
  static String countBehind(String p99Name) {
    return ALL.stream()
        .filter(figure -> figure.owns(p99Name))
        .map(figure -> figure.countBehind(p99Name))
        .findFirst()
        .orElse("all_count");
  }

  /**
   * Names that a threshold may bound. A figure of a class, or of all of them, has the class's name
   * or {@code all} and an underscore before it; without either it means all.
   */
  public static List<String> figureNames() {
    List<String> names = new ArrayList<>();
    for (Figure figure : ALL) {
      names.addAll(figure.names());
    }
    JobFigures.NAMES.forEach(name -> names.add("all_" + name));
    return List.copyOf(names);
  }

  /** Numbers of a run that are no figures of its policy, and that no threshold bounds. */
  private static final List<String> OF_THE_RUN =
      List.of("window_seconds", "clock_offset_ms_max", "fit_cpu_seconds");

  /**
   * Names of the numbers that every run of an experiment has, in a fixed order; a name below
   * another one follows it after a dot. Which of them are null depends on the run.
   *
   * @param classes names of the experiment's classes
   * @param workloads names of its workloads
   */
  public static List<String> numbers(List<String> classes, List<String> workloads) {
    List<String> names = new ArrayList<>(OF_THE_RUN);
    for (Figure figure : ALL) {
      if (figure instanceof JobFigures) {
        figure.names().forEach(name -> names.add("all_" + name));
        classes.forEach(c -> figure.names().forEach(name -> names.add(c + "_" + name)));
      } else {
        names.addAll(figure.names());
      }
    }
    for (String one : classes) {
      for (String workload : workloads) {
        JobFigures.NAMES.forEach(
            name -> names.add("by_class_workload." + one + "." + workload + "." + name));
      }
    }
    return List.copyOf(names);
  }

  /** What values a number can have, by its name. */
  public static Bounds bounds(String name) {
    if (SHARES.stream().anyMatch(name::endsWith)) {
      return Bounds.SHARE;
    }
    if (name.startsWith("service_autocorrelation")) {
      return Bounds.CORRELATION;
    }
    return UNBOUNDED.stream().anyMatch(name::startsWith) ? Bounds.NONE : Bounds.FROM_ZERO;
  }

  /** Computes every figure of the run, its marks, its thresholds and its verdict. */
  public static Summary summarize(RunRows run) {
    var summary = new Summary();
    RunHead.addTo(summary, run);
    for (Figure figure : ALL) {
      figure.addTo(summary, run);
    }
    ThresholdCheck.addTo(summary, run);
    RunHead.addProvenanceTo(summary, run);
    return summary;
  }
}
