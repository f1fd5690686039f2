package dev.sluice.analytics.plot;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Jobs.JobRow;
import dev.sluice.analytics.row.Summary;
import dev.sluice.analytics.statistic.LongBag;
import dev.sluice.contract.experiment.Experiment.JobClass;
import java.awt.image.BufferedImage;
import java.util.List;
import java.util.Optional;

/**
 * Latencies of each class's measured jobs ({@link LatencyCdf}), and the classes' promises; of a
 * class that promises a multiple of the isolated time, the least and the most.
 */
final class LatencyCdfPlot implements Plots.Drawing {
  @Override
  public Optional<BufferedImage> draw(RunRows run, Summary summary, PictureFrame frame) {
    List<String> classes = run.classNames();
    List<LongBag> doneNs = classes.stream().map(name -> new LongBag()).toList();
    int[] counts = new int[classes.size()];
    for (JobRow job : run.measured()) {
      counts[run.classOf(job)]++;
      if (job.isDone()) {
        doneNs.get(run.classOf(job)).add(job.endToEndNs());
      }
    }
    var picture = new LatencyCdf(frame);
    for (int i = 0; i < classes.size(); i++) {
      picture.add(classes.get(i), i, doneNs.get(i), counts[i]);
    }
    for (JobClass jobClass : run.context().experiment().jobs().classes()) {
      double[] sloMs = run.promisesMs(jobClass.name());
      if (sloMs.length > 0) {
        picture.promised(legend(jobClass, sloMs), classes.indexOf(jobClass.name()), sloMs);
      }
    }
    return picture.image();
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
}
