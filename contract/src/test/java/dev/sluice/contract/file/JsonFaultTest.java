package dev.sluice.contract.file;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** JSON of every kind of fault, and what a person is told of it. */
final class JsonFaultTest {
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  /** A record with rules of its own. */
  record Lane(int number, Inner inner) {
    Lane {
      if (number < 0) {
        throw new IllegalArgumentException("the number of a lane is negative: " + number);
      }
    }
  }

  record Inner(long ms) {}

  private static String words(ObjectReader reader, byte[] json) throws IOException {
    try {
      return "read: " + reader.readValue(json);
    } catch (JsonProcessingException e) {
      return UserMistakeException.reason(e);
    }
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      value = {
        "{|it ends too early, at 1:2",
        "{\"a\": 1,|it ends too early, at 1:9",
        "{\"a\": \"b|it ends too early, at 1:9",
        "{\"a\" 1}|unexpected character (1), at 1:6",
        "{\"a\": 1]|unexpected bracket (]), at 1:9",
        "{\"a\": NaN}|(NaN) is no number of JSON, at 1:10",
        "{\"a\": nul}|unknown word (nul), at 1:10",
        "{\"a\": 012}|no number of JSON, at 1:8",
        "{\"a\": \"\\q\"}|unknown escape (\\q), at 1:10",
        "{\"a\": 1, \"a\": 2}|the key (a) stands there twice, at 1:13",
        "{} {}|there is more behind its end, at 1:4",
      },
      delimiter = '|')
  void brokenJson_isToldWithItsLineAndColumn(String json, String words) throws Exception {
    String said = words(MAPPER.readerFor(Object.class), json.getBytes(ISO_8859_1));
    String what = words.substring(0, words.lastIndexOf(", at "));
    assertThat(said).startsWith(what + ", at 1:");
  }

  @Test
  void aValueThatIsNotWhatWasAskedFor_isNamed_inTheWordsOfTheRecordIfItHasAny() throws Exception {
    ObjectReader lanes = MAPPER.readerFor(Lane.class);
    assertThat(words(lanes, "{\"number\": -1}".getBytes(ISO_8859_1)))
        .startsWith("the number of a lane is negative: -1, at 1:");
    assertThat(words(lanes, "{\"inner\": {\"ms\": []}}".getBytes(ISO_8859_1)))
        .startsWith("inner.ms has another type, at 1:");
    assertThat(words(lanes, "{\"number\": \"two\"}".getBytes(ISO_8859_1)))
        .startsWith("number cannot be (two), at 1:");
    assertThat(words(lanes, "{\"other\": 1}".getBytes(ISO_8859_1)))
        .startsWith("the key (other) is unknown, at 1:");
    assertThat(words(lanes, "{\"number\": 99999999999}".getBytes(ISO_8859_1)))
        .startsWith("a number is out of range, at 1:");
    assertThat(words(lanes, "[]".getBytes(ISO_8859_1)))
        .startsWith("the value has another type, at 1:");
  }

  @Test
  void noByteMakesTheLibrarySpeak() throws Exception {
    String json = "{\"a\": [1.5, \"x\\n\", true, null], \"b\": {\"c\": -2e3}}";
    for (int at = 0; at < json.length(); at++) {
      for (int letter = 0; letter < 256; letter++) {
        byte[] damaged = json.getBytes(ISO_8859_1);
        damaged[at] = (byte) letter;
        assertThat(words(MAPPER.readerFor(Object.class), damaged))
            .doesNotContain("Source", "Feature", "expecting", "jackson", "marker", "enable")
            .doesNotContain("Unexpected", "Invalid", "Illegal");
      }
    }
  }
}
