package dev.sluice.harness.twin.figure;

import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.analytics.summary.Summary;
import dev.sluice.analytics.summary.Verdict;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.harness.twin.fold.JobRow;
import dev.sluice.harness.twin.fold.RunRows;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * End of the run and of its measured jobs: drops_by_reason, failures_by_reason, tail_limit_reached,
 * interrupted, failure (the reason why the run was given up, null if it came to its end),
 * jobs_never_sent, and the faults. A fault or an interruption makes the run not comparable. A run
 * has failed if it was given up, has no end, has a job whose end is not accounted for, or measured
 * no job.
 */
final class EndFigures implements Figure {
  @Override
  public List<String> names() {
    return List.of();
  }

  @Override
  public void addTo(Summary summary, RunRows run) {
    RunEnded ended = run.ended();
    summary.put("drops_by_reason", byReason(run, JobRow.Status.DROPPED));
    summary.put("failures_by_reason", byReason(run, JobRow.Status.FAILED));
    summary.put("tail_limit_reached", ended == null ? null : ended.tailLimitReached());
    summary.put("interrupted", ended == null ? null : ended.interrupted());
    String failure = ended == null ? null : ended.failure();
    summary.put("failure", failure);
    summary.put("jobs_never_sent", ended == null ? null : ended.jobsNeverSent());
    summary.put("unreadable_records", new TreeMap<>(run.unreadable()));
    summary.put("faults", run.faults());
    if (ended != null && ended.interrupted()) {
      summary.notComparable("interrupted");
    }
    if (failure != null) {
      summary.notComparable("given up: " + failure);
    }
    run.faults().forEach(summary::notComparable);
    if (ended == null) {
      summary.worsen(Verdict.FAILED, "the run has no end");
    } else if (failure != null) {
      summary.worsen(Verdict.FAILED, "the run was given up: " + failure);
    } else if (ended.jobsSent() > run.jobs().size()) {
      summary.worsen(
          Verdict.FAILED,
          "the log holds %d of the %d jobs that were sent"
              .formatted(run.jobs().size(), ended.jobsSent()));
    }
    long open = run.jobs().stream().filter(j -> j.status() == JobRow.Status.OPEN).count();
    if (open > 0) {
      summary.worsen(
          Verdict.FAILED, "the log holds no whole account of the end of " + open + " jobs");
    }
    if (run.measured().isEmpty()) {
      summary.worsen(Verdict.FAILED, nothingMeasured(run));
    }
  }

  private static String nothingMeasured(RunRows run) {
    double fromSeconds = run.windowStartNs() / 1e9;
    return "no job was measured: "
        + (run.jobs().isEmpty()
            ? "none arrived"
            : "%d arrived, none of them in the measured window, from %s s to %s s"
                .formatted(
                    run.jobs().size(),
                    Decimals.plain(fromSeconds),
                    Decimals.plain(fromSeconds + run.windowSeconds())))
        + (run.ended() != null && run.ended().interrupted()
            ? "; the arrivals were ended early"
            : "");
  }

  private static Map<String, Long> byReason(RunRows run, JobRow.Status status) {
    Map<String, Long> counts = new TreeMap<>();
    for (JobRow job : run.measured()) {
      if (job.status() == status) {
        counts.merge(job.reason() == null ? "unknown" : job.reason(), 1L, Long::sum);
      }
    }
    return counts;
  }
}
