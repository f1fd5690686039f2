package dev.sluice.harness.frame;

import dev.sluice.contract.file.UserMistakeException;
import java.util.regex.Pattern;

/** Ids of runs, which name topics and folders. */
public final class RunId {
  private static final Pattern VALID = Pattern.compile("[a-zA-Z0-9][a-zA-Z0-9._-]{0,149}");

  private RunId() {}

  /** Refuses an id that cannot name topics and a folder. */
  public static void check(String runId) throws UserMistakeException {
    if (!VALID.matcher(runId).matches()) {
      throw new UserMistakeException(
          "--run-id",
          "the id ("
              + runId
              + ") cannot name topics and a folder: it begins with a letter or digit, and goes on"
              + " with letters, digits, '.', '_' and '-', at most 150 in all",
          "you want ./sluice run without it, which makes one from the run's name and the time");
    }
  }
}
