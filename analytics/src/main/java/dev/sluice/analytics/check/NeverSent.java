package dev.sluice.analytics.check;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * Jobs of which a run itself says that no generator sent them, since none ran at their time. Such a
 * run says that it is not comparable; one that leaves jobs out without a word is at fault. That no
 * generator sent the jobs, only the log shows: a job that is in it and has no row is a fault of its
 * own.
 *
 * @param jobs number of such jobs; 0 if it is not known
 * @param known false if the run says that it does not know the number, and is not comparable
 */
public record NeverSent(long jobs, boolean known) {
  /** Reads what a summary says; one of an earlier Sluice says nothing, and means none. */
  public static NeverSent of(JsonNode summary) {
    JsonNode stated = summary.path("jobs_never_sent");
    boolean unknown = stated.isNull() && !summary.path("not_comparable").isEmpty();
    return new NeverSent(stated.asLong(0), !unknown);
  }

  /** Returns whether what the run says explains that this number of jobs is missing. */
  public boolean explains(long missing) {
    return !known || missing <= jobs;
  }
}
