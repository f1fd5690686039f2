package dev.sluice.harness.serve;

import dev.sluice.harness.machine.MachineClock;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** All streams of a server: how many there may be, and what they have dropped. Any thread. */
final class PageStreams {
  private final int streamsMax;
  private final AtomicInteger taken = new AtomicInteger();
  private final Set<PageStream> open = ConcurrentHashMap.newKeySet();
  private final LongAdder dropped = new LongAdder();

  PageStreams(int streamsMax) {
    this.streamsMax = streamsMax;
  }

  /** Most streams at a time. */
  int streamsMax() {
    return streamsMax;
  }

  /** Takes a place for a stream; false: there is none left. */
  boolean take() {
    return taken.getAndUpdate(n -> n < streamsMax ? n + 1 : n) < streamsMax;
  }

  void opened(PageStream stream) {
    open.add(stream);
  }

  /** Gives a place back. */
  void closed(PageStream stream) {
    if (open.remove(stream)) {
      taken.decrementAndGet();
      synchronized (open) {
        open.notifyAll();
      }
    }
  }

  /** Waits until no stream is open, at most until the limit. */
  void awaitNone(Duration limit) throws InterruptedException {
    long deadlineNs = MachineClock.monotonicNs() + limit.toNanos();
    synchronized (open) {
      long leftMs = limit.toMillis();
      while (!open.isEmpty() && leftMs > 0) {
        open.wait(leftMs);
        leftMs = (deadlineNs - MachineClock.monotonicNs()) / 1_000_000;
      }
    }
  }

  /** Number of open streams. */
  int count() {
    return taken.get();
  }

  /** Counts frames that a page will not get. */
  void drop(int frames) {
    dropped.add(frames);
  }

  /** Number of frames that pages did not get, since they did not read. */
  long dropped() {
    return dropped.sum();
  }

  /** Writes a comment to each stream to which nothing is being written. */
  void comment() {
    open.forEach(PageStream::comment);
  }
}
