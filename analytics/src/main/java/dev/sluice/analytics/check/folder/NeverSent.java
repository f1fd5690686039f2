package dev.sluice.analytics.check.folder;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Jobs of which a run itself says that no generator sent them, since a generator died. Such a run
 * says that it is not comparable; one that leaves jobs out without a word is at fault. The number
 * is held to the ids and to what the seed draws. That no generator sent the jobs, only the log
 * shows: a job that is in it and has no row is a fault of its own.
 *
 * @param stated jobs in the gaps that summary.json lists
 * @param andMore true if it lists only the first gaps
 */
public record NeverSent(long stated, boolean andMore) {
  private static final Pattern GAP =
      Pattern.compile("([0-9]{1,9}) jobs? meant for .* (?:was|were) never sent");

  /** Reads the faults of a summary. */
  public static NeverSent of(JsonNode summary) {
    long jobs = 0;
    boolean more = false;
    boolean before = false;
    for (JsonNode words : summary.path("faults")) {
      Matcher gap = GAP.matcher(words.asText());
      boolean isGap = gap.matches();
      jobs += isGap ? Long.parseLong(gap.group(1)) : 0;
      more |= before && words.asText().endsWith(" more of the kind before");
      before = isGap;
    }
    return new NeverSent(jobs, more);
  }

  /** Returns whether the run says that this number of jobs is missing. */
  public boolean tellsOf(long missing) {
    return andMore ? missing >= stated : missing == stated;
  }
}
