package dev.sluice.contract.codec;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.contract.event.LanesWindow;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Windows of the lanes as JSON, beside the library's own way. */
final class LanesJsonTest {
  private static final JsonMapper JSON = new JsonMapper();

  @Property
  void equalsTheLibrarysJson_exceptForDecimalsBeyondTheSixth(
      @ForAll long ns, @ForAll int count, @ForAll double fraction) throws Exception {
    JsonNode written = JSON.readTree(LanesJson.write(window(ns, count, fraction, "lane")));
    LanesWindow rounded = window(ns, count, rounded(fraction), "lane");
    assertThat(written).isEqualTo(JSON.readTree(JSON.writeValueAsBytes(rounded)));
  }

  @Property
  void escapesEveryText(@ForAll String text) throws Exception {
    StringBuilder valid = new StringBuilder();
    text.codePoints().filter(c -> !isSurrogate(c)).forEach(valid::appendCodePoint);
    var window = window(1, 2, 0.5, valid.toString());
    assertThat(EventCodec.LANES.read(LanesJson.write(window))).isEqualTo(window);
  }

  @Test
  void escapesQuotes_andControlCharacters() throws Exception {
    var window = window(1, 2, 0.5, "\u0000\u001f\"\\/\u007fé\u2028\uD83D\uDE00</script>");
    assertThat(EventCodec.LANES.read(LanesJson.write(window))).isEqualTo(window);
  }

  @Property
  void keepsEachNanosecondOfATime(@ForAll int serviceNs) throws Exception {
    double serviceMs = Math.abs((long) serviceNs) / 1e6;
    LanesWindow read =
        EventCodec.LANES.read(LanesJson.write(window(serviceNs, 1, serviceMs, "lane")));
    assertThat(read.executors().get(0).lanes().get(0).batches().get(0).serviceMs())
        .isEqualTo(serviceMs);
  }

  @ParameterizedTest
  @ValueSource(
      doubles = {
        0,
        0.1,
        1,
        0.000001,
        0.0000004,
        1.9999999,
        123456.000001,
        1e12,
        1e300,
        -0.25,
        5e-324
      })
  void writesFractions(double value) throws Exception {
    assertThat(
            JSON.readTree(LanesJson.write(window(1, 1, value, "lane")))
                .at("/executors/0/lanes/0/busy")
                .doubleValue())
        .isEqualTo(rounded(value));
  }

  @ParameterizedTest
  @ValueSource(
      longs = {
        0,
        9,
        10,
        Integer.MAX_VALUE,
        Integer.MAX_VALUE + 1L,
        1_000_000_000_000_000_000L,
        Long.MAX_VALUE,
        Long.MIN_VALUE,
        -1
      })
  void writesWholeNumbers(long value) throws Exception {
    assertThat(JSON.readTree(LanesJson.write(window(value, 1, 0, "lane"))).get("toNs").longValue())
        .isEqualTo(value);
  }

  private static boolean isSurrogate(int codePoint) {
    return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
  }

  private static double rounded(double value) {
    return Double.isNaN(value) || Double.isInfinite(value) || Math.abs(value) > 9e12
        ? value
        : BigDecimal.valueOf(Math.round(value * 1e6))
            .divide(BigDecimal.valueOf(1_000_000), 6, RoundingMode.UNNECESSARY)
            .doubleValue();
  }

  /** A window whose parts hold the values, and nulls beside them. */
  private static LanesWindow window(long ns, int count, double fraction, String name) {
    Map<String, Double> terms = new LinkedHashMap<>();
    terms.put(name, fraction);
    terms.put(name + "2", 1.0);
    return new LanesWindow(
        0,
        ns,
        count,
        2,
        3,
        List.of(
            new LanesWindow.Executor(
                name,
                count,
                name,
                ns,
                List.of(
                    new LanesWindow.Lane(
                        count,
                        fraction,
                        name,
                        List.of(
                            new LanesWindow.Batch(
                                name, count, ns, true, ns, name, name, name, name, name, count,
                                name, count, fraction, fraction, fraction, terms),
                            new LanesWindow.Batch(
                                name, count, ns, false, null, null, name, name, name, null, count,
                                name, count, null, null, null, Map.of())),
                        fraction),
                    new LanesWindow.Lane(count, 0, null, List.of(), 0))),
            new LanesWindow.Executor(name, 0, name, null, List.of())));
  }
}
