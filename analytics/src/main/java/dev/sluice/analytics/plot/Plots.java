package dev.sluice.analytics.plot;

import dev.sluice.analytics.figure.RunHead;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Summary;
import dev.sluice.analytics.row.Verdict;
import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.analytics.statistic.ParallelTasks;
import dev.sluice.contract.experiment.Experiment;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** The registry of pictures, by the name of their file without {@code .png}. */
public final class Plots {
  private static final int REASONS_SHOWN_MAX = 2;
  private static final int REASON_LENGTH_MAX = 120;

  private static final List<Plot> ALL =
      List.of(
          plot("latency_cdf", "End-to-end latency", new LatencyCdfPlot()),
          plot("slo_violations", "SLO violations", new SloViolationsPlot()),
          plot("latency_percentiles", "Latency percentiles", new LatencyPercentilesPlot()),
          plot("latency_over_time", "Latency over time", new LatencyOverTimePlot()),
          plot("wait_time_dist", "Wait times", new WaitTimePlot()),
          plot("lane_timeline", "Lanes", new LaneTimelinePlot()),
          plot("queue_depth", "Waiting jobs", new QueueDepthPlot()),
          plot("predicted_vs_actual", "Predicted and actual service times", new PredictionPlot()),
          new Plot(
              "coverage_over_time",
              "Missed upper bounds of service times",
              new CoverageOverTimePlot(),
              experiment -> experiment.predictor().enabled()));

  /** A picture of a run: one class, and one line in the registry. */
  interface Drawing {
    /** Draws the picture and adds its legend to the frame; empty if the run has nothing to show. */
    Optional<BufferedImage> draw(RunRows run, Summary summary, PictureFrame frame);
  }

  /**
   * A registered picture.
   *
   * @param name name of its file without {@code .png}
   * @param subject beginning of its title
   * @param drawnFor experiments whose runs have such a picture
   */
  private record Plot(
      String name, String subject, Drawing drawing, Predicate<Experiment> drawnFor) {}

  private Plots() {}

  private static Plot plot(String name, String subject, Drawing drawing) {
    return new Plot(name, subject, drawing, any -> true);
  }

  /** Returns the names of all pictures, in the order in which they are drawn. */
  static List<String> names() {
    return ALL.stream().map(Plot::name).toList();
  }

  public static List<String> names(Experiment experiment) {
    return ALL.stream().filter(plot -> plot.drawnFor().test(experiment)).map(Plot::name).toList();
  }

  /** Draws every picture of such a run into the folder; one without data says why. */
  public static void writeAll(RunRows run, Summary summary, Path folder) throws IOException {
    List<ParallelTasks.Task> pictures = new ArrayList<>();
    ALL.forEach(plot -> pictures.add(() -> write(plot, run, summary, folder)));
    ParallelTasks.run(pictures);
  }

  private static void write(Plot plot, RunRows run, Summary summary, Path folder)
      throws IOException {
    Path file = folder.resolve(plot.name() + ".png");
    if (!plot.drawnFor().test(run.context().experiment())) {
      Files.deleteIfExists(file); // of a report written before
      return;
    }
    var frame = new PictureFrame(ChartStyle.title(plot.subject(), run), notes(summary));
    BufferedImage image =
        plot.drawing().draw(run, summary, frame).orElseGet(() -> frame.saying(why(run)));
    Files.write(file, Picture.png(image));
  }

  /** Words for a picture of which a run has nothing to show. */
  static String why(RunRows run) {
    int measured = run.measured().size();
    return measured > 0 && run.measuredDoneBatches().isEmpty()
        ? "none done of " + measured + (measured == 1 ? " measured job" : " measured jobs")
        : "no data";
  }

  /**
   * Short forms of what the closing table says against a run's numbers, in the order of their
   * weight: a busy machine, clocks that differ, a queue that rose, lanes that emulated badly, and
   * the reasons of a run that tells nothing of its policy. Each picture of the run carries them
   * below its title.
   */
  static List<String> notes(Summary summary) {
    List<String> notes = new ArrayList<>();
    List<String> failures = failures(summary);
    if (!failures.isEmpty()) {
      notes.add("failed: " + joined(failures));
    } else if (!summary.notComparableReasons().isEmpty()) {
      notes.add(Summary.NOT_COMPARABLE_BECAUSE + joined(summary.notComparableReasons()));
    }
    if (summary.values().get("notes") instanceof List<?> all) {
      for (Object one : all) {
        String note = String.valueOf(one);
        if (note.startsWith(Summary.BUSY_MACHINE)) {
          notes.add(note.replace(" of its processors meanwhile", ""));
        } else if (note.startsWith(RunHead.CLOCKS_DIFFER)) {
          notes.add(note);
        }
      }
    }
    if (isTrue(summary, "unstable")) {
      notes.add("unstable: the queue rose over the whole window");
    }
    if (isTrue(summary, "tail_limit_reached")) {
      notes.add("measured jobs still waited when the tail was over");
    }
    Double lateMs = summary.figure("emulation_late_p99_ms");
    if (isTrue(summary, "emulation_late") && lateMs != null) {
      notes.add("emulation late: p99 " + Decimals.short3(lateMs) + " ms off");
    }
    return notes;
  }

  /** Reasons of a failed run that are neither a threshold nor a note of their own. */
  private static List<String> failures(Summary summary) {
    if (summary.verdict() != Verdict.FAILED) {
      return List.of();
    }
    List<String> reasons = new ArrayList<>();
    for (String reason : summary.verdictReasons()) {
      if (!reason.startsWith(Summary.NOT_COMPARABLE_BECAUSE)
          && !reason.startsWith("threshold ")
          && !reason.startsWith("unstable")) {
        reasons.add(reason);
      }
    }
    if (isTrue(summary, "interrupted")) {
      reasons.add("interrupted");
    }
    return reasons;
  }

  private static boolean isTrue(Summary summary, String name) {
    return Boolean.TRUE.equals(summary.values().get(name));
  }

  private static String joined(List<String> reasons) {
    int shown = Math.min(reasons.size(), REASONS_SHOWN_MAX);
    String text =
        String.join("; ", reasons.subList(0, shown).stream().map(Plots::shortened).toList());
    return shown == reasons.size() ? text : text + "; and " + (reasons.size() - shown) + " more";
  }

  private static String shortened(String reason) {
    String line = reason.strip().replaceAll("\\s+", " ");
    return line.length() <= REASON_LENGTH_MAX
        ? line
        : line.substring(0, REASON_LENGTH_MAX - 1).stripTrailing() + "…";
  }
}
