package dev.sluice.producer.generator;

import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.log.Pacer;
import dev.sluice.contract.log.RunClock;
import dev.sluice.producer.requests.ArrivalList;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.ObjIntConsumer;

/**
 * One generator of several: sends each job whose index modulo the number of generators is its own
 * number, in order and at the intended time. Used by one thread. Its account of the sends may be
 * read once that thread has ended; the last three methods may be called at any time.
 */
final class JobGenerator {
  /** Longest wait between two looks whether the arrivals are over. */
  private static final long LOOK_NS = 100_000_000;

  private static final Duration POLL = Duration.ofNanos(LOOK_NS);

  private final int number;
  private final int generators;
  private final ArrivalList requests;
  private final RunClock clock;
  private final Pacer pacer;
  private final Lateness lateness;
  private final BitSet sent = new BitSet();
  private long firstAtNs = Long.MIN_VALUE;

  // written by the generator's thread alone
  private volatile long jobsSent;
  private volatile long latenessNsNow;
  private volatile long latenessNsMax;

  JobGenerator(int number, int generators, ArrivalList requests, RunClock clock, Pacer pacer) {
    this.number = number;
    this.generators = generators;
    this.requests = requests;
    this.clock = clock;
    this.pacer = pacer;
    this.lateness = new Lateness(requests.size() / generators + 1);
  }

  /** Notes that an earlier generator of this number sent a job, before {@link #sendAll}. */
  void sentBefore(int index, long sentAtNs) {
    noteSent(index, sentAtNs - requests.intendedAtNs(index));
  }

  /**
   * Passes over jobs that were meant to be sent before a time, when no generator ran. Jobs before
   * one that was sent are passed over as well, since indexes rise in a shard. Call it before {@link
   * #sendAll}.
   */
  void goOnAt(long fromNs) {
    firstAtNs = fromNs;
  }

  private int first() {
    int first = number;
    while (first < requests.size()
        && (first < sent.length() || requests.intendedAtNs(first) < firstAtNs)) {
      first += generators;
    }
    return first;
  }

  /** Returns this generator's jobs that were not sent and will not be, before {@link #sendAll}. */
  BitSet passedOver() {
    var passedOver = new BitSet();
    int first = first();
    for (int index = number; index < first && index < requests.size(); index += generators) {
      if (!sent.get(index)) {
        passedOver.set(index);
      }
    }
    return passedOver;
  }

  /**
   * Hands each job and its index to {@code send} at its intended time, or at once if that time has
   * passed, until all jobs are sent or the arrivals are over.
   */
  void sendAll(BooleanSupplier arrivalsOver, ObjIntConsumer<Fact> send)
      throws InterruptedException {
    for (int index = first(); index < requests.size(); index += generators) {
      long intendedAtNs = requests.intendedAtNs(index);
      if (!waitUntil(intendedAtNs, arrivalsOver)) {
        return;
      }
      long sentAtNs = clock.nowNs();
      send.accept(requests.get(index, number, intendedAtNs, sentAtNs), index);
      noteSent(index, sentAtNs - intendedAtNs);
    }
  }

  /**
   * Sends the first job at time zero, and each other one as soon as the one before it has ended,
   * until a time, the end of the list, or the end of the arrivals. Returns when the last one that
   * was sent has ended, or the arrivals are over. Each job is meant for the time at which it is
   * sent.
   */
  void sendOneAtATime(
      BooleanSupplier arrivalsOver,
      ObjIntConsumer<Fact> send,
      GeneratorLog.Reader<Outcome> outcomes,
      long untilNs)
      throws InterruptedException {
    if (!waitUntil(0, arrivalsOver)) {
      return;
    }
    for (int index = number; index < requests.size(); index += generators) {
      long nowNs = clock.nowNs();
      if (nowNs >= untilNs) {
        return;
      }
      send.accept(requests.get(index, number, nowNs, nowNs), index);
      noteSent(index, 0);
      if (!awaitEnd(index, outcomes, arrivalsOver)) {
        return;
      }
    }
  }

  private boolean awaitEnd(
      int index, GeneratorLog.Reader<Outcome> outcomes, BooleanSupplier arrivalsOver) {
    var ended = new AtomicBoolean();
    while (!arrivalsOver.getAsBoolean()) {
      outcomes.poll(
          POLL,
          (outcome, shard) -> {
            if (outcome instanceof JobEnded end && requests.indexOf(end.jobId()) == index) {
              ended.setPlain(true);
            }
          });
      if (ended.getPlain()) {
        return true;
      }
    }
    return false;
  }

  private void noteSent(int index, long lateNs) {
    sent.set(index);
    lateness.add(lateNs);
    latenessNsNow = lateNs;
    latenessNsMax = Math.max(latenessNsMax, lateNs);
    jobsSent = lateness.count();
  }

  private boolean waitUntil(long intendedAtNs, BooleanSupplier arrivalsOver)
      throws InterruptedException {
    while (!arrivalsOver.getAsBoolean()) {
      long untilNs = Math.min(intendedAtNs, clock.nowNs() + LOOK_NS);
      pacer.awaitNs(clock.toMonotonicNs(untilNs));
      if (untilNs == intendedAtNs) {
        return !arrivalsOver.getAsBoolean();
      }
    }
    return false;
  }

  int number() {
    return number;
  }

  BitSet sent() {
    return (BitSet) sent.clone();
  }

  Lateness lateness() {
    return lateness;
  }

  long jobsSent() {
    return jobsSent;
  }

  long latenessNsNow() {
    return latenessNsNow;
  }

  long latenessNsMax() {
    return latenessNsMax;
  }

  /** Lateness of each job of one generator: send call − intended arrival. All values are kept. */
  static final class Lateness {
    private final long[] latenessNs;
    private int count;

    Lateness(int jobsMax) {
      latenessNs = new long[jobsMax];
    }

    void add(long ns) {
      latenessNs[count++] = ns;
    }

    int count() {
      return count;
    }

    /** Returns the least lateness that 99 % of the jobs do not exceed; 0 without jobs. */
    long p99Ns() {
      if (count == 0) {
        return 0;
      }
      long[] sorted = Arrays.copyOf(latenessNs, count);
      Arrays.sort(sorted);
      long rank = (99L * count + 99) / 100;
      return sorted[(int) rank - 1];
    }

    long maxNs() {
      return Arrays.stream(latenessNs, 0, count).max().orElse(0);
    }
  }
}
