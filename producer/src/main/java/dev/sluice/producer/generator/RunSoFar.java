package dev.sluice.producer.generator;

import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunRecord;
import dev.sluice.contract.event.RunStarted;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What generators before these left in the log: how far the run had come. A fold of the topics runs
 * and facts; not thread-safe.
 */
final class RunSoFar {
  private final BitSet startedShards = new BitSet();
  private final Map<Integer, BitSet> endedShardsByGenerator = new HashMap<>();
  private final BitSet sent = new BitSet();
  private final long[] sentAtNsByIndex;
  private @Nullable RunStarted started;
  private @Nullable RunEnded ended;

  /**
   * @param jobs length of the request list; what is not in it is nobody's job
   */
  RunSoFar(int jobs) {
    sentAtNsByIndex = new long[jobs];
  }

  /** The next record of runs. Of several starts and ends the first counts. */
  void add(RunRecord read) {
    if (read instanceof RunStarted start && started == null) {
      started = start;
    } else if (read instanceof RunEnded end && ended == null) {
      ended = end;
    }
  }

  /** The next fact of that shard. A job that stands there twice was sent when it first was. */
  void add(int shard, Fact fact) {
    if (fact instanceof RunStarted) {
      startedShards.set(shard);
    } else if (fact instanceof JobRequested job
        && job.index() < sentAtNsByIndex.length
        && !sent.get((int) job.index())) {
      sent.set((int) job.index());
      sentAtNsByIndex[(int) job.index()] = job.sentAtNs();
    } else if (fact instanceof ArrivalsEnded end) {
      endedShardsByGenerator.computeIfAbsent(end.generator(), g -> new BitSet()).set(shard);
    }
  }

  /** The run's beginning; null if it has none. */
  @Nullable RunStarted started() {
    return started;
  }

  /** The run's end; null if it has none. */
  @Nullable RunEnded ended() {
    return ended;
  }

  /** Whether that shard knows of the run's beginning. */
  boolean started(int shard) {
    return startedShards.get(shard);
  }

  /** The indexes of the jobs that were sent. */
  BitSet sent() {
    return (BitSet) sent.clone();
  }

  /** When that job was sent, if it was. */
  long sentAtNs(int index) {
    return sentAtNsByIndex[index];
  }

  /** Whether some generator said that it will send no more, hence all: they end together. */
  boolean arrivalsEnded() {
    return !endedShardsByGenerator.isEmpty();
  }

  /** Whether that generator said so to that shard. */
  boolean arrivalsEnded(int generator, int shard) {
    return endedShardsByGenerator.getOrDefault(generator, new BitSet()).get(shard);
  }
}
