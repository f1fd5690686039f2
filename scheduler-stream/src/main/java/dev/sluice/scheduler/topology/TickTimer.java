package dev.sluice.scheduler.topology;

import dev.sluice.contract.event.Ticked;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.log.Topics;
import dev.sluice.scheduler.topology.SchedulerProcessor.WakeUps;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Writes {@link Ticked} when a shard's wake-up is due, or when a heartbeat has passed in which no
 * fact was applied. It writes through a plain producer, since a tick in the topology's own
 * transaction would delay every reader of the facts.
 *
 * <p>While a tick of a shard is on its way, no other tick follows for a heartbeat: a scheduler that
 * lags behind its log asks after each fact for a time that has passed by the clock, and would
 * otherwise write as many ticks as it reads facts, and never catch up.
 */
final class TickTimer implements WakeUps, AutoCloseable {
  private final Topics topics;
  private final Producer<byte[], byte[]> producer;
  private final ProcessClock clock;
  private final long heartbeatNs;
  private final Consumer<Throwable> onFailure;
  private final Thread thread;

  /** Monotonic times at which shards are due a tick. */
  private final Map<Integer, Long> dueNsByShard = new HashMap<>();

  /** Shards whose tick is at the producer; no second tick queues while the broker is away. */
  private final Set<Integer> atTheProducer = new HashSet<>();

  /** Monotonic times at which ticks that were not applied yet were written, by shard. */
  private final Map<Integer, Long> onItsWaySinceNs = new HashMap<>();

  /** Time zero of each shard's run. */
  private final Map<Integer, Long> timeZeroByShard = new HashMap<>();

  /** Monotonic time until which the thread waits. */
  private long waitsUntilNs = Long.MAX_VALUE;

  private boolean closed;

  TickTimer(
      Topics topics,
      Producer<byte[], byte[]> producer,
      ProcessClock clock,
      int heartbeatMs,
      Consumer<Throwable> onFailure) {
    this.topics = topics;
    this.producer = producer;
    this.clock = clock;
    this.heartbeatNs = TimeUnit.MILLISECONDS.toNanos(heartbeatMs);
    this.onFailure = onFailure;
    this.thread = new Thread(this::run, "sluice-tick-timer");
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  @Override
  public synchronized void wakeAt(int shard, long timeZeroEpochMs, long atNs) {
    long heartbeatAtNs = clock.monotonicNs() + heartbeatNs;
    long dueAtNs =
        atNs == Long.MAX_VALUE
            ? heartbeatAtNs
            : Math.min(heartbeatAtNs, clock.forRun(timeZeroEpochMs).toMonotonicNs(atNs));
    timeZeroByShard.put(shard, timeZeroEpochMs);
    Long writtenNs = onItsWaySinceNs.get(shard);
    long dueNs = writtenNs == null ? dueAtNs : Math.max(dueAtNs, writtenNs + heartbeatNs);
    dueNsByShard.put(shard, dueNs);
    if (dueNs < waitsUntilNs) { // nearly every fact only postpones the heartbeat
      notifyAll();
    }
  }

  @Override
  public synchronized void ticked(int shard) {
    onItsWaySinceNs.remove(shard);
  }

  @Override
  public synchronized void forget(int shard) {
    dueNsByShard.remove(shard);
    onItsWaySinceNs.remove(shard);
  }

  private void run() {
    try {
      for (int shard = nextDue(); shard >= 0; shard = nextDue()) {
        int due = shard;
        var unused =
            producer.send(
                new ProducerRecord<>(topics.facts(), due, null, EventCodec.FACTS.write(tick(due))),
                (metadata, error) -> written(due, error));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      onFailure.accept(e);
    }
  }

  private synchronized Ticked tick(int shard) {
    Long timeZeroEpochMs = timeZeroByShard.get(shard);
    return timeZeroEpochMs == null
        ? new Ticked()
        : new Ticked(clock.forRun(timeZeroEpochMs).nowNs());
  }

  /** Notes that the producer has written a shard's tick or has failed to. */
  void written(int shard, @Nullable Exception error) {
    synchronized (this) {
      atTheProducer.remove(shard);
      notifyAll();
    }
    if (error != null) {
      onFailure.accept(error);
    }
  }

  /**
   * Waits for the next shard whose tick is due, and postpones its next tick by a heartbeat; returns
   * the shard, -1 once closed.
   */
  synchronized int nextDue() throws InterruptedException {
    while (!closed) {
      long nowNs = clock.monotonicNs();
      long earliestNs = Long.MAX_VALUE;
      int shard = -1;
      for (var entry : dueNsByShard.entrySet()) {
        if (entry.getValue() < earliestNs && !atTheProducer.contains(entry.getKey())) {
          earliestNs = entry.getValue();
          shard = entry.getKey();
        }
      }
      if (shard >= 0 && earliestNs <= nowNs) {
        dueNsByShard.put(shard, nowNs + heartbeatNs);
        onItsWaySinceNs.put(shard, nowNs);
        atTheProducer.add(shard);
        return shard;
      }
      waitsUntilNs = shard < 0 ? nowNs + heartbeatNs : earliestNs;
      TimeUnit.NANOSECONDS.timedWait(this, Math.max(waitsUntilNs - nowNs, 1));
      waitsUntilNs = Long.MIN_VALUE; // awake: the thread will see new times
    }
    return -1;
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
