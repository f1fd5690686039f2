package dev.sluice.analytics.check;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Counts the numbers of summary.json again, and names those that rest on no row. */
public final class SummaryRule {
  private static final List<String> CAUSES = List.of("tokens", "window", "capability", "policy");

  private final Findings findings;
  private final Recount recount;
  private final Supplier<Optional<LogSums>> log;

  /**
   * @param log what only the log tells, asked for last; empty: those numbers are named
   */
  public SummaryRule(RunFolder folder, Findings findings, Supplier<Optional<LogSums>> log) {
    this.findings = findings;
    this.log = log;
    this.recount = new Recount(folder, findings);
  }

  /** Counts all numbers. */
  public void check() {
    new JobNumbers(recount).count();
    new LoadNumbers(recount).count();
    new LaneNumbers(recount).count();
    new PredictionNumbers(recount).count();
    thresholds();
    interruption();
    log.get().ifPresent(this::fromLog);
    recount.nameTheRest();
  }

  /** An interruption shortens the window: a run that says so may not pass for comparable. */
  private void interruption() {
    JsonNode summary = recount.folder().summary();
    boolean said = false;
    for (JsonNode reason : summary.path("not_comparable")) {
      said |= reason.asText().equals("interrupted");
    }
    if (summary.path("interrupted").asBoolean(false) && !said) {
      findings.fault(
          Rule.SUMMARY, "summary.json not_comparable", "it lacks (interrupted), which the run was");
    }
  }

  /** A threshold's value is the figure that it names. */
  private void thresholds() {
    JsonNode stated = recount.folder().summary().path("thresholds");
    for (Map.Entry<String, JsonNode> threshold : stated.properties()) {
      String name = threshold.getKey();
      String figure = recount.folder().summary().has(name) ? name : name.replace('.', '/');
      recount.equal("thresholds/" + Recount.escaped(name) + "/value", recount.statedNumber(figure));
    }
  }

  private void fromLog(LogSums sums) {
    if (!sums.lanesByExecutor().isEmpty()) {
      recount.equal(
          "lanes", sums.lanesByExecutor().values().stream().mapToInt(Integer::intValue).sum());
    }
    for (String cause : CAUSES) {
      long blockedNs = 0;
      for (LogSums.Blocked span : sums.blocked()) {
        if (span.cause().equals(cause)) {
          long fromNs = Math.max(span.fromNs(), recount.fromNs());
          blockedNs += Math.max(0, Math.min(span.toNs(), recount.toNs()) - fromNs);
        }
      }
      recount.equal("blocked_ms_" + cause, blockedNs / 1e6);
    }
    recount.equal(
        "fit_cpu_seconds",
        sums.fitCpuNs().values().stream().mapToLong(Long::longValue).sum() / 1e9);
    boolean says = recount.folder().summary().has("jobs_never_sent"); // an earlier Sluice does not
    if (says || sums.neverSent() >= 0) {
      recount.equal("jobs_never_sent", sums.neverSent() >= 0 ? sums.neverSent() : Double.NaN);
    }
    if (recount.folder().summary().path("clock_offset_ms_max").isNumber()) {
      recount.equal("clock_offset_ms_max", sums.clockOffsetNs() / 1e6);
    }
  }
}
