package dev.sluice.analytics.plot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.fold.RunFold;
import dev.sluice.analytics.fold.SyntheticRun;
import dev.sluice.analytics.report.RunReport;
import dev.sluice.contract.experiment.Experiment.JobClass;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pictures of made-up runs: there, of the right size, and with something on them. */
final class PlotsTest {
  private static final List<String> DOCUMENTED =
      List.of(
          "latency_cdf",
          "slo_violations",
          "latency_percentiles",
          "wait_time_dist",
          "lane_timeline",
          "queue_depth",
          "predicted_vs_actual",
          "coverage_over_time");

  @TempDir Path folder;

  @Test
  void keepsTheNamesThatTheDocumentsGive() {
    assertThat(Plots.names()).containsAll(DOCUMENTED);
  }

  @Test
  void drawsEveryPicture_withManyColours() throws IOException {
    SyntheticRun.of(SyntheticRun.experiment(50, 5, 60, 2, Map.of()), 7).report().write(folder);
    for (String name : Plots.names()) {
      assertThat(coloursOf(name)).as(name).hasSizeGreaterThan(20);
    }
  }

  @Test
  void drawsThePromisesOfAScale_asTheLeastAndTheMost() throws IOException {
    var scaled = new JobClass("interactive", null, 2.5, 1, true, false);
    var batch = new JobClass("batch", null, 5.0, 5, false, true);
    SyntheticRun.of(SyntheticRun.experiment(50, 5, 60, 2, Map.of(), List.of(scaled, batch)), 7)
        .report()
        .write(folder);
    assertThat(coloursOf("latency_cdf")).hasSizeGreaterThan(20);
    assertThat(LatencyCdfPlot.legend(scaled, new double[] {30, 500}))
        .isEqualTo("interactive SLO 30 to 500 ms (2.5 × alone)");
    assertThat(LatencyCdfPlot.legend(scaled, new double[] {30}))
        .isEqualTo("interactive SLO 30 ms (2.5 × alone)");
    assertThat(LatencyCdfPlot.legend(new JobClass("x", 20, 1, true, true), new double[] {20}))
        .isEqualTo("x SLO 20 ms");
  }

  @Test
  void saysNoData_whenNoJobWasSent() throws IOException {
    RunReport.of(
            new RunFold(), SyntheticRun.context(SyntheticRun.experiment(50, 5, 60, 2, Map.of())))
        .write(folder);
    for (String name : Plots.names()) {
      assertThat(coloursOf(name)).as(name).hasSizeGreaterThan(2);
    }
  }

  @Test
  void drawsDropsOnly_whenNoJobWasDone() throws IOException {
    var experiment = SyntheticRun.experiment(50, 5, 60, 2, Map.of());
    var dropped =
        SyntheticRun.of(experiment, 7).entries().stream()
            .filter(entry -> !entry.topic().equals("dispatches"))
            .toList();
    RunReport.of(SyntheticRun.fold(dropped), SyntheticRun.context(experiment)).write(folder);
    for (String name : Plots.names()) {
      assertThat(coloursOf(name)).as(name).hasSizeGreaterThan(2);
    }
  }

  private Set<Integer> coloursOf(String name) throws IOException {
    Path file = folder.resolve("plots").resolve(name + ".png");
    assertThat(Files.size(file)).isPositive();
    BufferedImage image = ImageIO.read(file.toFile());
    assertThat(image.getWidth()).isEqualTo(ChartStyle.WIDTH);
    assertThat(image.getHeight()).isEqualTo(ChartStyle.HEIGHT);
    Set<Integer> colours = new HashSet<>();
    for (int x = 0; x < image.getWidth(); x++) {
      for (int y = 0; y < image.getHeight(); y++) {
        colours.add(image.getRGB(x, y));
      }
    }
    return colours;
  }
}
