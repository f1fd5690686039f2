package dev.sluice.executor.dispatch;

import dev.sluice.contract.value.Reason;
import dev.sluice.executor.lane.Lane;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Counts of batches that ended and of dispatches that were refused. From any thread. */
final class BatchCounts {
  private final AtomicLong done = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private final AtomicLong serviceNsSum = new AtomicLong();
  private final Map<String, Long> refusedByCause = new ConcurrentHashMap<>();

  void done() {
    done.incrementAndGet();
  }

  void failed() {
    failed.incrementAndGet();
  }

  void served(long serviceNs) {
    serviceNsSum.addAndGet(serviceNs);
  }

  void refused(Reason cause) {
    refusedByCause.merge(cause.text(), 1L, Long::sum);
  }

  /** Returns the counts so far, together with what the lanes hold now. */
  ExecutorNumbers with(List<Lane> lanes) {
    int busy = 0;
    int held = 0;
    for (Lane lane : lanes) {
      int holds = lane.holds().size();
      held += holds;
      busy += holds > 0 ? 1 : 0;
    }
    return new ExecutorNumbers(
        lanes.size(), busy, held, done.get(), failed.get(), refusedByCause, serviceNsSum.get());
  }
}
