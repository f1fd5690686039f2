package dev.sluice.analytics.report;

import static org.assertj.core.api.Assertions.assertThat;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.NotEmpty;
import net.jqwik.api.constraints.Size;

/** The file is, byte for byte, what a library of CSV writes of the cells as texts. */
final class TableFileTest {
  @Property
  void writesTextsAsALibraryDoes(
      @ForAll @Size(max = 20)
          List<
                  @NotEmpty List<
                      @Chars({'a', 'z', '#', ',', '"', '\n', '\r', ' ', '\t', 'ä', '€'}) String>>
              lines)
      throws Exception {
    var expected = new StringWriter();
    try (CsvWriter csv = CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(expected)) {
      lines.forEach(csv::writeRecord);
    }
    assertThat(written(lines)).isEqualTo(expected.toString());
  }

  private static String written(List<List<String>> lines) throws Exception {
    Path file = Files.createTempFile("table", ".csv");
    try (var table = new TableFile(file)) {
      for (List<String> line : lines) {
        line.forEach(table::text);
        table.endLine();
      }
    }
    String text = Files.readString(file);
    Files.delete(file);
    return text;
  }

  @Property
  void writesNumbersAsTheirDigits(@ForAll List<Long> numbers) throws Exception {
    Path file = Files.createTempFile("table", ".csv");
    List<String> expected = new ArrayList<>();
    try (var table = new TableFile(file)) {
      for (long number : numbers) {
        table.number(number);
        table.millionths(number);
        table.endLine();
        expected.add(number + "," + BigDecimal.valueOf(number, 6).toPlainString());
      }
    }
    assertThat(Files.readAllLines(file)).isEqualTo(expected);
    Files.delete(file);
  }

  /** A line may end at the very end of the room that there is. */
  @Property(tries = 100)
  void writesLinesThatJustFit(@ForAll @IntRange(min = 65_500, max = 65_560) int length)
      throws Exception {
    String text = "x".repeat(length);
    for (String last : List.of("", "1", "abc", "ä", "a\"c")) {
      String quoted = last.equals("a\"c") ? "\"a\"\"c\"" : last;
      assertThat(written(List.of(List.of(text, last)))).isEqualTo(text + "," + quoted + "\n");
    }
  }

  @Example
  void writesLinesOfAnyLength() throws Exception {
    String large = "x".repeat(200_000);
    assertThat(written(List.of(List.of(large, "", "ä" + large), List.of("1"))))
        .isEqualTo(large + ",,ä" + large + "\n1\n");
  }
}
