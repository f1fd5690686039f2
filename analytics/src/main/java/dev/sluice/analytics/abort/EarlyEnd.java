package dev.sluice.analytics.abort;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.LogFold;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What ends a live run early: a threshold with {@code abort} that cannot be met any more, or the
 * limit of the harness. One thread uses it; {@link #why} and {@link #isHarness} may be called from
 * any.
 */
public final class EarlyEnd implements LogFold {
  private final @Nullable AbortFold thresholds;
  private final HarnessLimit limit;
  private final List<LogFold> folds;

  /**
   * @param thresholds null: no threshold ends the run
   */
  public EarlyEnd(@Nullable AbortFold thresholds, HarnessLimit limit) {
    this.thresholds = thresholds;
    this.limit = limit;
    this.folds = thresholds == null ? List.of(limit) : List.of(limit, thresholds);
  }

  /** Why the run cannot go on; null: it can. A lost threshold comes first. */
  public @Nullable String why() {
    String lost = thresholds == null ? null : thresholds.lost();
    return lost == null ? limit.reached() : lost;
  }

  /** True if no threshold ended the run, but the limit of the harness. */
  public boolean isHarness() {
    String why = why();
    return why != null && why.startsWith(HarnessLimit.WORDS);
  }

  public long requested() {
    return limit.requested();
  }

  @Override
  public void onRunRecord(RunRecord entry, long appendedAtEpochMs) {
    folds.forEach(fold -> fold.onRunRecord(entry, appendedAtEpochMs));
  }

  @Override
  public void onFact(Fact fact, int shard, long appendedAtEpochMs) {
    folds.forEach(fold -> fold.onFact(fact, shard, appendedAtEpochMs));
  }

  @Override
  public void onDispatch(BatchDispatched dispatch, int shard, long appendedAtEpochMs) {
    folds.forEach(fold -> fold.onDispatch(dispatch, shard, appendedAtEpochMs));
  }

  @Override
  public void onOutcome(Outcome outcome, int shard, long appendedAtEpochMs) {
    folds.forEach(fold -> fold.onOutcome(outcome, shard, appendedAtEpochMs));
  }
}
