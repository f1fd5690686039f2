package dev.sluice.contract.event;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What happened in one second of the run, over all shards and jobs of every phase, from committed
 * records alone. Topic {@code metrics}, in the order of time; for dashboards, not for reports. Sums
 * over all windows are the run's totals: a part that comes late counts in the first second that is
 * open then.
 *
 * <p>Version 2 adds {@code blockedNs}, {@code tokensInUse}, {@code tokens}, {@code
 * sendLatenessMsMax}, {@code sendLatenessMsP99} and {@code predictions}, and of each class {@code
 * waiting} and {@code endToEnd}.
 *
 * @param fromNs start of the window, a whole second since time zero
 * @param toNs end of the window, exclusive
 * @param lanes lanes that had joined by the window's end
 * @param laneUse busy time of all attempts inside the window / (lanes × window), from 0 to 1; null
 *     without lanes
 * @param blockedNs time for which lanes of a shard stood idle while work waited, by cause, over all
 *     shards; empty before version 2
 * @param tokensInUse memory tokens that dispatched jobs held at the window's end; null without a
 *     budget, and before version 2
 * @param tokens memory tokens of all executors at the window's end; null without a budget, and
 *     before version 2
 * @param sendLatenessMsMax largest delay between the intended and the real sending of jobs
 *     requested in the window; null: none was, or before version 2
 * @param sendLatenessMsP99 nearest rank of these delays; null likewise
 * @param predictions how predicted service times came out; null before version 2
 */
@Event.Version(2)
public record MetricsWindow(
    long fromNs,
    long toNs,
    Counts total,
    Map<String, Counts> byClass,
    long waiting,
    long running,
    int lanes,
    @Nullable Double laneUse,
    @JsonSetter(nulls = Nulls.AS_EMPTY) Map<String, Long> blockedNs,
    @Nullable Long tokensInUse,
    @Nullable Long tokens,
    @Nullable Double sendLatenessMsMax,
    @Nullable Double sendLatenessMsP99,
    @Nullable Predictions predictions)
    implements WindowRecord {
  public MetricsWindow {
    byClass = new TreeMap<>(byClass);
    blockedNs = new TreeMap<>(blockedNs);
  }

  /**
   * Jobs by what happened to them inside the window.
   *
   * @param requested jobs whose request was appended
   * @param violations ended jobs that missed their promise; dropped and failed ones among them
   * @param goodputPerSecond done jobs that met their promise, per second
   * @param p50E2eMs nearest rank over the ended jobs' end − intended arrival, one without a done
   *     outcome counting as infinite; null: none ended, or the rank is infinite; p95 and p99
   *     likewise
   * @param waiting jobs that waited at the window's end; null before version 2
   * @param endToEnd end − intended arrival of the done jobs; null before version 2
   */
  public record Counts(
      long requested,
      long done,
      long dropped,
      long failed,
      long violations,
      double goodputPerSecond,
      @Nullable Double p50E2eMs,
      @Nullable Double p95E2eMs,
      @Nullable Double p99E2eMs,
      @Nullable Long waiting,
      @Nullable LatencyHistogram endToEnd) {
    public long ended() {
      return done + dropped + failed;
    }
  }

  /**
   * Batches that ended in the window and had a prediction.
   *
   * @param beyondP95 batches that took longer than their 95 % bound; beyondP99 likewise
   * @param medianError median of (actual − predicted) / predicted service time; null: no batch
   *     ended, or only such that an earlier process of analytics had seen
   */
  public record Predictions(
      long batches, long beyondP95, long beyondP99, @Nullable Double medianError) {
    public static final Predictions NONE = new Predictions(0, 0, 0, null);
  }
}
