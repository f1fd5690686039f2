package dev.sluice.harness.frame;

import dev.sluice.contract.file.UserMistakeException;
import java.util.List;
import java.util.regex.Pattern;

/** Ids of runs, which name topics and folders. */
public final class RunId {
  private static final Pattern VALID = Pattern.compile("[a-zA-Z0-9][a-zA-Z0-9._-]{0,149}");

  /** Ends of names by which a folder tells how far its run is. */
  private static final List<String> RESERVED_ENDS = List.of(RunFolder.RUNNING, RunFolder.FAILED);

  private RunId() {}

  /**
   * Refuses an id that cannot name topics and a folder, or that names a folder of another meaning.
   */
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
    if (runId.equals(LatestRun.NAME)) {
      throw new UserMistakeException(
          "--run-id",
          "the id (" + runId + ") is the name of the link to the run that ended last",
          "you meant another word, such as " + runId + "-1");
    }
    for (String end : RESERVED_ENDS) {
      if (runId.endsWith(end)) {
        throw new UserMistakeException(
            "--run-id",
            "the id ("
                + runId
                + ") ends with "
                + end
                + ", by which the folder of another run tells how far that run is",
            "you meant " + runId.substring(0, runId.length() - end.length()));
      }
    }
  }
}
