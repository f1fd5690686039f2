package dev.sluice.producer.generator;

import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.time.Pacer;
import dev.sluice.contract.time.RunClock;
import dev.sluice.producer.requests.Request;
import dev.sluice.producer.requests.RequestList;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * One generator of several: sends the jobs that are dealt to it, those whose index modulo the
 * number of generators is its own number, each at its intended time and in order. Used by one
 * thread; what it tells about its sends may be read once that thread has ended, the three numbers
 * at its end at any time.
 */
final class JobGenerator {
  /** It looks at least this often whether the arrivals are over. */
  private static final long LOOK_NS = 100_000_000;

  private final int number;
  private final int generators;
  private final RequestList requests;
  private final RunClock clock;
  private final Pacer pacer;
  private final Lateness lateness;
  private final BitSet sent = new BitSet();
  private long firstAtNs = Long.MIN_VALUE;

  /** Written by the generator's thread alone. */
  private final AtomicLong jobsSent = new AtomicLong();

  private final AtomicLong latenessNsNow = new AtomicLong();
  private final AtomicLong latenessNsMax = new AtomicLong();

  /**
   * @param number this generator's own, from 0
   * @param generators how many there are
   */
  JobGenerator(int number, int generators, RequestList requests, RunClock clock, Pacer pacer) {
    this.number = number;
    this.generators = generators;
    this.requests = requests;
    this.clock = clock;
    this.pacer = pacer;
    this.lateness = new Lateness(requests.size() / generators + 1);
  }

  /** Before {@link #sendAll}: a generator of this number, gone since, sent that job. */
  void sentBefore(int index, long sentAtNs) {
    noteSent(index, sentAtNs - requests.get(index).intendedAtNs());
  }

  /**
   * Before {@link #sendAll}: jobs meant for before that time are passed over, for nobody was there
   * to send them. So are all that come before one that was sent, since indexes rise in a shard.
   */
  void goOnAt(long fromNs) {
    firstAtNs = fromNs;
  }

  /** The first job that it will send, or one beyond the list's end. */
  private int first() {
    int first = number;
    while (first < requests.size()
        && (first < sent.length() || requests.get(first).intendedAtNs() < firstAtNs)) {
      first += generators;
    }
    return first;
  }

  /** The jobs dealt to it that nobody sent and it will not send. Before {@link #sendAll}. */
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
   * Hands each job to send at its intended time, or at once if that has passed, until all are sent
   * or the arrivals are over.
   *
   * @throws InterruptedException if the thread was interrupted while it waited
   */
  void sendAll(BooleanSupplier arrivalsOver, Consumer<JobRequested> send)
      throws InterruptedException {
    for (int index = first(); index < requests.size(); index += generators) {
      Request request = requests.get(index);
      if (!waitUntil(request.intendedAtNs(), arrivalsOver)) {
        return;
      }
      long sentAtNs = clock.nowNs();
      send.accept(requested(request, number, sentAtNs));
      noteSent(index, sentAtNs - request.intendedAtNs());
    }
  }

  private void noteSent(int index, long lateNs) {
    sent.set(index);
    lateness.add(lateNs);
    latenessNsNow.setRelease(lateNs);
    if (lateNs > latenessNsMax.getPlain()) {
      latenessNsMax.setRelease(lateNs);
    }
    jobsSent.setRelease(jobsSent.getPlain() + 1);
  }

  /** Whether the time came before the arrivals were over. */
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

  /** The event that asks for a job. */
  static JobRequested requested(Request request, int generator, long sentAtNs) {
    return new JobRequested(
        request.jobId(),
        generator,
        request.index(),
        request.classType(),
        request.workload(),
        request.backend(),
        request.precision(),
        request.samples(),
        request.sloNs(),
        request.intendedAtNs(),
        sentAtNs);
  }

  int number() {
    return number;
  }

  /** The indexes of the jobs that were sent by generators of this number. */
  BitSet sent() {
    return (BitSet) sent.clone();
  }

  /** Of all jobs that were sent by generators of this number. */
  Lateness lateness() {
    return lateness;
  }

  long jobsSent() {
    return jobsSent.getAcquire();
  }

  /** Of the last job sent; 0 before the first. */
  long latenessNsNow() {
    return latenessNsNow.getAcquire();
  }

  long latenessNsMax() {
    return latenessNsMax.getAcquire();
  }
}
