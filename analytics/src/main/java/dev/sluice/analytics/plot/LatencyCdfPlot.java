package dev.sluice.analytics.plot;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.folder.Summary;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.analytics.statistic.LongBag;
import dev.sluice.contract.experiment.Experiment.JobClass;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Share of each class's measured jobs that were done within a time, and beside it the share that
 * was not, on a logarithmic axis, where the last jobs can be seen. Both are step functions: they
 * move only where a job ended, and end with the last job that was done. There a class whose jobs
 * were all done is at 1 and at 0, which is the foot of the logarithmic axis; a class of which some
 * were never done ends at their share, and the legend counts them. The thin upright lines are the
 * classes' promises; of a class that promises a multiple of the isolated time, the least and the
 * most.
 */
final class LatencyCdfPlot implements Plot {
  private static final int POINTS_MAX = 2_000;
  private static final int TAIL_POINTS = 100;
  private static final double LEAST_MS = 0.001;

  @Override
  public String subject() {
    return "End-to-end latency";
  }

  @Override
  public Optional<BufferedImage> draw(RunRows run, Summary summary, PictureFrame frame) {
    List<String> classes = run.classNames();
    double leastMs = Double.POSITIVE_INFINITY;
    double mostMs = 0;
    List<LongBag> doneNs = doneNs(run);
    for (LongBag ns : doneNs) {
      if (ns.size() > 0) {
        long[] ends = ns.ofRanks(1, ns.size());
        leastMs = Math.min(leastMs, ms(ends[0]));
        mostMs = Math.max(mostMs, ms(ends[1]));
      }
    }
    if (mostMs == 0) {
      return Optional.empty();
    }
    for (var jobClass : run.context().experiment().jobs().classes()) {
      for (double sloMs : run.promisesMs(jobClass)) {
        leastMs = Math.min(leastMs, sloMs);
        mostMs = Math.max(mostMs, sloMs);
      }
    }
    double fromMs = ChartStyle.niceBelow(leastMs);
    double toMs = ChartStyle.niceAbove(mostMs);
    int[] counts = measured(run);
    double floor = floor(doneNs, counts);
    boolean reachesNone =
        IntStream.range(0, counts.length)
            .anyMatch(i -> counts[i] > 0 && doneNs.get(i).size() == counts[i]);
    XyChart within = chart("share of measured jobs done within", fromMs, toMs).y(0, 1, 0.1);
    XyChart beyond =
        chart("share of measured jobs not done within (1 − p)", fromMs, toMs)
            .logarithmicY(
                floor,
                1,
                share -> reachesNone && isFoot(share, floor) ? "0" : ChartStyle.tick(share));
    for (int i = 0; i < classes.size(); i++) {
      int count = counts[i];
      if (count > 0) {
        double[][] drawn = drawn(doneNs.get(i));
        String name = legend(classes.get(i), doneNs.get(i).size(), count);
        Color color = ChartStyle.ofClass(i);
        BasicStroke stroke = ChartStyle.stroke(i, 2.4f);
        if (drawn.length > 0) {
          within.curve(within(drawn, count, fromMs), color, stroke);
          beyond.curve(beyond(drawn, count, fromMs, floor), color, stroke);
        }
        frame.line(name, color, stroke);
      }
    }
    for (var jobClass : run.context().experiment().jobs().classes()) {
      int place = classes.indexOf(jobClass.name());
      BasicStroke stroke = ChartStyle.stroke(place, 1f);
      double[] slosMs = run.promisesMs(jobClass);
      for (double sloMs : slosMs) {
        double[] xs = {sloMs, sloMs};
        Color color = ChartStyle.ofClass(place);
        within.line(xs, new double[] {0, 1}, color, stroke);
        beyond.line(xs, new double[] {floor, 1}, color, stroke);
      }
      if (slosMs.length > 0) {
        frame.line(legend(jobClass, slosMs), ChartStyle.ofClass(place), stroke);
      }
    }
    return Optional.of(frame.beside(within, beyond));
  }

