package dev.sluice.scheduler.topology;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntConsumer;

/** The shards that this process decides for, and counts of its decisions; from any thread. */
final class OwnShards {
  private final IntConsumer onTaken;
  private final Runnable onApplied;
  private final Map<Integer, Queue> queues = new ConcurrentHashMap<>();
  private final LongAdder facts = new LongAdder();
  private final LongAdder dispatches = new LongAdder();
  private final LongAdder outcomes = new LongAdder();

  /** The jobs and batches of a shard after its last fact. */
  private record Queue(int waiting, int running) {}

  /**
   * @param onTaken receives each shard whose state is complete in this process, before the first
   *     decision for it
   * @param onApplied called after each fact
   */
  OwnShards(IntConsumer onTaken, Runnable onApplied) {
    this.onTaken = onTaken;
    this.onApplied = onApplied;
  }

  void taken(int shard, int waiting, int running) {
    queues.put(shard, new Queue(waiting, running));
    onTaken.accept(shard);
  }

  void applied(int shard, int waiting, int running) {
    facts.increment();
    queues.put(shard, new Queue(waiting, running));
    onApplied.run();
  }

  void dispatched() {
    dispatches.increment();
  }

  void ended() {
    outcomes.increment();
  }

  void left(int shard) {
    queues.remove(shard);
  }

  SchedulerStream.Counts counts() {
    List<Queue> all = List.copyOf(queues.values());
    return new SchedulerStream.Counts(
        all.size(),
        facts.sum(),
        dispatches.sum(),
        outcomes.sum(),
        all.stream().mapToInt(Queue::waiting).sum(),
        all.stream().mapToInt(Queue::running).sum());
  }
}
