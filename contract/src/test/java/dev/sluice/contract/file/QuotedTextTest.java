package dev.sluice.contract.file;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** Texts in quotes, read again by YAML and by JSON. */
final class QuotedTextTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static void assertComesBack(String text) throws Exception {
    for (String quoted : new String[] {QuotedText.of(text), QuotedText.ascii(text)}) {
      var yaml = new Yaml(new SafeConstructor(new LoaderOptions()));
      Object map = yaml.load("{a: [" + quoted + "]}");
      assertThat(map).isEqualTo(Map.of("a", List.of(text)));
      assertThat(JSON.readValue(quoted, String.class)).isEqualTo(text);
    }
  }

  @Property(tries = 500)
  void anyText_comesBackAsItWas(@ForAll @CharRange(from = '\0', to = '\u2fff') String text)
      throws Exception {
    assertComesBack(text);
  }

  @Test
  void controlCharactersQuotesAndLettersBeyondOneUnit_comeBack() throws Exception {
    assertComesBack("\u001b\u0007\u007f\u009b\u0085\u2028\n\r\t\"\\'#: é 😀 \ufeff\u200b");
  }

  @Test
  void onlyATextThatCanBeSeenKeepsItsLetters() {
    assertThat(QuotedText.of("größer \"…\"")).isEqualTo("\"größer \\\"…\\\"\"");
    assertThat(QuotedText.of("größer\u007f")).isEqualTo("\"gr\\u00f6\\u00dfer\\u007f\"");
    assertThat(QuotedText.ascii("é")).isEqualTo("\"\\u00e9\"");
    assertThat(QuotedText.ascii("a\\b\"")).isEqualTo("\"a\\\\b\\\"\"");
  }
}
