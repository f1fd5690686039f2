package dev.sluice.analytics.plot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.plot.HeatMap.Field;
import java.awt.Color;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;

/** The heat map's colors and fields. */
final class HeatMapTest {
  private static final int LEFT = 75;
  private static final int RIGHT = 1045;
  private static final int MIDDLE = 250;

  private static BufferedImage drawn(Field... fields) throws IOException {
    List<String> columns = IntStream.range(0, fields.length).mapToObj(Integer::toString).toList();
    byte[] png =
        new HeatMap("title", "x", "", columns, List.of(""), List.of(List.of(fields))).png();
    return ImageIO.read(new ByteArrayInputStream(png));
  }

  /** Color at the upper middle of a field, above its text. */
  private static Color ground(BufferedImage image, int field, int fields) {
    int width = (RIGHT - LEFT) / fields;
    return new Color(image.getRGB(LEFT + field * width + width / 2, MIDDLE));
  }

  private static double light(Color color) {
    return 0.2126 * color.getRed() + 0.7152 * color.getGreen() + 0.0722 * color.getBlue();
  }

  @Test
  void isDarkerForGreaterNumbers() throws IOException {
    BufferedImage image =
        drawn(new Field(1, "1"), new Field(2, "2"), new Field(3, "3"), new Field(4, "4"));
    for (int field = 1; field < 4; field++) {
      assertThat(light(ground(image, field, 4))).isLessThan(light(ground(image, field - 1, 4)));
    }
  }

  @Test
  void isLogarithmic_whereNumbersLieFarApart() throws IOException {
    BufferedImage image = drawn(new Field(1, ""), new Field(30, ""), new Field(900, ""));
    double middle = light(ground(image, 1, 3));
    assertThat(middle).isBetween(light(HeatMap.color(0.51)), light(HeatMap.color(0.49)));
  }

  @Test
  void givesAFieldWithoutANumberNoColorOfTheScale() throws IOException {
    BufferedImage image = drawn(new Field(1, "1"), new Field(Double.NaN, "failed"));
    Color ground = ground(image, 1, 2);
    assertThat(List.of(ground.getRed(), ground.getGreen())).containsOnly(ground.getBlue()); // grey
    assertThat(ground(image, 0, 2).getRed()).isNotEqualTo(ground(image, 0, 2).getBlue());
    assertThat(drawn(Field.EXCLUDED, new Field(Double.NaN, "failed"))).isNotNull();
  }

  @Test
  void writesWhatCanBeRead_onEveryColor() {
    for (double share = 0; share <= 1; share += 0.01) {
      Color ground = HeatMap.color(share);
      double toWhite = ChartStyle.contrast(ground);
      double contrast =
          HeatMap.ink(ground).equals(Color.WHITE)
              ? toWhite
              : ChartStyle.contrast(ChartStyle.INK) / toWhite;
      assertThat(contrast).isGreaterThan(ChartStyle.CONTRAST_MIN);
    }
  }
}
