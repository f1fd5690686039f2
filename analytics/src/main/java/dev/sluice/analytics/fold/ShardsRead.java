package dev.sluice.analytics.fold;

import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunRecord;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.value.DispatchId;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** How far each shard of a run has been read, and what it says of the run's end. */
final class ShardsRead {
  /** Delay after its possible end at which a run without an end counts as abandoned. */
  private static final long ABANDONED_AFTER_NS = 15_000_000_000L;

  private final Map<Integer, Shard> shards = new TreeMap<>();
  private @Nullable RunStarted started;
  private @Nullable RunEnded ended;
  private long lastEndedAtNs;

  /** What was read of a shard. */
  private static final class Shard {
    final Map<Integer, Long> lastIndexes = new HashMap<>();
    final Map<Integer, Long> announced = new HashMap<>();
    long ended;
    @Nullable DispatchId lastDispatch;
    long factAtEpochMs;
  }

  private Shard shard(int index) {
    return shards.computeIfAbsent(index, i -> new Shard());
  }

  void onRunRecord(RunRecord entry) {
    if (entry instanceof RunStarted start) {
      started = started == null ? start : started;
    } else if (entry instanceof RunEnded end) {
      ended = ended == null ? end : ended;
    }
  }

  void onFact(int shardIndex, long appendedAtEpochMs) {
    Shard shard = shard(shardIndex);
    shard.factAtEpochMs = Math.max(shard.factAtEpochMs, appendedAtEpochMs);
  }

  void onArrivalsEnded(int shardIndex, ArrivalsEnded arrivals) {
    shard(shardIndex).announced.putIfAbsent(arrivals.generator(), arrivals.jobsSent());
  }

  /** True unless the job was sent again: indexes rise for each generator and shard. */
  boolean isNew(int shardIndex, JobRequested request) {
    Map<Integer, Long> lastIndexes = shard(shardIndex).lastIndexes;
    Long last = lastIndexes.get(request.generator());
    if (last != null && request.index() <= last) {
      return false;
    }
    lastIndexes.put(request.generator(), request.index());
    return true;
  }

  /** True if this dispatch, or a later one of its shard, has been read. */
  boolean hasSeen(DispatchKey key) {
    DispatchId last = shard(key.shard()).lastDispatch;
    return last != null && key.id().compareTo(last) <= 0;
  }

  void onDispatch(DispatchKey key) {
    shard(key.shard()).lastDispatch = key.id();
  }

  void onJobEnded(int shardIndex, long endedAtNs) {
    shard(shardIndex).ended++;
    lastEndedAtNs = Math.max(lastEndedAtNs, endedAtNs);
  }

  /** The first record of the run; null before it was read. */
  @Nullable RunStarted started() {
    return started;
  }

  /** The last record of the run; null before it was read. */
  @Nullable RunEnded ended() {
    return ended;
  }

  long sinceZeroNs(long epochMs) {
    return started == null ? 0 : Math.max(0, (epochMs - started.timeZeroEpochMs()) * 1_000_000);
  }

  /** Time since time zero up to which every shard's facts have been read; 0 before that. */
  long logTimeNs() {
    return started == null || shards.size() < started.shards()
        ? 0
        : shards.values().stream()
            .mapToLong(shard -> sinceZeroNs(shard.factAtEpochMs))
            .min()
            .orElse(0);
  }

  /**
   * The end of an abandoned run of which no job is open: on every shard log time is well past the
   * last possible arrival, or past the last outcome if all generators have announced that they sent
   * all.
   *
   * @param requested number of jobs requested
   * @param droppedAtTheEnd true if jobs were dropped because the run ended
   * @return null if the run is not abandoned, or has an end
   */
  @Nullable RunEnded endIfAbandoned(long requested, boolean droppedAtTheEnd) {
    RunStarted start = started;
    if (start == null || ended != null) {
      return null;
    }
    long logTimeNs = logTimeNs();
    Long lastArrivalNs = start.arrivalsEndAtNsMax();
    boolean over =
        (lastArrivalNs != null && logTimeNs >= lastArrivalNs + ABANDONED_AFTER_NS)
            || (allAnnounced(start) && logTimeNs >= lastEndedAtNs + ABANDONED_AFTER_NS);
    return over
        ? new RunEnded(start.runId(), requested, droppedAtTheEnd, false, logTimeNs, null)
        : null;
  }

  private boolean allAnnounced(RunStarted start) {
    return shards.size() >= start.shards()
        && shards.values().stream()
            .allMatch(
                shard ->
                    shard.announced.size() >= start.generators()
                        && shard.announced.values().stream().mapToLong(Long::longValue).sum()
                            == shard.ended);
  }
}
