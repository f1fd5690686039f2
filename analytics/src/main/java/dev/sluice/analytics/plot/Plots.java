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
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The registry of pictures, by the name of their file without {@code .png}. */
public final class Plots {
  private static final int REASONS_SHOWN_MAX = 2;
  private static final int REASON_LENGTH_MAX = 120;

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

  /** A picture of a run: one class, and one line in the registry. */
  interface Plot {
    String subject();

    /** Returns false if runs of such an experiment have no such picture. */
    default boolean isDrawnFor(Experiment experiment) {
      return true;
    }

    /** Draws the picture and adds its legend to the frame; empty if the run has nothing to show. */
    Optional<BufferedImage> draw(RunRows run, Summary summary, PictureFrame frame);
  }

  private Plots() {}

  /** Returns the names of all pictures, in the order in which they are drawn. */
  static Set<String> names() {
    return Collections.unmodifiableSet(ALL.keySet());
  }

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
    var frame = new PictureFrame(ChartStyle.title(plot.subject(), run), notes(summary));
    BufferedImage image = plot.draw(run, summary, frame).orElseGet(() -> frame.saying(why(run)));
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
