package dev.sluice.analytics.fold;

import dev.sluice.analytics.fold.WindowSums.JobSum;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A run at one instant, over all its jobs, measured or not: for a progress line, or a scrape. The
 * instant is the end of the last second whose records have all been read; some seconds ago.
 *
 * @param throughNs the instant, a whole second since time zero; 0 before the first is over
 * @param running jobs dispatched and not ended
 * @param byClass jobs of every class that was sent, by its name
 * @param blockedNs time for which lanes of a shard stood idle while work waited, by cause
 * @param tokensInUse memory tokens that dispatched jobs hold; null: no budget
 * @param tokens memory tokens of all executors; null: no budget
 */
public record LiveSnapshot(
    long throughNs,
    long running,
    Map<String, JobSum> byClass,
    Map<String, Long> blockedNs,
    @Nullable Long tokensInUse,
    @Nullable Long tokens) {
  /** A run of which no second is over. */
  public static final LiveSnapshot NOTHING = new LiveSnapshot(0, 0, Map.of(), Map.of(), null, null);

  public LiveSnapshot {
    byClass = new TreeMap<>(byClass);
    blockedNs = new TreeMap<>(blockedNs);
  }

  /** Jobs of all classes. */
  public JobSum total() {
    return byClass.values().stream().reduce(JobSum.NONE, JobSum::plus);
  }

  /** Ended jobs that broke their promise, for every class that was sent. */
  public Map<String, Long> violations() {
    Map<String, Long> violations = new TreeMap<>();
    byClass.forEach((name, jobs) -> violations.put(name, jobs.violations()));
    return violations;
  }
}
