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
 * The part of a run that earlier generators left in the log, as a fold of the topics runs and
 * facts. Not thread-safe.
 */
final class RunSoFar {
  private final BitSet startedShards = new BitSet();
  private final Map<Integer, BitSet> endedShardsByGenerator = new HashMap<>();
  private final BitSet sent = new BitSet();
  private final long[] sentAtNsByIndex;
  private @Nullable RunStarted started;
  private @Nullable RunEnded ended;

  /**
   * @param jobs length of the request list; facts with an index beyond it are ignored
   */
  RunSoFar(int jobs) {
    sentAtNsByIndex = new long[jobs];
  }

  /** Takes in the next record of the topic runs. Of several starts or ends the first counts. */
  void add(RunRecord read) {
    if (read instanceof RunStarted start && started == null) {
      started = start;
    } else if (read instanceof RunEnded end && ended == null) {
      ended = end;
    }
  }

  /** Takes in the next fact of a shard. Of two facts on one job the first says when it was sent. */
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

  /** Returns the run's beginning; null if it has none. */
  @Nullable RunStarted started() {
    return started;
  }

  /** Returns the run's end; null if it has none. */
  @Nullable RunEnded ended() {
    return ended;
  }

  /** Returns whether a shard's facts contain the run's beginning. */
  boolean started(int shard) {
    return startedShards.get(shard);
  }

  /** Returns the indexes of the jobs that were sent. */
  BitSet sent() {
    return (BitSet) sent.clone();
  }

  /** Returns when a job was sent; the job must be among {@link #sent}. */
  long sentAtNs(int index) {
    return sentAtNsByIndex[index];
  }

  /**
   * Returns whether the arrivals have ended: one generator said so, and all generators end
   * together.
   */
  boolean arrivalsEnded() {
    return !endedShardsByGenerator.isEmpty();
  }

  /** Returns whether a generator told a shard that the arrivals have ended. */
  boolean arrivalsEnded(int generator, int shard) {
    return endedShardsByGenerator.getOrDefault(generator, new BitSet()).get(shard);
  }
}
