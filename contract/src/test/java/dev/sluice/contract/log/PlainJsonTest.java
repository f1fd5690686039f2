package dev.sluice.contract.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The quick look at records, beside a parser. */
final class PlainJsonTest {
  private static final JsonMapper PARSER =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();
  private static final String LETTERS = "0123456789-+.eE,:\"\\{}[]nulltrue \u0001é";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "JobRequested.v1",
        "BatchDispatched.v2",
        "BatchCompleted.v2",
        "ExecutorReported.v3",
        "JobEnded.v1",
        "Blocked.v1",
        "Ticked.v1",
      })
  void findsTheRecordsThatThereAreManyOf(String name) throws IOException {
    Path golden = Path.of("src/test/resources/golden", name + ".json");
    assertThat(PlainJson.isObject(Files.readString(golden).strip().getBytes(UTF_8))).isTrue();
  }

  @Property
  void whatItFinds_isAnObjectToAParser(@ForAll long seed) {
    var random = new Random(seed);
    var text = new StringBuilder(object(random, 0));
    for (int changes = random.nextInt(3); changes > 0; changes--) {
      String letter =
          String.valueOf(LETTERS.charAt(random.nextInt(LETTERS.length())))
              .repeat(random.nextInt(2));
      int at = random.nextInt(text.length());
      text.replace(at, at + random.nextInt(2), letter);
    }
    byte[] bytes = text.toString().getBytes(UTF_8);
    if (PlainJson.isObject(bytes)) {
      assertThat(text.toString()).satisfies(json -> assertThat(parsed(json).isObject()).isTrue());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "}",
        "[]",
        "7",
        "\"a\"",
        "{}{}",
        "{}}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{,}",
        "{a:1}",
        "{\"a\":[1,]}",
        "{\"a\":[1}",
        "{\"a\":01}",
        "{\"a\":1.}",
        "{\"a\":.5}",
        "{\"a\":-}",
        "{\"a\":+1}",
        "{\"a\":1e}",
        "{\"a\":NaN}",
        "{\"a\":nul}",
        "{\"a\":\"b}",
        "{\"a\":\"\u0001\"}",
      })
  void findsNoObject_inAnythingElse(String text) {
    assertThat(PlainJson.isObject(text.getBytes(UTF_8))).isFalse();
  }

  private static JsonNode parsed(String json) throws IOException {
    return PARSER.readTree(json);
  }

  private static String object(Random random, int depth) {
    var object = new StringBuilder("{");
    for (int i = random.nextInt(4); i > 0; i--) {
      object.append("\"k").append(i).append("\":").append(value(random, depth + 1));
      object.append(i > 1 ? "," : "");
    }
    return object.append('}').toString();
  }

  private static String value(Random random, int depth) {
    return switch (random.nextInt(depth > 20 ? 6 : 8)) {
      case 0 -> "\"é\"";
      case 1 -> Double.toString(random.nextGaussian() * Math.pow(10, random.nextInt(30)));
      case 2 -> Integer.toString(random.nextInt());
      case 3 -> random.nextBoolean() ? "true" : "null";
      case 4 -> "\"a\\n\"";
      case 5 -> "\"plain\"";
      case 6 -> "[" + value(random, depth + 1) + "," + value(random, depth + 1) + "]";
      default -> object(random, depth);
    };
  }
}
