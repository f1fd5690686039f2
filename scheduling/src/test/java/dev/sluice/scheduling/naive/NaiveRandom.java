package dev.sluice.scheduling.naive;

import static dev.sluice.scheduling.naive.NaiveState.BY_ENTRY;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.scheduling.naive.NaiveScheduler.Predicted;
import dev.sluice.scheduling.naive.NaiveScheduler.Start;
import dev.sluice.scheduling.naive.NaiveState.Held;
import dev.sluice.scheduling.naive.NaiveState.Waiting;
import java.util.List;

/** The twin of {@code random}: what was drawn is followed, and judged. */
final class NaiveRandom implements NaivePolicy {
  @Override
  public Held choose(NaiveState state, BatchDispatched followed) {
    if (followed == null) {
      return wouldAct(state)
          ? new Held(
              new DispatchId(-1, 0),
              new Start("nothing was drawn", 0, 1, List.of(), new Predicted(0, 1, List.of())),
              List.of(),
              0,
              0,
              false)
          : null;
    }
    String id = followed.jobs().get(0).jobId();
    Waiting drawn =
        state.waiting.stream().filter(w -> w.spec.id().equals(id)).findFirst().orElseThrow();
    return state.startable(drawn)
        ? state.fill(drawn, state.laneFor(drawn), BY_ENTRY, followed)
        : null;
  }

  @Override
  public boolean wouldAct(NaiveState state) {
    return state.waiting.stream().anyMatch(state::startable);
  }
}
