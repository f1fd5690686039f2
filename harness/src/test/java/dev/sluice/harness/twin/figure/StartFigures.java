package dev.sluice.harness.twin.figure;

import dev.sluice.analytics.summary.Summary;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.harness.twin.fold.RunRows;
import java.util.List;

/**
 * Time until a run's first dispatch: start_to_first_dispatch_ms, from the start of the process that
 * ran it to its first dispatch by the log's clock. Null where each role had a process of its own,
 * and without a dispatch.
 */
final class StartFigures implements Figure {
  private static final String NAME = "start_to_first_dispatch_ms";

  @Override
  public List<String> names() {
    return List.of(NAME);
  }

  @Override
  public void addTo(Summary summary, RunRows run) {
    Long begunAtEpochMs = run.context().begunAtEpochMs();
    RunStarted started = run.started();
    summary.put(
        NAME,
        begunAtEpochMs == null || started == null || run.dispatches().isEmpty()
            ? null
            : started.timeZeroEpochMs()
                - begunAtEpochMs
                + run.dispatches().get(0).dispatch().decision().decidedAtNs() / 1e6);
  }
}
