package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.harness.machine.Console;
import org.junit.jupiter.api.Test;

/** What a person sees, with and without a terminal. */
final class ConsoleTest {
  private final Screen screen = new Screen();

  @Test
  void drawsTheLiveLineAnew_andLetsTheLastStand_onATerminal() {
    var console = new Console(screen.stream(), true);
    console.live("one");
    console.live("two");
    console.line("three");
    assertThat(screen.text()).isEqualToNormalizingNewlines("\r\u001b[2Kone\r\u001b[2Ktwo\nthree\n");
  }

  @Test
  void putsALineOfTheChecklistInPlaceOfTheLiveLine_onATerminal() {
    var console = new Console(screen.stream(), true);
    console.live("one");
    console.item("broker", "up");
    console.live("two");
    assertThat(screen.text())
        .isEqualToNormalizingNewlines(
            "\r\u001b[2Kone\r\u001b[2K  broker         up\n\r\u001b[2Ktwo");
  }

  @Test
  void takesTheLiveLineAway_onATerminal() {
    var console = new Console(screen.stream(), true);
    console.live("one");
    console.clearLiveLine();
    console.line("two");
    assertThat(screen.text()).isEqualToNormalizingNewlines("\r\u001b[2Kone\r\u001b[2Ktwo\n");
  }

  @Test
  void printsPlainLinesOnly_whenThereIsNoTerminal() {
    var console = new Console(screen.stream(), false);
    console.live("one");
    console.clearLiveLine();
    console.line("two");
    assertThat(screen.text()).isEqualToNormalizingNewlines("one\ntwo\n");
  }
}
