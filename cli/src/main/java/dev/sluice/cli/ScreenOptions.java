package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.Console.Amount;
import picocli.CommandLine.Option;

/**
 * Options of a command that leaves a run: how much of it comes to the screen, and in which form.
 */
public final class ScreenOptions {
  @Option(
      names = "--json",
      description = "Prints summary.json on standard output, and all else on standard error.")
  private boolean json;

  @Option(
      names = {"-q", "--quiet"},
      description = "Prints neither steps nor progress: the closing table alone.")
  private boolean quiet;

  @Option(
      names = "--details",
      description =
          "Adds to the closing table what the loop itself costs: service, hop, bubble, lateness,"
              + " slow spells. summary.json has all of it anyway.")
  private boolean details;

  public boolean json() {
    return json;
  }

  public Console console() {
    return Console.of(json, quiet ? Amount.QUIET : details ? Amount.DETAILS : Amount.USUAL);
  }

  /** Refuses options that contradict each other. */
  public void check() throws UserMistakeException {
    UserMistakeException.throwIf(
        quiet && details, "--quiet", "it does not go with --details", "you want one of the two");
  }
}
