package dev.sluice.analytics.abort;

import dev.sluice.contract.event.LogFold;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What ends a live run early: a threshold with {@code abort} that cannot be met any more, or the
 * limit of the harness. One thread uses its folds; {@link #why} and {@link #isHarness} may be
 * called from any.
 */
public final class EarlyEnd {
  private final @Nullable AbortFold thresholds;
  private final HarnessLimit limit;

  /**
   * @param thresholds null: no threshold ends the run
   */
  public EarlyEnd(@Nullable AbortFold thresholds, HarnessLimit limit) {
    this.thresholds = thresholds;
    this.limit = limit;
  }

  /** Folds that take the run's records, in this order. */
  public List<LogFold> folds() {
    return thresholds == null ? List.of(limit) : List.of(limit, thresholds);
  }

  /** Number of jobs that were requested, however often their records were read. */
  public long requested() {
    return limit.requested();
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
}
