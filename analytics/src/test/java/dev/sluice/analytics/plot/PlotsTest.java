package dev.sluice.analytics.plot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.fold.RunFold;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.fold.SyntheticRun;
import dev.sluice.analytics.report.RunReport;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.JobClass;
import java.awt.Color;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
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
        .isEqualTo("none done of " + rows.measured().size() + " measured jobs");
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
    double[][] drawn = LatencyCdf.drawn(new long[] {20_000_000, 40_000_000});
    ChartStyle.Steps within = LatencyCdf.within(drawn, 4, 10);
    assertThat(within.xs()).containsExactly(10, 20, 20, 40, 40);
    assertThat(within.ys()).containsExactly(0, 0, 0.25, 0.25, 0.5);
    ChartStyle.Steps beyond = LatencyCdf.beyond(drawn, 2, 10, 0.1);
    assertThat(beyond.xs()).containsExactly(10, 20, 20, 40, 40);
    assertThat(beyond.ys()).containsExactly(1, 1, 0.5, 0.5, 0.1);
    assertThat(LatencyCdf.beyond(drawn, 4, 10, 0.1).ys())
        .as("two of four were never done")
        .containsExactly(1, 1, 0.75, 0.75, 0.5);
  }

  @Test
  void footOfTheTail_liesBelowTheLastShareAboveNone() {
    long[] two = {1, 2};
    var group = new LatencyCdf.Group("g", 0, two, 2);
    assertThat(LatencyCdf.floor(List.of(group))).isEqualTo(0.1);
    assertThat(LatencyCdf.floor(List.of(new LatencyCdf.Group("g", 0, two, 10)))).isEqualTo(0.1);
    long[] many = LongStream.range(0, 1_000).toArray();
    assertThat(LatencyCdf.floor(List.of(group, new LatencyCdf.Group("m", 1, many, 1_000))))
        .isEqualTo(1e-4);
    assertThat(LatencyCdf.floor(List.of(group, new LatencyCdf.Group("m", 1, many, 1_020))))
        .isEqualTo(0.001);
  }

  @Test
  void countsTheJobsThatWereNeverDone() {
    assertThat(LatencyCdf.legend("batch", 70, 70)).isEqualTo("batch (all 70 done)");
    assertThat(LatencyCdf.legend("batch", 67, 70)).isEqualTo("batch (3 of 70 never done)");
    assertThat(LatencyCdf.legend("batch", 0, 70)).isEqualTo("batch (70 of 70 never done)");
  }

  /** Nobody may read a curve that goes on as jobs that were never done. */
  @Test
  void curvesOfLatency_endWithTheLastJob() throws IOException {
    SyntheticRun run = SyntheticRun.of(SyntheticRun.experiment(1.2, 5, 60, 2, Map.of()), 7);
    run.report().write(folder);
    BufferedImage image = picture("latency_cdf");
    int middle = image.getWidth() / 2;
    int chartsEnd = image.getHeight() - 40; // the legend is below
    int[] topOfLeft = rows(image, 0, middle, 40, chartsEnd, ChartStyle.ofClass(0)).get(0);
    assertThat(topOfLeft[0]).as("up to share 1").isLessThan(150);
    assertThat(topOfLeft[1]).isLessThan(10);
    int[] footOfRight =
        last(rows(image, middle, image.getWidth(), 40, chartsEnd, ChartStyle.ofClass(0)));
    assertThat(footOfRight[0]).as("down to the foot").isGreaterThan(600);
    assertThat(footOfRight[1]).isLessThan(10);
  }

  @Test
  void everyPictureCarriesTheNotesOfItsRun() throws IOException {
    Experiment overloaded = SyntheticRun.experiment(120, 5, 60, 2, Map.of());
    RunReport report = SyntheticRun.of(overloaded, 7).report();
    report.write(folder);
    assertThat(Plots.notes(report.summary()))
        .containsExactly("unstable: the queue rose over the whole window");
    for (String name : Plots.names(overloaded)) {
      assertThat(noted(picture(name))).as(name).isPositive();
    }
    RunReport quiet = SyntheticRun.of(withPredictor(true), 7).report();
    quiet.write(folder);
    assertThat(Plots.notes(quiet.summary())).isEmpty();
    for (String name : Plots.names()) {
      assertThat(noted(picture(name))).as(name).isZero();
    }
  }

  @Test
  void notesStandBelowTheTitle_inAsManyLinesAsTheyNeed() {
    BufferedImage one = new PictureFrame("T", List.of("a note", "another")).saying("words");
    assertThat(rows(one, 0, one.getWidth(), 0, one.getHeight(), ChartStyle.NOTE))
        .allMatch(row -> row[0] > 36 && row[0] < 64);
    BufferedImage many = new PictureFrame("T", List.of("note ".repeat(80))).saying("words");
    assertThat(last(rows(many, 0, many.getWidth(), 0, many.getHeight(), ChartStyle.NOTE))[0])
        .isBetween(76, 104);
    assertThat(one.getHeight()).isEqualTo(ChartStyle.HEIGHT);
  }

  @Test
  void lanesHaveEqualRoom_andThePictureIsAsHighAsTheyNeed() throws IOException {
    for (int lanes : new int[] {1, 2, 16, 32}) {
      List<Integer> bars = heightsOfBars(lanes);
      assertThat(bars).as("lanes").hasSize(lanes);
      assertThat(bars).allMatch(height -> height >= 25 && height <= 28);
      assertThat(picture("lane_timeline").getHeight())
          .isBetween(130 + 36 * lanes, 200 + 36 * lanes);
    }
  }

  @Test
  void lanesAreThinner_whereThePictureWouldBeTooHigh() throws IOException {
    assertThat(heightsOfBars(64)).hasSize(64).allMatch(height -> height >= 14 && height <= 18);
    assertThat(picture("lane_timeline").getHeight()).isBetween(1_500, 1_600);
    assertThat(TimelineChart.height(1_000)).isEqualTo(TimelineChart.height(64));
  }

  /**
   * Draws a run that keeps a number of lanes busy, and measures one workload's bars.
   *
   * @return height of the bars in each lane, in pixels
   */
  private List<Integer> heightsOfBars(int lanes) throws IOException {
    SyntheticRun.of(SyntheticRun.experiment(40.0 * lanes, 0, 3, lanes, Map.of()), 7)
        .report()
        .write(folder);
    BufferedImage image = picture("lane_timeline");
    int chartEnd = image.getHeight() - 40; // the legend is below
    List<Integer> heights = new ArrayList<>();
    int previous = Integer.MIN_VALUE;
    for (int[] row : rows(image, 0, image.getWidth(), 0, chartEnd, ChartStyle.ofWorkload(0))) {
      if (row[0] == previous + 1) {
        heights.set(heights.size() - 1, heights.get(heights.size() - 1) + 1);
      } else {
        heights.add(1);
      }
      previous = row[0];
    }
    return heights;
  }

  /** Rows of a part of a picture that hold pixels of a color, and the number of these pixels. */
  private static List<int[]> rows(
      BufferedImage image, int fromX, int toX, int fromY, int toY, Color color) {
    return IntStream.range(fromY, toY)
        .mapToObj(
            y ->
                new int[] {
                  y,
                  (int)
                      IntStream.range(fromX, toX)
                          .filter(x -> image.getRGB(x, y) == color.getRGB())
                          .count()
                })
        .filter(row -> row[1] > 0)
        .toList();
  }

  private static int[] last(List<int[]> rows) {
    return rows.get(rows.size() - 1);
  }

  private static int noted(BufferedImage image) {
    return rows(image, 0, image.getWidth(), 0, image.getHeight(), ChartStyle.NOTE).size();
  }

  private BufferedImage picture(String name) throws IOException {
    return ImageIO.read(folder.resolve("plots").resolve(name + ".png").toFile());
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
        plain.thresholds(),
        new Experiment.Simulation(null, null, null));
  }

  private Set<Integer> coloursOf(String name) throws IOException {
    Path file = folder.resolve("plots").resolve(name + ".png");
    assertThat(Files.size(file)).isPositive();
    BufferedImage image = ImageIO.read(file.toFile());
    assertThat(image.getWidth()).isEqualTo(ChartStyle.WIDTH);
    if (!name.equals("lane_timeline")) { // it is as high as its lanes need
      assertThat(image.getHeight()).isEqualTo(ChartStyle.HEIGHT);
    }
    Set<Integer> colours = new HashSet<>();
    for (int x = 0; x < image.getWidth(); x++) {
      for (int y = 0; y < image.getHeight(); y++) {
        colours.add(image.getRGB(x, y));
      }
    }
    return colours;
  }
}
