package dev.sluice.analytics.figure;

import static dev.sluice.analytics.figure.Figure.Definition.Unit.MILLISECONDS;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.folder.Summary;
import dev.sluice.contract.event.RunStarted;
import java.util.List;

/**
 * Time until a run's first dispatch: start_to_first_dispatch_ms, from the start of the process that
 * ran it to its first dispatch by the log's clock. Null where each role had a process of its own,
 * and without a dispatch.
 */
final class StartFigures implements Figure {
  private static final String NAME = "start_to_first_dispatch_ms";

  @Override
  public List<Definition> numbers() {
    return List.of(Definition.of(NAME, MILLISECONDS));
  }

  @Override
  public Fold begin(RunRows run) {
    return summary -> addTo(summary, run);
  }

  private static void addTo(Summary summary, RunRows run) {
    Long begunAtEpochMs = run.context().begunAtEpochMs();
    RunStarted started = run.started();
    summary.put(
        NAME,
        begunAtEpochMs == null || started == null || run.batches().isEmpty()
            ? null
            : started.timeZeroEpochMs()
                - begunAtEpochMs
                + run.batches().decidedAtNs(run.batches().at(0)) / 1e6);
  }
}
