package dev.sluice.producer;

import dev.sluice.contract.JobRequested;
import dev.sluice.contract.Pacer;
import dev.sluice.contract.RunClock;
import java.util.BitSet;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * One generator of several: sends the jobs that are dealt to it, those whose index modulo the
 * number of generators is its own number, each at its intended time and in order. Used by one
 * thread; what it tells about its sends may be read once that thread has ended.
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

  /**
   * Hands each job to send at its intended time, or at once if that has passed, until all are sent
   * or the arrivals are over.
   *
   * @throws InterruptedException if the thread was interrupted while it waited
   */
  void sendAll(BooleanSupplier arrivalsOver, Consumer<JobRequested> send)
      throws InterruptedException {
    for (int index = number; index < requests.size(); index += generators) {
      Request request = requests.get(index);
      if (!waitUntil(request.intendedAtNs(), arrivalsOver)) {
        return;
      }
      long sentAtNs = clock.nowNs();
      send.accept(requested(request, number, sentAtNs));
      lateness.add(sentAtNs - request.intendedAtNs());
    }
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

  /** The indexes of the jobs that it sent: a beginning of those dealt to it. */
  BitSet sent() {
    var sent = new BitSet();
    for (int i = 0; i < lateness.count(); i++) {
      sent.set(number + i * generators);
    }
    return sent;
  }

  Lateness lateness() {
    return lateness;
  }
}
