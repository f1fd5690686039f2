package dev.sluice.scheduler.replay;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.scheduler.replay.LoggedRecord.LoggedDispatch;
import dev.sluice.scheduler.replay.LoggedRecord.LoggedFact;
import dev.sluice.scheduler.replay.LoggedRecord.LoggedOutcome;
import dev.sluice.scheduler.replay.LoggedRecord.LoggedRun;
import dev.sluice.scheduling.core.SchedulingCore;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes the decisions of a log again, and compares each with the recorded one. Records come in the
 * order of a recording, in which each decision stands behind its fact; memory does not grow with
 * the log. One thread only.
 */
public final class DecisionReplay {
  private final ReplaySettings settings;
  private final ShardReplay.@Nullable Stop stop;
  private final Tally recorded = new Tally();
  private final @Nullable Tally asked;
  private final List<@Nullable ShardReplay> shards = new ArrayList<>();
  private boolean hasRuns;
  private boolean isWhole;
  private long unrecorded;

  /** Called once with the core in the state at which a replay stops. */
  @FunctionalInterface
  public interface AtStop {
    void at(SchedulingCore core, Moment before);
  }

  /** Makes a replay of a whole log. */
  public DecisionReplay(ReplaySettings settings) {
    this(settings, null);
  }

  private DecisionReplay(ReplaySettings settings, ShardReplay.@Nullable Stop stop) {
    this.settings = settings;
    this.stop = stop;
    this.asked = settings.asked() == null ? null : new Tally();
  }

  /**
   * Makes a replay that stops before a decision.
   *
   * @param offset offset of the fact
   * @param place index of the dispatch among those of the fact; -1: before the fact itself
   */
  public static DecisionReplay until(
      ReplaySettings settings, int shard, long offset, int place, AtStop then) {
    return new DecisionReplay(settings, new ShardReplay.Stop(shard, offset, place, then));
  }

  /**
   * Takes the next record.
   *
   * @throws UserMistakeException if facts before it are missing
   */
  public void take(LoggedRecord record) throws UserMistakeException {
    if (record instanceof LoggedFact fact) {
      shard(fact.shard()).take(fact);
    } else if (record instanceof LoggedDispatch dispatch) {
      shard(dispatch.shard()).take(dispatch);
    } else if (record instanceof LoggedOutcome outcome) {
      shard(outcome.shard()).take(outcome);
    } else if (record instanceof LoggedRun run) {
      hasRuns = true;
      isWhole |= run.ended() && run.whole();
    }
  }

  /**
   * Ends the replay after the last record.
   *
   * @param cutShort whether the recording was cut short
   */
  public void finish(boolean cutShort) {
    boolean cut = cutShort || (hasRuns && !isWhole);
    for (ShardReplay shard : shards) {
      if (shard != null) {
        unrecorded += shard.finish(cut);
      }
    }
  }

  /** Returns whether the place at which to stop was reached. */
  public boolean stopped() {
    ShardReplay.Stop at = stop;
    if (at == null || at.shard() >= shards.size()) {
      return false;
    }
    ShardReplay shard = shards.get(at.shard());
    return shard != null && shard.stopped();
  }

  /** Returns the comparison of the record with what this core decides on its settings. */
  public Tally recorded() {
    return recorded;
  }

  /** Returns the comparison of the record with what is asked; null: nothing else is asked. */
  public @Nullable Tally asked() {
    return asked;
  }

  /**
   * Returns how many of the last decisions were not compared, since the log was cut short before it
   * could hold them.
   */
  public long unrecorded() {
    return unrecorded;
  }

  /** Returns how many facts were taken. */
  public long facts() {
    return shards.stream().mapToLong(shard -> shard == null ? 0 : shard.facts()).sum();
  }

  /** Returns how many facts of a shard were taken. */
  public long facts(int shard) {
    ShardReplay of = shard < shards.size() ? shards.get(shard) : null;
    return of == null ? 0 : of.facts();
  }

  /** Returns how many shards have a record. */
  public int shards() {
    return (int) shards.stream().filter(shard -> shard != null).count();
  }

  private ShardReplay shard(int number) {
    while (shards.size() <= number) {
      shards.add(null);
    }
    ShardReplay known = shards.get(number);
    if (known != null) {
      return known;
    }
    var made =
        new ShardReplay(
            number,
            settings.core(),
            settings.newPolicy(),
            recorded,
            asked == null ? null : settings.newAsked(asked),
            stop);
    shards.set(number, made);
    return made;
  }
}
