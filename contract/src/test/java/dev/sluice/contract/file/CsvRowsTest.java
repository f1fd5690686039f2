package dev.sluice.contract.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** CSV files, of which each number has a least and a largest value, and each mistake its line. */
final class CsvRowsTest {
  private static final Range SECONDS = Range.within(0, 1000);

  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({"0, 0", "1.5, 1500000000", "1e-9, 1", "4e-10, 0", "5e-10, 1", "1000, 1000000000000"})
  void aNumber_isReadWithoutRoundingItsDigits(String written, long ns) throws Exception {
    assertThat(row(written).fixed("s", 9, SECONDS, "try")).isEqualTo(ns);
    assertThat(row(written).number("s", SECONDS, "try")).isEqualTo(Double.parseDouble(written));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-1",
        "1001",
        "1e99999999",
        "1e-99999999",
        "1e9999999999",
        "NaN",
        "Infinity",
        "0x1p3",
        "1d",
        "1 s",
        "1e",
        "١"
      })
  void aNumberBeyondItsRange_isRefusedWithItsLine(String written) throws Exception {
    var row = row(written);
    assertThatThrownBy(() -> row.fixed("s", 9, SECONDS, "try"))
        .hasMessage(
            "f.csv:2: error: s (%s) must be a number of at least 0 and at most 1000.\n  Maybe try."
                .formatted(written));
  }

  @Test
  void aLongTextOfControlCharacters_isCutAsItIsWrittenOut() {
    String what = new UserMistakeException.Problem("f.csv:1", "\n".repeat(899), "try").what();
    assertThat(what).hasSize(901).startsWith("\\u000a\\u000a").endsWith("\\u000a…");
    assertThat(Written.of("😀".repeat(31))).isEqualTo("😀".repeat(30) + "…");
    assertThat(Written.of("a".repeat(60))).isEqualTo("a".repeat(60));
  }

  @Test
  void aCount_hasALargestValue() throws Exception {
    var row = row("2147483648");
    assertThatThrownBy(() -> row.count("s", "try"))
        .hasMessageContaining("must be a whole number of at least 1 and at most 2147483647");
  }

  @Test
  void aValueOfTwentyThousandLetters_isShortened() throws Exception {
    var row = row("x".repeat(20_000));
    assertThatThrownBy(() -> row.count("s", "try")).message().hasSizeLessThan(200);
  }

  @Test
  void bytesThatAreNoText_areRefusedWithTheirLine() throws Exception {
    Path file = folder.resolve("f.csv");
    Files.write(file, "s\n1\nGröße\n".getBytes(StandardCharsets.ISO_8859_1));
    assertThat(catchThrowableOfType(UserMistakeException.class, () -> CsvRows.read(file, "table")))
        .hasMessage(
            file
                + ":3: error: the file is not UTF-8 text (byte 7 is not part of a letter).\n"
                + "  Maybe it was saved in another encoding, or is no text at all.");
  }

  @Test
  void whatIsNoCsv_isRefusedWithTheLineBeforeIt() throws Exception {
    String field = "x".repeat(20_000_000);
    assertThatThrownBy(() -> CsvRows.parse("f.csv", "s\n1\n\"" + field))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageStartingWith("f.csv:2: error: this is no CSV file (from here on: ");
  }

  private static CsvRows.Row row(String field) throws UserMistakeException {
    return CsvRows.parse("f.csv", "s,t\n" + field + ",\n").rows().get(0);
  }
}