  private static XyChart chart(String yAxisTitle, double fromMs, double toMs) {
    return new XyChart("intended arrival to end, ms", yAxisTitle).logarithmicX(fromMs, toMs);
  }

  /** Latencies of the done measured jobs of each class. */
  private static List<LongBag> doneNs(RunRows run) {
    Jobs jobs = run.jobs();
    List<LongBag> doneNs = run.classNames().stream().map(name -> new LongBag()).toList();
    for (int i = 0; i < jobs.size(); i++) {
      int job = jobs.at(i);
      if (jobs.isMeasured(job) && jobs.isDone(job)) {
        doneNs.get(run.classOf(job)).add(jobs.endToEndNs(job));
      }
    }
    return doneNs;
  }

  /** Number of measured jobs of each class. */
  static int[] measured(RunRows run) {
    Jobs jobs = run.jobs();
    var counts = new int[run.classNames().size()];
    for (int i = 0; i < jobs.size(); i++) {
      int job = jobs.at(i);
      counts[run.classOf(job)] += jobs.isMeasured(job) ? 1 : 0;
    }
    return counts;
  }

  private static double ms(long ns) {
    return Math.max(LEAST_MS, ns / 1e6);
  }

  /**
   * Foot of the logarithmic axis: a power of ten below every share above 0 that a curve reaches.
   *
   * @param counts numbers of measured jobs of the classes, of which at least one job was done
   */
  static double floor(List<LongBag> doneNs, int[] counts) {
    double least =
        IntStream.range(0, counts.length)
            .filter(i -> doneNs.get(i).size() > 0)
            .mapToDouble(i -> Math.max(1, counts[i] - doneNs.get(i).size()) / (double) counts[i])
            .min()
            .orElse(1);
    return Math.pow(10, Math.floor(Math.log10(0.5 * least)));
  }

  private static boolean isFoot(double share, double floor) {
    return share < 1.5 * floor; // ticks above are at least twice as high
  }

  static String legend(String className, int done, int count) {
    return className
        + (done == count
            ? " (all " + count + " done)"
            : " (" + (count - done) + " of " + count + " never done)");
  }

  static String legend(JobClass jobClass, double[] sloMs) {
    return jobClass.name()
        + " SLO "
        + ChartStyle.tick(sloMs[0])
        + (sloMs.length == 1 ? "" : " to " + ChartStyle.tick(sloMs[1]))
        + " ms"
        + (jobClass.sloScale() == null
            ? ""
            : " (" + ChartStyle.tick(jobClass.sloScale()) + " × alone)");
  }

  /** The share done within a time: from 0, up at each job's latency, to the last one's. */
  static ChartStyle.Steps within(double[][] drawn, int count, double fromMs) {
    var steps = new ChartStyle.Steps(fromMs, 0);
    for (double[] rankAndMs : drawn) {
      steps.to(rankAndMs[1], rankAndMs[0] / count);
    }
    return steps;
  }

  /** One minus the share done within a time, down to the floor where no job is left. */
  static ChartStyle.Steps beyond(double[][] drawn, int count, double fromMs, double floor) {
    var steps = new ChartStyle.Steps(fromMs, 1);
    for (double[] rankAndMs : drawn) {
      steps.to(rankAndMs[1], Math.max(floor, (count - rankAndMs[0]) / count));
    }
    return steps;
  }

  /**
   * Ranks, from 1, at which a curve steps, and their latencies in ms: all, or of very many evenly
   * chosen ones and the last hundred.
   */
  static double[][] drawn(LongBag doneNs) {
    int length = doneNs.size();
    int step = Math.max(1, length / POINTS_MAX);
    List<double[]> drawn = new ArrayList<>();
    var rank = new int[1];
    doneNs.sorted(
        ns -> {
          int place = rank[0]++;
          if (place % step == 0 || place >= length - TAIL_POINTS) {
            drawn.add(new double[] {rank[0], ms(ns)});
          }
        });
    return drawn.toArray(new double[0][]);
  }
}
