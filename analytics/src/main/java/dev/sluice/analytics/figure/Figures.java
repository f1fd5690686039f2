package dev.sluice.analytics.figure;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.summary.Summary;
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
