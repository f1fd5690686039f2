package dev.sluice.producer.generator;

import dev.sluice.contract.log.Pacer;
import dev.sluice.contract.log.RunClock;
import dev.sluice.producer.requests.RequestList;
import java.util.ArrayList;
import java.util.List;

/** A clock that moves only when a thread waits for a time or a test sets it. */
public final class FakeTime implements Pacer {
  static final long ZERO_AT_MONOTONIC_NS = 5_000;
  long monotonicNs;

  /** Reads 0 when monotonic time is {@link #ZERO_AT_MONOTONIC_NS}. */
  RunClock runClock() {
    return new RunClock(ZERO_AT_MONOTONIC_NS, () -> monotonicNs);
  }

  @Override
  public void awaitNs(long untilMonotonicNs) {
    monotonicNs = Math.max(monotonicNs, untilMonotonicNs);
  }

  /** Returns the indexes of the jobs that one generator sends, in order. */
  public static List<Integer> sendAll(FakeTime time, RequestList list, int number, int generators) {
    var sent = new ArrayList<Integer>();
    try {
      new JobGenerator(number, generators, list, time.runClock(), time)
          .sendAll(() -> false, (job, index) -> sent.add(index));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    return sent;
  }
}
