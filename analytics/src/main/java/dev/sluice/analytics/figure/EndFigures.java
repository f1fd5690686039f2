package dev.sluice.analytics.figure;

import static dev.sluice.analytics.figure.Figure.Definition.Unit.MILLISECONDS;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.fold.RunRows.LogFacts;
import dev.sluice.analytics.row.Jobs.JobRow;
import dev.sluice.analytics.row.Jobs.JobStatus;
import dev.sluice.analytics.row.Summary;
import dev.sluice.analytics.row.Verdict;
import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunStarted;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Start and end of the run, and ends of its measured jobs.
 *
 * <p>start_to_first_dispatch_ms: from the start of the process that ran it to its first dispatch by
 * the log's clock. Null where each role had a process of its own, and without a dispatch.
 *
 * <p>drops_by_reason, failures_by_reason, tail_limit_reached, interrupted, failure (the reason why
 * the run was given up, null if it came to its end), jobs_never_sent, and the faults. A fault or an
 * interruption makes the run not comparable. A run has failed if it was given up, has no end, has a
 * job whose end is not accounted for, or measured no job.
 */
final class EndFigures implements Figure {
  @Override
  public List<Definition> numbers() {
    return List.of(Definition.of("start_to_first_dispatch_ms", MILLISECONDS));
  }

  @Override
  public void addTo(Summary summary, RunRows run) {
    Map<String, Long> drops = new TreeMap<>();
    Map<String, Long> failures = new TreeMap<>();
    long open = 0;
    for (JobRow job : run.jobs().all()) {
      JobStatus status = job.status();
      if (status == JobStatus.OPEN) {
        open++;
      } else if (status != JobStatus.DONE && job.isMeasured()) {
        String reason = job.reason();
        (status == JobStatus.DROPPED ? drops : failures)
            .merge(reason == null ? "unknown" : reason, 1L, Long::sum);
      }
    }
    summary.put("start_to_first_dispatch_ms", startToFirstDispatchMs(run));
    summary.put("drops_by_reason", drops);
    summary.put("failures_by_reason", failures);
    addEnd(summary, run, open);
  }

  private static @Nullable Double startToFirstDispatchMs(RunRows run) {
    Long begunAtEpochMs = run.context().begunAtEpochMs();
    RunStarted started = run.log().started();
    return begunAtEpochMs == null || started == null || run.batches().all().isEmpty()
        ? null
        : Double.valueOf(
            started.timeZeroEpochMs()
                - begunAtEpochMs
                + run.batches().all().get(0).decidedAtNs() / 1e6);
  }

  private static void addEnd(Summary summary, RunRows run, long open) {
    LogFacts log = run.log();
    RunEnded ended = log.ended();
    summary.put("tail_limit_reached", ended == null ? null : ended.tailLimitReached());
    summary.put("interrupted", ended == null ? null : ended.interrupted());
    String failure = ended == null ? null : ended.failure();
    summary.put("failure", failure);
    summary.put("jobs_never_sent", ended == null ? null : ended.jobsNeverSent());
    summary.put("unreadable_records", new TreeMap<>(log.unreadable()));
    summary.put("faults", log.faults());
    if (ended != null && ended.interrupted()) {
      summary.notComparable("interrupted");
    }
    if (failure != null) {
      summary.notComparable("given up: " + failure);
    }
    log.faults().forEach(summary::notComparable);
    if (ended == null) {
      summary.worsen(Verdict.FAILED, "the run has no end");
    } else if (failure != null) {
      summary.worsen(Verdict.FAILED, "the run was given up: " + failure);
    } else if (ended.jobsSent() > run.jobs().all().size()) {
      summary.worsen(
          Verdict.FAILED,
          "the log holds %d of the %d jobs that were sent"
              .formatted(run.jobs().all().size(), ended.jobsSent()));
    }
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
    RunEnded ended = run.log().ended();
    return "no job was measured: "
        + (run.jobs().all().isEmpty()
            ? "none arrived"
            : "%d arrived, none of them in the measured window, from %s s to %s s"
                .formatted(
                    run.jobs().all().size(),
                    Decimals.plain(fromSeconds),
                    Decimals.plain(fromSeconds + run.windowSeconds())))
        + (ended != null && ended.interrupted() ? "; the arrivals were ended early" : "");
  }
}
