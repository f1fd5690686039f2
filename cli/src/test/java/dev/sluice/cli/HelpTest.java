package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.harness.frame.ExitStatus;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What {@code --help} of each command prints. */
final class HelpTest {
  private final ByteArrayOutputStream complaints = new ByteArrayOutputStream();
  private int commands;

  @Test
  void isSaidWithoutComplaint() {
    PrintStream errors = System.err;
    System.setErr(new PrintStream(complaints, true, StandardCharsets.UTF_8));
    try {
      say(Sluice.commandLine());
    } finally {
      System.setErr(errors);
    }
    assertThat(commands).isGreaterThan(20);
    assertThat(complaints.toString(StandardCharsets.UTF_8)).isEmpty();
  }

  @Test
  void withoutACommand_eachHasItsLine() {
    String screen = said(ExitStatus.DONE);
    assertThat(screen.lines()).allMatch(line -> line.length() <= 80);
    assertThat(
            screen
                .lines()
                .filter(line -> line.matches("  [a-z]+ .*"))
                .map(line -> line.strip().split(" ", 2)[0]))
        .containsExactlyInAnyOrderElementsOf(shownCommands());
  }

  @Test
  void helpOfACommandIsWhatItsOptionShows() {
    assertThat(said(ExitStatus.DONE, "help", "compare"))
        .startsWith("Usage: ./sluice compare ")
        .isEqualTo(said(ExitStatus.DONE, "compare", "--help"));
    BadInputCommand.sluice("help", "compre").isRefused(1).says("unknown command (compre)");
  }

  @Test
  void completionNamesEachCommand() {
    assertThat(said(ExitStatus.DONE, "completion"))
        .contains(shownCommands())
        .contains("complete -F _complete_sluice");
  }

  private static List<String> shownCommands() {
    return Sluice.commandLine().getSubcommands().entrySet().stream()
        .filter(command -> !command.getValue().getCommandSpec().usageMessage().hidden())
        .map(Map.Entry::getKey)
        .toList();
  }

  private static String said(int status, String... words) {
    BadInputCommand command = BadInputCommand.sluice(words);
    assertThat(command.status()).as(command.err()).isEqualTo(status);
    return command.out();
  }

  private void say(CommandLine command) {
    commands++;
    assertThat(command.getUsageMessage()).contains("Usage: ");
    command.getSubcommands().values().forEach(this::say);
  }
}
