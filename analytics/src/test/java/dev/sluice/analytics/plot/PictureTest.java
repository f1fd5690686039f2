package dev.sluice.analytics.plot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.plot.Picture.Point;
import dev.sluice.analytics.plot.Picture.Runs;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;

/** Pictures of numbers that are no run's. */
final class PictureTest {
  private static final double[] XS = {1, 2, 4};
  private static final double[] YS = {3, 30, 300};

  private static BufferedImage image(byte[] png) throws IOException {
    return ImageIO.read(new ByteArrayInputStream(png));
  }

  private static long coloured(BufferedImage image, int place) {
    int rgb = ChartStyle.ofWorkload(place).getRGB();
    return IntStream.range(0, image.getWidth() * image.getHeight())
        .filter(i -> image.getRGB(i % image.getWidth(), i / image.getWidth()) == rgb)
        .count();
  }

  @Test
  void curvesHaveTheirWorkloadsColour() throws IOException {
    var picture = new Picture("T", "x", "y").points("a", 1, XS, YS).curve(2, XS, YS);
    BufferedImage image = image(picture.logarithmicY().png());
    assertThat(image.getWidth()).isEqualTo(ChartStyle.WIDTH);
    assertThat(coloured(image, 2)).isGreaterThan(100);
    assertThat(coloured(image, 3)).isZero();
  }

  @Test
  void aDiagonalNeedsBothAxesAlike() throws IOException {
    var picture = new Picture("T", "x", "y").points("a", 0, new double[] {5, 50, 250}, YS);
    assertThat(image(picture.withDiagonal("equal").png()).getHeight()).isEqualTo(ChartStyle.HEIGHT);
  }

  @Test
  void barsLeaveOutWhatIsNoNumber() throws IOException {
    byte[] png =
        Picture.bars("T", "y", List.of("one", "two"), Map.of("only", List.of(1.0, Double.NaN)));
    assertThat(image(png).getWidth()).isEqualTo(ChartStyle.WIDTH);
  }

  /** The latencies' chart is the upper one. */
  @Test
  void anInfiniteLatencyLiesOnTheUpperEdge() throws IOException {
    List<Point> done = List.of(new Point(10, 20, 20), new Point(20, 30, 30));
    List<Point> none =
        List.of(
            new Point(10, Double.POSITIVE_INFINITY, 20),
            new Point(20, Double.POSITIVE_INFINITY, 30));
    byte[] png =
        Picture.loads(
            "T",
            List.of(
                new Runs("kept", done, done, List.of(10.0, 20.0)),
                new Runs("lost", none, none, List.of())));
    BufferedImage image = image(png);
    BufferedImage upper = image.getSubimage(0, 0, image.getWidth(), image.getHeight() / 2);
    assertThat(coloured(upper, 0)).isGreaterThan(100);
    assertThat(coloured(upper, 1)).as("triangles, and no line").isBetween(15L, 100L);
  }
}
