package dev.sluice.cli;

import picocli.AutoComplete;
import picocli.CommandLine.Command;

/** {@code ./sluice completion}: prints a script for the shell. */
@Command(
    name = "completion",
    mixinStandardHelpOptions = true,
    description = {
      "Prints a script by which bash and zsh complete commands and options.",
      "It completes ./sluice, and sluice if it stands on the path."
    },
    footer = {"", "Example:", "  source <(./sluice completion)"})
final class CompletionCommand implements Runnable {
  @Override
  public void run() {
    System.out.print(AutoComplete.bash("sluice", Sluice.commandLine()));
  }
}
