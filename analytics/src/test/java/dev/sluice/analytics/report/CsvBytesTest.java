package dev.sluice.analytics.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.AlphaChars;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.NumericChars;
import org.junit.jupiter.api.Test;

/** Texts in cells. */
final class CsvBytesTest {
  @Property(tries = 500)
  void isPlain_onlyWhereTheLibraryQuotesNothing(
      @ForAll
          @AlphaChars
          @NumericChars
          @Chars({'_', '-', '.', ';', '=', ',', '"', '\n', '\r', ' ', '#', 'é'})
          String text) {
    String cell = new String(CsvBytes.quoted(text), UTF_8);
    if (CsvBytes.isPlain(text)) {
      assertThat(cell).isEqualTo(text);
    } else {
      assertThat(text).doesNotMatch("[-A-Za-z0-9_.;=]+");
    }
  }

  @Test
  void plainTexts_areThoseOfScores() {
    assertThat(CsvBytes.isPlain("deadline=-0.25;wait=1.0E-4")).isTrue();
    assertThat(CsvBytes.isPlain("")).isFalse();
    assertThat(CsvBytes.isPlain("a,b")).isFalse();
  }
}
