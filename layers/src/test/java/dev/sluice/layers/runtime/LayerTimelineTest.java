package dev.sluice.layers.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.plot.ChartStyle;
import dev.sluice.layers.engine.LayerTrace.Row;
import java.awt.Color;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
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

  private static Row row(String operation, int layer, long fromMs, long toMs) {
    long resident = layer % 2 == 0 ? 28_400_000 : 56_800_000;
    return new Row(
        1, "on_pre_forward", operation, layer, "thread", fromMs * MS, toMs * MS, 1, resident);
  }

  @Test
  void showsWhenALayerWasFetched_andWhenComputed() throws IOException {
    List<Row> rows = new ArrayList<>();
    for (int layer = 0; layer < NAMES.size(); layer++) {
      long fromMs = 50 * layer;
      rows.add(row(Row.READ, layer, fromMs, fromMs + 40));
      rows.add(row(Row.PREFETCH, layer, fromMs, fromMs));
      if (layer % 5 == 0) {
        rows.add(row(Row.FETCH, layer, fromMs + 30, fromMs + 50));
      }
      rows.add(row(Row.COMPUTE, layer, fromMs + 50, fromMs + 100));
    }
    byte[] png = LayerTimeline.png("vit · budget 64.0 MB · auto", NAMES, 64_000_000, rows);
    BufferedImage image = ImageIO.read(new ByteArrayInputStream(png));
    int firstFetched = columns(image, ChartStyle.ofClass(1)).min().orElseThrow();
    int firstComputed = columns(image, ChartStyle.ofClass(0)).min().orElseThrow();
    assertThat(firstFetched).isLessThan(firstComputed);
    assertThat(columns(image, ChartStyle.ofClass(0)).count()).isGreaterThan(900);
    assertThat(columns(image, ChartStyle.ofClass(2))).isEmpty(); // no backward
  }

  @Test
  void anEmptyRunHasAPictureToo() throws IOException {
    byte[] png = LayerTimeline.png("nothing", List.of("only"), 0, List.of());
    assertThat(ImageIO.read(new ByteArrayInputStream(png)).getWidth()).isEqualTo(ChartStyle.WIDTH);
  }
}
