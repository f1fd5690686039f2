package dev.sluice.harness.twin.figure;

import dev.sluice.analytics.summary.Summary;
import dev.sluice.harness.twin.fold.DispatchRow;
import dev.sluice.harness.twin.fold.RunRows;
import java.util.List;

/**
 * Wasted work, over the whole run: attempts_lost, dispatches that ended none of their jobs, because
 * these ended by another attempt or were given up; attempts_unanswered, the lost dispatches without
 * a completion in the log; superseded_completions, completions that came after another attempt had
 * ended a job of the batch.
 */
final class AttemptFigures implements Figure {
  @Override
  public List<String> names() {
    return List.of("attempts_lost", "attempts_unanswered", "superseded_completions");
  }

  @Override
  public void addTo(Summary summary, RunRows run) {
    List<DispatchRow> lost = run.dispatches().stream().filter(DispatchRow::isLost).toList();
    summary.put("attempts_lost", lost.size());
    summary.put(
        "attempts_unanswered", lost.stream().filter(row -> row.completion() == null).count());
    summary.put(
        "superseded_completions",
        run.dispatches().stream().filter(DispatchRow::isSuperseded).count());
  }
}
