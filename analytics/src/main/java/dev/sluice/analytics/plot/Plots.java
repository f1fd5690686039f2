package dev.sluice.analytics.plot;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.folder.Summary;
import dev.sluice.analytics.statistic.ParallelTasks;
import dev.sluice.contract.experiment.Experiment;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The registry of pictures, by the name of their file without {@code .png}. */
public final class Plots {
  private static final Map<String, Plot> ALL = new LinkedHashMap<>();

  static {
    ALL.put("latency_cdf", new LatencyCdfPlot());
    ALL.put("slo_violations", new SloViolationsPlot());
    ALL.put("latency_percentiles", new LatencyPercentilesPlot());
    ALL.put("latency_over_time", new LatencyOverTimePlot());
    ALL.put("wait_time_dist", new WaitTimePlot());
    ALL.put("lane_timeline", new LaneTimelinePlot());
    ALL.put("queue_depth", new QueueDepthPlot());
    ALL.put("predicted_vs_actual", new PredictionPlot());
    ALL.put("coverage_over_time", new CoverageOverTimePlot());
  }

  private Plots() {}

  /** Returns the names of all pictures, in the order in which they are drawn. */
  static Set<String> names() {
    return Collections.unmodifiableSet(ALL.keySet());
  }

  /** Returns the names of the pictures that a run of an experiment has. */
  public static List<String> names(Experiment experiment) {
    return ALL.entrySet().stream()
        .filter(entry -> entry.getValue().isDrawnFor(experiment))
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Draws every picture of such a run into the folder; one without data says why. */
  public static void writeAll(RunRows run, Summary summary, Path folder) throws IOException {
    try (var beside = new ParallelTasks()) {
      ALL.forEach(
          (name, plot) ->
              beside.begin(() -> write(plot, run, summary, folder.resolve(name + ".png"))));
      beside.await();
    }
  }

  private static void write(Plot plot, RunRows run, Summary summary, Path file) throws IOException {
    if (!plot.isDrawnFor(run.context().experiment())) {
      Files.deleteIfExists(file); // of a report written before
      return;
    }
    var frame = new PictureFrame(ChartStyle.title(plot.subject(), run), RunNotes.of(summary));
    BufferedImage image = plot.draw(run, summary, frame).orElseGet(() -> frame.saying(why(run)));
    Files.write(file, Picture.png(image));
  }

  /** Words for a picture of which a run has nothing to show. */
  static String why(RunRows run) {
    int measured = run.measuredCount();
    return measured > 0 && run.measuredDoneBatches().length == 0
        ? "none done of " + measured + (measured == 1 ? " measured job" : " measured jobs")
        : "no data";
  }
}
