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
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The part of a run that earlier generators left in the log, as a fold of the topics runs and
 * facts. Not thread-safe.
 */
final class RunSoFar {
  private final BitSet startedShards = new BitSet();
  private final Map<Integer, BitSet> endedShardsByGenerator = new HashMap<>();
  private final Map<Integer, Long> sentAtNs = new TreeMap<>();
  private final int jobs;
  private @Nullable RunStarted started;
  private @Nullable RunEnded ended;

  /**
   * @param jobs length of the request list; facts beyond it are ignored
   */
  RunSoFar(int jobs) {
    this.jobs = jobs;
  }

  /** Takes in the next record of the topic runs. Of several starts or ends the first counts. */
  void add(RunRecord read) {
    if (read instanceof RunStarted start && started == null) {
      started = start;
    } else if (read instanceof RunEnded end && ended == null) {
      ended = end;
    }
  }

  /** Of two facts on one job the first says when it was sent. */
  void add(int shard, Fact fact) {
    if (fact instanceof RunStarted) {
      startedShards.set(shard);
    } else if (fact instanceof JobRequested job && job.index() < jobs) {
      sentAtNs.putIfAbsent((int) job.index(), job.sentAtNs());
    } else if (fact instanceof ArrivalsEnded end) {
      endedShardsByGenerator.computeIfAbsent(end.generator(), g -> new BitSet()).set(shard);
    }
  }

  @Nullable RunStarted started() {
    return started;
  }

  @Nullable RunEnded ended() {
    return ended;
  }

  boolean started(int shard) {
    return startedShards.get(shard);
  }

  /** Returns when jobs were sent, by their index. */
  Map<Integer, Long> sentAtNs() {
    return sentAtNs;
  }

  /** True if one generator said so: all end together. */
  boolean arrivalsEnded() {
    return !endedShardsByGenerator.isEmpty();
  }

  boolean arrivalsEnded(int generator, int shard) {
    return endedShardsByGenerator.getOrDefault(generator, new BitSet()).get(shard);
  }
}
