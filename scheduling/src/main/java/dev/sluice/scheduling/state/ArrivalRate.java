package dev.sluice.scheduling.state;

import dev.sluice.scheduling.driver.CoreEntity;
import dev.sluice.scheduling.policy.JobSpec;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The rate at which jobs of a set arrive, by counts of spans of 50 ms over the last five seconds.
 * The defaults of Symphony's dispatcher have this grain and this window.
 */
final class ArrivalRate {
  private static final long SPAN_NS = 50_000_000;
  private static final int SPANS = 100;

  /** Counts of the last spans, by number of the span modulo their number. */
  private final int[] counts = new int[SPANS];

  private int counted;

  /** First job of the set; null: none has arrived. */
  private @Nullable JobSpec first;

  private long firstSpan;
  private long lastSpan;

  static ArrivalRate of(CoreEntity.ArrivalCounts entity) {
    ArrivalRate rate = new ArrivalRate();
    rate.first = entity.first();
    rate.firstSpan = entity.firstSpan();
    rate.lastSpan = entity.lastSpan();
    for (int i = 0; i < SPANS; i++) {
      rate.counts[i] = entity.counts().get(i);
      rate.counted += rate.counts[i];
    }
    return rate;
  }

  void addTo(List<CoreEntity> entities, String set) {
    if (first != null) {
      List<Integer> all = IntStream.of(counts).boxed().toList();
      entities.add(new CoreEntity.ArrivalCounts(set, first, firstSpan, lastSpan, all));
    }
  }

  boolean hasArrival() {
    return first != null;
  }

  void arrived(JobSpec job, long nowNs) {
    long span = Math.floorDiv(nowNs, SPAN_NS);
    if (first == null) {
      first = job;
      firstSpan = span;
      lastSpan = span;
    }
    moveTo(span);
    counts[Math.floorMod(span, SPANS)]++;
    counted++;
  }

  private void moveTo(long span) {
    if (span - lastSpan >= SPANS) {
      Arrays.fill(counts, 0);
      counted = 0;
      lastSpan = span;
    }
    while (lastSpan < span) {
      int index = Math.floorMod(++lastSpan, SPANS);
      counted -= counts[index];
      counts[index] = 0;
    }
  }

  /** Returns the rate over the spans that are over; NaN: none is since the first arrival. */
  double perSecond(long nowNs) {
    long span = Math.floorDiv(nowNs, SPAN_NS);
    if (first == null || span == firstSpan) {
      return Double.NaN;
    }
    moveTo(span);
    long over = Math.min(SPANS - 1, span - firstSpan);
    int inSpans = counted - counts[Math.floorMod(span, SPANS)];
    return inSpans / (over * (SPAN_NS / 1e9));
  }
}
