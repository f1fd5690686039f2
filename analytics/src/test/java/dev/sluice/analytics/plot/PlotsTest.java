package dev.sluice.analytics.plot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.fold.RunFold;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.fold.SyntheticRun;
import dev.sluice.analytics.report.RunReport;
import dev.sluice.analytics.statistic.LongBag;
import dev.sluice.analytics.statistic.Space;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.JobClass;
import java.awt.Color;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pictures of made-up runs: there, of the right size, and with something on them. */
final class PlotsTest {
  private static final Path DOCUMENT = Path.of("../docs/results.md");
  private static final Pattern DOCUMENTED = Pattern.compile("(?m)^\\| (\\w+)\\.png \\| ");

  @TempDir Path folder;

  @Test
  void keepsTheNamesThatTheDocumentsGive() throws IOException {
    List<String> documented =
        DOCUMENTED
            .matcher(Files.readString(DOCUMENT))
            .results()
            .map(match -> match.group(1))
            .toList();
    assertThat(documented).isNotEmpty();
    assertThat(Plots.names()).containsAll(documented);
  }

  @Test
  void drawsEveryPicture_withManyColours() throws IOException {
    SyntheticRun.of(withPredictor(true), 7).report().write(folder);
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
    RunReport.of(new RunFold(), SyntheticRun.context(withPredictor(true))).write(folder);
    for (String name : Plots.names()) {
      assertThat(coloursOf(name)).as(name).hasSizeGreaterThan(2);
    }
  }

  @Test
  void saysNoneDone_whenEveryJobWasDropped() throws IOException {
    var experiment = withPredictor(true);
    var dropped =
        SyntheticRun.of(experiment, 7).entries().stream()
            .filter(entry -> !entry.topic().equals("dispatches"))
            .toList();
    RunReport.of(SyntheticRun.fold(dropped), SyntheticRun.context(experiment)).write(folder);
    for (String name : Plots.names()) {
      assertThat(coloursOf(name)).as(name).hasSizeGreaterThan(2);
    }
    RunRows rows = SyntheticRun.fold(dropped).rows(SyntheticRun.context(experiment));
    assertThat(Plots.why(rows))
        .isEqualTo("none done of " + rows.measuredCount() + " measured jobs");
    assertThat(Plots.why(new RunFold().rows(SyntheticRun.context(experiment))))
        .isEqualTo("no data");
  }

  @Test
  void drawsCoverage_onlyWithAPredictor() throws IOException {
    SyntheticRun.of(withPredictor(true), 7).report().write(folder);
    Path coverage = folder.resolve("plots/coverage_over_time.png");
    assertThat(coverage).exists();
    SyntheticRun.of(withPredictor(false), 7).report().write(folder);
    assertThat(coverage).doesNotExist();
    assertThat(folder.resolve("plots/latency_over_time.png")).exists();
  }

  @Test
  void stepsUpOnlyWhereAJobEnded() {
    var doneNs = new LongBag(new Space());
    doneNs.add(40_000_000);
    doneNs.add(20_000_000);
    double[][] drawn = LatencyCdfPlot.drawn(doneNs);
    ChartStyle.Steps within = LatencyCdfPlot.within(drawn, 2, 4, 10, 100);
    assertThat(within.xs()).containsExactly(10, 20, 20, 40, 40, 100, 100);
    assertThat(within.ys()).containsExactly(0, 0, 0.25, 0.25, 0.5, 0.5, 0.5);
    ChartStyle.Steps beyond = LatencyCdfPlot.beyond(drawn, 2, 2, 10, 100, 0.1);
    assertThat(beyond.ys()).containsExactly(1, 1, 0.5, 0.5, 0.1, 0.1, 0.1);
  }

  @Test
  void breaksACurveOff_whereNothingEnded() {
    ChartStyle.Steps steps =
        new ChartStyle.Steps(0, 5).to(1, Double.NaN).to(2, 7).to(3, Double.NaN);
    assertThat(steps.xs()).containsExactly(0, 1, 1, 2, 3, 3);
    assertThat(steps.ys()).containsExactly(5, 5, Double.NaN, 7, 7, Double.NaN);
  }

  @Test
  void takesTheShortestWindow_thatKeepsTheirNumberSmall() {
    assertThat(LatencyOverTimePlot.windowS(60)).isEqualTo(1);
    assertThat(LatencyOverTimePlot.windowS(121)).isEqualTo(2);
    assertThat(LatencyOverTimePlot.windowS(3_600)).isEqualTo(30);
    assertThat(LatencyOverTimePlot.windowS(1_000_000)).isEqualTo(8_334);
  }

  @Test
  void growsRatherThanCuttingALegendOff() {
    var few = new PictureFrame("T").note("short").saying("words");
    var frame = new PictureFrame("T ".repeat(300));
    for (int i = 0; i < 200; i++) {
      frame.line("class " + i + " with a long name", ChartStyle.INK, ChartStyle.EDGE);
    }
    assertThat(few.getHeight()).isEqualTo(ChartStyle.HEIGHT);
    BufferedImage many = frame.saying("words");
    assertThat(many.getHeight()).isGreaterThan(1_200);
    assertThat(inkedRows(many, many.getHeight() - 40, many.getHeight())).isPositive();
  }

  @Test
  void breaksTextsBetweenWords_andWordsAnywhere() {
    var metrics =
        new BufferedImage(1, 1, BufferedImage.TYPE_INT_RGB)
            .createGraphics()
            .getFontMetrics(ChartStyle.TEXT);
    int width = metrics.stringWidth("one two ");
    assertThat(PictureFrame.lines("one two three", metrics, width))
        .containsExactly("one two", "three");
    List<String> lines = PictureFrame.lines("x".repeat(100), metrics, width);
    assertThat(String.join("", lines)).isEqualTo("x".repeat(100));
    assertThat(lines).allMatch(line -> metrics.stringWidth(line) <= width);
  }

  @Test
  void everyColorIsSeenOnWhite_andNoneIsAlone() {
    Set<Object> looks = new HashSet<>();
    for (int i = 0; i < 30; i++) {
      assertThat(ChartStyle.contrast(ChartStyle.ofClass(i)))
          .isGreaterThanOrEqualTo(ChartStyle.CONTRAST_MIN);
      assertThat(ChartStyle.contrast(ChartStyle.ofModel(i)))
          .isGreaterThanOrEqualTo(ChartStyle.CONTRAST_MIN);
      float[] dashes = ChartStyle.stroke(i, 1).getDashArray();
      looks.add(List.of(ChartStyle.ofClass(i), dashes == null ? "" : Arrays.toString(dashes)));
    }
    assertThat(looks).hasSize(30);
    assertThat(ChartStyle.fill(1, ChartStyle.INK)).isNotInstanceOf(Color.class);
  }

  private static long inkedRows(BufferedImage image, int from, int to) {
    return IntStream.range(from, to)
        .filter(
            y ->
                IntStream.range(0, image.getWidth())
                    .anyMatch(x -> image.getRGB(x, y) != Color.WHITE.getRGB()))
        .count();
  }

  private static Experiment withPredictor(boolean enabled) {
    Experiment plain = SyntheticRun.experiment(50, 5, 60, 2, Map.of());
    return new Experiment(
        plain.runName(),
        plain.seed(),
        plain.load(),
        plain.jobs(),
        plain.scheduling(),
        plain.resources(),
        plain.lanes(),
        new Experiment.Predictor(enabled, "models/latency", 0.95, 60),
        plain.kafka(),
        plain.thresholds());
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
