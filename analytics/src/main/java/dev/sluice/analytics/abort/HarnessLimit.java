package dev.sluice.analytics.abort;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.LogFold;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunRecord;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.ShardTaken;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The fold of a run's records into the moment at which the harness, and not the policy or the
 * lanes, is what the run measures: the scheduler decides more than a second after the fact that it
 * decides on, or the generators send more than a second after the intended arrival, for three
 * seconds on end and later and later. A scheduler that decides nothing for a second stands still,
 * by a pause of the machine or until a takeover: what follows comes with ever smaller delays, and
 * is not meant.
 *
 * <p>One thread uses it; {@link #reached} may be called from any.
 */
public final class HarnessLimit implements LogFold {
  /** Delay above which what should follow at once is late. */
  static final long LATE_NS = 1_000_000_000L;

  /** Time for which it has to be late. */
  static final long SPELL_NS = 3_000_000_000L;

  private static final long SECOND_NS = 1_000_000_000L;
  private static final int SECONDS = 3;

  /** Beginning of every sentence that {@link #reached} returns. */
  public static final String WORDS = "the harness is at its limit: ";

  private final boolean paced;
  private final Map<Integer, LateSpell> scheduler = new HashMap<>();
  private final Map<Integer, LateSpell> generators = new HashMap<>();
  private final BitSet requested = new BitSet();
  private final Busiest sent = new Busiest();
  private final Busiest done = new Busiest();
  private @Nullable RunStarted started;
  private volatile @Nullable String reached;

  /** What should follow at once, and since when it is late without an exception. */
  private static final class LateSpell {
    private long sinceNs = -1;
    private long lastNs;
    private long firstDelayNs;

    /** True if this makes it late for long enough, and later than at first. */
    boolean take(long atNs, long delayNs) {
      if (delayNs <= LATE_NS) {
        sinceNs = -1;
      } else if (sinceNs < 0 || atNs - lastNs > SECOND_NS) {
        sinceNs = atNs;
        firstDelayNs = delayNs;
      }
      lastNs = atNs;
      return sinceNs >= 0 && atNs - sinceNs >= SPELL_NS && delayNs > firstDelayNs;
    }
  }

  /** How many of something fell into the busiest three seconds on end. */
  private static final class Busiest {
    private final long[] ofSecond = new long[SECONDS];
    private long second;
    private long most;

    void count(long atNs) {
      long at = atNs / SECOND_NS;
      while (second < at) {
        second++;
        ofSecond[(int) (second % SECONDS)] = 0;
      }
      if (at > second - SECONDS) {
        ofSecond[(int) (at % SECONDS)]++;
      }
      long held = 0;
      for (long count : ofSecond) {
        held += count;
      }
      most = Math.max(most, held);
    }

    double perSecond() {
      return most / (double) SECONDS;
    }
  }

  /**
   * A fold of a run of which nothing has been read.
   *
   * @param paced false if all jobs arrive at once, so that none is late
   */
  public HarnessLimit(boolean paced) {
    this.paced = paced;
  }

  /** Why the run measures the harness, and how much it held; null: the harness keeps up. */
  public @Nullable String reached() {
    return reached;
  }

  long requested() {
    return requested.cardinality();
  }

  @Override
  public void onRunRecord(RunRecord entry, long appendedAtEpochMs) {
    if (entry instanceof RunStarted start && started == null) {
      started = start;
    } else if (entry instanceof ShardTaken taken) {
      scheduler.remove(taken.shard());
    }
  }

  @Override
  public void onFact(Fact fact, int shard, long appendedAtEpochMs) {
    if (fact instanceof RunStarted start && started == null) {
      started = start;
    }
    if (fact instanceof JobRequested request) {
      requested.set(Math.toIntExact(request.index()));
      sent.count(request.sentAtNs());
      if (isLate(generators, shard, request.sentAtNs(), request.intendedAtNs())) {
        reach("jobs are sent", request.sentAtNs() - request.intendedAtNs());
      }
    }
  }

  @Override
  public void onDispatch(BatchDispatched dispatch, int shard, long appendedAtEpochMs) {
    decided(shard, appendedAtEpochMs, dispatch.decision().decidedAtNs());
  }

  @Override
  public void onOutcome(Outcome outcome, int shard, long appendedAtEpochMs) {
    if (outcome instanceof JobEnded end) {
      decided(shard, appendedAtEpochMs, end.endedAtNs());
      if (end.status() == JobEnded.Status.DONE) {
        done.count(end.endedAtNs());
      }
    }
  }

  private void decided(int shard, long appendedAtEpochMs, long factAtNs) {
    if (started == null) {
      return;
    }
    long atNs = (appendedAtEpochMs - started.timeZeroEpochMs()) * 1_000_000;
    if (isLate(scheduler, shard, atNs, factAtNs)) {
      reach("the scheduler decides", atNs - factAtNs);
    }
  }

  private boolean isLate(Map<Integer, LateSpell> spells, int shard, long atNs, long dueNs) {
    return paced && spells.computeIfAbsent(shard, any -> new LateSpell()).take(atNs, atNs - dueNs);
  }

  private void reach(String what, long delayNs) {
    if (reached == null) {
      reached =
          String.format(
              Locale.ROOT,
              "%s%s %.1f s late, and ever later; in its best %d s this machine sent %.0f jobs/s and"
                  + " did %.0f",
              WORDS,
              what,
              delayNs / 1e9,
              SECONDS,
              sent.perSecond(),
              done.perSecond());
    }
  }
}
