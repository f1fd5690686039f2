package dev.sluice.analytics.figure;

import static dev.sluice.analytics.figure.Figure.Definition.Unit.COUNT;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.folder.Summary;
import dev.sluice.analytics.row.BatchView;
import java.util.List;

/**
 * Wasted work, over the whole run: attempts_lost, dispatches that ended none of their jobs, because
 * these ended by another attempt or were given up; attempts_unanswered, the lost dispatches without
 * a completion in the log; superseded_completions, completions that came after another attempt had
 * ended a job of the batch.
 */
final class AttemptFigures implements Figure {
  @Override
  public List<Definition> numbers() {
    return List.of(
        Definition.of("attempts_lost", COUNT).lessIsBetter(),
        Definition.of("attempts_unanswered", COUNT).lessIsBetter(),
        Definition.of("superseded_completions", COUNT));
  }

  @Override
  public Fold begin(RunRows run) {
    return new Attempts();
  }

  private static final class Attempts implements OfBatches {
    private long lost;
    private long unanswered;
    private long superseded;

    @Override
    public void take(BatchView batch) {
      if (batch.isLost()) {
        lost++;
        unanswered += batch.isCompleted() ? 0 : 1;
      }
      superseded += batch.isSuperseded() ? 1 : 0;
    }

    @Override
    public void addTo(Summary summary) {
      summary.put("attempts_lost", lost);
      summary.put("attempts_unanswered", unanswered);
      summary.put("superseded_completions", superseded);
    }
  }
}
