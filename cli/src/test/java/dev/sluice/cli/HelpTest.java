package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
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

  private void say(CommandLine command) {
    commands++;
    assertThat(command.getUsageMessage()).contains("Usage: ");
    command.getSubcommands().values().forEach(this::say);
  }
}
