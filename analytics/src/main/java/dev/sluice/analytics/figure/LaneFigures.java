package dev.sluice.analytics.figure;

import static dev.sluice.analytics.figure.Figure.Definition.Unit.COUNT;
import static dev.sluice.analytics.figure.Figure.Definition.Unit.MILLISECONDS;
import static dev.sluice.analytics.figure.Figure.Definition.Unit.PER_SECOND;
import static dev.sluice.analytics.figure.Figure.Definition.Unit.RATIO;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Batches.BatchRow;
import dev.sluice.analytics.row.Jobs.JobRow;
import dev.sluice.analytics.row.Summary;
import dev.sluice.analytics.statistic.Bounds;
import dev.sluice.contract.event.Blocked;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Work of the lanes, their idle time beside work that waited, and their wasted work.
 *
 * <ul>
 *   <li>overall_throughput_sps and overall_throughput_jobs_sec (all_throughput_… by another name),
 *       and lane_use: the busy time of every attempt inside the measured window / (lanes × window).
 *       An attempt is busy from its start to its end, whatever its result; only its part inside the
 *       window counts. An attempt without an answer is left out: its length is unknown.
 *   <li>blocked_ms_CAUSE: time, inside the measured window and summed over shards, in which at
 *       least one usable lane stood idle while work waited, by cause: {@code tokens} (the memory
 *       budget), {@code window} (a micro-batch that gathers), {@code capability} (no idle lane can
 *       run the work), {@code policy} (its own choice). Log time has a resolution of 1 ms; shorter
 *       spans do not count.
 *   <li>Over the whole run: attempts_lost, dispatches that ended none of their jobs, because these
 *       ended by another attempt or were given up; attempts_unanswered, the lost dispatches without
 *       a completion in the log; superseded_completions, completions that came after another
 *       attempt had ended a job of the batch.
 * </ul>
 */
public final class LaneFigures implements Figure {
  public static final List<String> CAUSES =
      Stream.of(Blocked.Cause.values()).map(Blocked.Cause::text).toList();

  public static String blockedMs(String cause) {
    return "blocked_ms_" + cause;
  }

  @Override
  public List<Definition> numbers() {
    List<Definition> numbers =
        new ArrayList<>(
            List.of(
                Definition.of("overall_throughput_sps", PER_SECOND).moreIsBetter(),
                Definition.of("overall_throughput_jobs_sec", PER_SECOND).moreIsBetter(),
                Definition.of("lanes", COUNT),
                Definition.of("lane_use", RATIO).within(Bounds.SHARE)));
    CAUSES.forEach(cause -> numbers.add(Definition.of(blockedMs(cause), MILLISECONDS)));
    numbers.add(Definition.of("attempts_lost", COUNT).lessIsBetter());
    numbers.add(Definition.of("attempts_unanswered", COUNT).lessIsBetter());
    numbers.add(Definition.of("superseded_completions", COUNT));
    return numbers;
  }

  @Override
  public void addTo(Summary summary, RunRows run) {
    long samplesDone = 0;
    long jobsDone = 0;
    for (JobRow job : run.jobs().all()) {
      if (run.isDoneInWindow(job)) {
        samplesDone += job.samples();
        jobsDone++;
      }
    }
    double busyNs = 0;
    long lost = 0;
    long unanswered = 0;
    long superseded = 0;
    for (BatchRow batch : run.batches().all()) {
      if (batch.ran()) {
        busyNs +=
            insideNs(run, batch.startedAtNs(), batch.finishedAtNs())
                * (double) batch.kind().place().lanes().size();
      }
      if (batch.isLost()) {
        lost++;
        unanswered += batch.isCompleted() ? 0 : 1;
      }
      superseded += batch.isSuperseded() ? 1 : 0;
    }
    summary.put("overall_throughput_sps", samplesDone / run.windowSeconds());
    summary.put("overall_throughput_jobs_sec", jobsDone / run.windowSeconds());
    summary.put("lanes", run.log().lanes());
    summary.put("lane_use", busyNs / 1e9 / (run.log().lanes() * run.windowSeconds()));
    for (String cause : CAUSES) {
      long blockedNs =
          run.log().blocked().stream()
              .filter(span -> span.cause().equals(cause))
              .mapToLong(span -> insideNs(run, span.fromNs(), span.toNs()))
              .sum();
      summary.put(blockedMs(cause), blockedNs / 1e6);
    }
    summary.put("attempts_lost", lost);
    summary.put("attempts_unanswered", unanswered);
    summary.put("superseded_completions", superseded);
  }

  /** Length of the part of a span inside the measured window. */
  private static long insideNs(RunRows run, long startNs, long endNs) {
    return Math.max(0, Math.min(endNs, run.windowEndNs()) - Math.max(startNs, run.windowStartNs()));
  }
}
