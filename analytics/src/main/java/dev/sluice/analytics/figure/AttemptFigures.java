package dev.sluice.analytics.figure;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Batches;
import dev.sluice.analytics.summary.Summary;
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
    Batches batches = run.batches();
    long lost = 0;
    long unanswered = 0;
    long superseded = 0;
    for (int i = 0; i < batches.size(); i++) {
      int batch = batches.at(i);
      boolean isLost = batches.isLost(batch);
      lost += isLost ? 1 : 0;
      unanswered += isLost && !batches.isCompleted(batch) ? 1 : 0;
      superseded += batches.isSuperseded(batch) ? 1 : 0;
    }
    summary.put("attempts_lost", lost);
    summary.put("attempts_unanswered", unanswered);
    summary.put("superseded_completions", superseded);
  }
}
