package dev.sluice.harness.machine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** What a terminal gets of texts that came from elsewhere. */
final class EscapedStreamTest {
  private static final String EVIL = "a\u001b[31m\u0007\u007f\u009b\rb";
  private static final String SHOWN = "a\\u001b[31m\\u0007\\u007f\\u009b\\u000db";

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final PrintStream stream = new Console.EscapedStream(new PrintStream(bytes, true, UTF_8));

  private String printed() {
    stream.flush();
    return bytes.toString(UTF_8);
  }

  @Test
  void controlCharactersAreWrittenOut_howeverTheyArePrinted() {
    stream.print(EVIL);
    stream.println((Object) EVIL);
    stream.println(EVIL.toCharArray());
    stream.printf(Locale.ROOT, "%s %d\n", EVIL, 7);
    stream.append(EVIL).append(EVIL, 1, 2).append('\u001b');
    assertThat(printed())
        .isEqualToNormalizingNewlines(
            SHOWN + SHOWN + "\n" + SHOWN + "\n" + SHOWN + " 7\n" + SHOWN + "\\u001b\\u001b");
  }

  @Test
  void aStackTraceIsWrittenOutToo() {
    new IllegalStateException(EVIL).printStackTrace(stream);
    assertThat(printed()).contains(SHOWN, "\tat ").doesNotContain("\u001b");
  }

  @Test
  void linesTabsAndLettersStay() {
    stream.print("é\t…\r\nüber 😀\n");
    assertThat(printed()).isEqualTo("é\t…\r\nüber 😀\n");
  }

  @Test
  void theTerminalObeysTheConsoleItself() {
    var console = new Console(stream, true);
    console.live(EVIL);
    console.line("done");
    assertThat(printed())
        .isEqualToNormalizingNewlines(Console.CLEAR_LINE + SHOWN + "\n" + "done\n");
  }
}
