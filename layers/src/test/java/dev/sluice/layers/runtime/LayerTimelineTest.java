package dev.sluice.layers.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.plot.ChartStyle;
import dev.sluice.layers.runtime.LayerTimeline.Kind;
import java.awt.Color;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;

/** The picture of a model that runs layer by layer. */
final class LayerTimelineTest {
  private static final long MS = 1_000_000;
  private static final List<String> NAMES =
      IntStream.range(0, 14).mapToObj(layer -> "block_" + layer).toList();

  /** Columns of the picture that hold a color. */
  private static IntStream columns(BufferedImage image, Color color) {
    return IntStream.range(0, image.getWidth())
        .filter(
            x ->
                IntStream.range(0, image.getHeight() - 60) // above the legend
                    .anyMatch(y -> image.getRGB(x, y) == color.getRGB()));
  }

  @Test
  void showsWhenALayerWasFetched_andWhenComputed() throws IOException {
    var picture = new LayerTimeline("vit · budget 64.0 MB · auto", NAMES, 64_000_000);
    for (int layer = 0; layer < NAMES.size(); layer++) {
      long fromNs = 50 * layer * MS;
      picture.add(Kind.FETCH, layer, fromNs, fromNs + 40 * MS);
      picture.memory(fromNs, layer % 2 == 0 ? 28_400_000 : 56_800_000);
      if (layer % 5 == 0) {
        picture.add(Kind.WAIT, layer, fromNs + 30 * MS, fromNs + 50 * MS);
      }
      picture.add(Kind.FORWARD, layer, fromNs + 50 * MS, fromNs + 100 * MS);
    }
    BufferedImage image = ImageIO.read(new ByteArrayInputStream(picture.png()));
    int firstFetched = columns(image, ChartStyle.ofClass(1)).min().orElseThrow();
    int firstComputed = columns(image, ChartStyle.ofClass(0)).min().orElseThrow();
    assertThat(firstFetched).isLessThan(firstComputed);
    assertThat(columns(image, ChartStyle.ofClass(0)).count()).isGreaterThan(900);
    assertThat(columns(image, ChartStyle.ofClass(2))).isEmpty(); // no backward
  }

  @Test
  void anEmptyRunHasAPictureToo() throws IOException {
    byte[] png = new LayerTimeline("nothing", List.of("only"), 0).png();
    assertThat(ImageIO.read(new ByteArrayInputStream(png)).getWidth()).isEqualTo(ChartStyle.WIDTH);
  }
}
