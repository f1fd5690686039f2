package dev.sluice.scheduler.replay;

import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.RecordedEntry;
import dev.sluice.contract.log.UnreadableEventException;
import dev.sluice.scheduler.replay.Difference.LoggedFact;
import dev.sluice.scheduling.core.SchedulingCore;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes the decisions of a log again, and compares each with the recorded one, up to the first
 * difference. A replay that asks another policy, or that stops at a place, follows the record past
 * it. Records come in the order of a recording, in which each decision stands behind its fact.
 * Memory grows with the facts between two dispatches, and not with the log. One thread only.
 */
public final class DecisionReplay {
  private final ReplaySettings settings;
  private final @Nullable Stop stop;
  private final Tally recorded = new Tally();
  private final @Nullable Tally asked;
  private final SortedMap<Integer, ShardReplay> shards = new TreeMap<>();
  private boolean hasRuns;
  private boolean isWhole;
  private long unrecorded;

  /**
   * A place in a shard's log before which a replay ends.
   *
   * @param offset offset of the fact
   * @param place index of the dispatch among those of the fact; -1: before the fact itself
   * @param then called once with the core in the state at the place, and with the fact
   */
  public record Stop(
      int shard, long offset, int place, BiConsumer<SchedulingCore, LoggedFact> then) {}

  /** Makes a replay; null: it ends with the log, or with a difference. */
  public DecisionReplay(ReplaySettings settings, @Nullable Stop stop) {
    this.settings = settings;
    this.stop = stop;
    this.asked = settings.asked() == null ? null : new Tally();
  }

  /** Takes the next record, and returns whether a later one matters. */
  public boolean take(RecordedEntry entry) throws UserMistakeException {
    switch (entry.topic()) {
      case "facts", "dispatches", "outcomes" -> shard(entry.partition()).take(entry);
      case "runs" -> takeRun(entry);
      default -> {} // nothing that decides, or was decided
    }
    return !isOver();
  }

  private void takeRun(RecordedEntry entry) {
    try {
      hasRuns = true;
      isWhole |=
          EventCodec.RUNS.read(entry.value()) instanceof RunEnded end && end.failure() == null;
    } catch (UnreadableEventException e) {
      // it tells of no end
    }
  }

  /** Ends the replay after the last record of a log, which may have been cut short. */
  public void finish(boolean cutShort) throws UserMistakeException {
    boolean cut = cutShort || (hasRuns && !isWhole);
    for (ShardReplay shard : shards.values()) {
      if (!isOver()) {
        unrecorded += shard.finish(cut);
      }
    }
  }

  /** Returns whether the replay has come to its stop, or to a difference that ends it. */
  public boolean isOver() {
    return shards.values().stream().anyMatch(ShardReplay::isOver);
  }

  /** The comparison of the record with what this core decides on its settings. */
  public Tally recorded() {
    return recorded;
  }

  /** The comparison of the record with what is asked; null: nothing else is asked. */
  public @Nullable Tally asked() {
    return asked;
  }

  /** How many of the last decisions a log that was cut short could not hold. */
  public long unrecorded() {
    return unrecorded;
  }

  public long facts() {
    return shards.values().stream().mapToLong(ShardReplay::facts).sum();
  }

  public long facts(int shard) {
    ShardReplay of = shards.get(shard);
    return of == null ? 0 : of.facts();
  }

  public int shards() {
    return shards.size();
  }

  private ShardReplay shard(int number) {
    return shards.computeIfAbsent(
        number, made -> new ShardReplay(made, settings, recorded, asked, stop));
  }
}
