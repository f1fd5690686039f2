package dev.sluice.contract.value;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The batches that run on the emulated or simulated lanes of one executor, as amounts of work.
 * While k lanes are busy, a batch that would take T(k) beside k − 1 others does 1 / T(k) of its
 * work per nanosecond; each start and end re-times the others. A batch whose time does not depend
 * on others is timed once, at its start. Pure: callers pass the time, and nothing is allocated. Not
 * safe for threads.
 */
public final class SharedLanes {
  /** Time of an end that never comes. */
  public static final long NEVER = Long.MAX_VALUE;

  /** Longest service time: about three years. */
  private static final double LONGEST_NS = 1e17;

  /** Service times of batches that depend on the busy lanes, by lane; null: no such batch. */
  private final double[] @Nullable [] nsByBusyLanes;

  private final double[] factor;
  private final double[] shareLeft;
  private final double[] nsNow;

  /** Ends by lane; {@link #NEVER}: the lane runs nothing. */
  private final long[] finishNs;

  /** Start order by lane: the number of batches that had started before the lane's batch. */
  private final long[] order;

  private long started;
  private int busy;

  /** Number of running batches that depend on the number of busy lanes. */
  private int contended;

  /** Time of which the remaining shares tell; it rests while no batch depends on others. */
  private long changedAtNs = Long.MIN_VALUE;

  private long nextFinishNs = NEVER;

  public SharedLanes(int lanes) {
    nsByBusyLanes = new double[lanes][];
    factor = new double[lanes];
    shareLeft = new double[lanes];
    nsNow = new double[lanes];
    finishNs = new long[lanes];
    Arrays.fill(finishNs, NEVER);
    order = new long[lanes];
  }

  public int busy() {
    return busy;
  }

  /** Returns when the next batch ends if none starts before; {@link #NEVER}: none runs. */
  public long nextFinishNs() {
    return nextFinishNs;
  }

  /** Returns when a lane's batch ends if none starts before; {@link #NEVER}: the lane runs none. */
  public long finishNs(int lane) {
    return finishNs[lane];
  }

  /**
   * Begins a batch on an idle lane. Batches that end before atNs must have been ended.
   *
   * @param ns service times by number of busy lanes, from 1 on; the last one holds beyond
   * @param multiplier factor on each of these times
   */
  public void start(int lane, double[] ns, double multiplier, long atNs) {
    if (finishNs[lane] != NEVER) {
      throw new IllegalStateException("lane " + lane + " runs a batch already");
    }
    if (atNs < changedAtNs || nextFinishNs < atNs) {
      throw new IllegalStateException(
          "a start at %d is not between the last change (%d) and the next end (%d)"
              .formatted(atNs, changedAtNs, nextFinishNs));
    }
    boolean dependsOnOthers = ns.length > 1;
    if (dependsOnOthers || contended > 0) {
      progress(atNs);
    }
    busy++;
    order[lane] = started++;
    finishNs[lane] = atNs + wholeNs(multiplier * ns[0]);
    nextFinishNs = Math.min(nextFinishNs, finishNs[lane]);
    if (dependsOnOthers) {
      contended++;
      nsByBusyLanes[lane] = ns;
      factor[lane] = multiplier;
      shareLeft[lane] = 1;
    }
    if (contended > 0) {
      retime();
    }
  }

  /**
   * Ends all batches that are done at {@link #nextFinishNs}; at least one batch must run.
   *
   * @param ended receives their lanes, in the order of their starts
   * @return number of ended batches
   */
  public int endNext(int[] ended) {
    if (busy == 0) {
      throw new IllegalStateException("no lane runs a batch");
    }
    long atNs = nextFinishNs;
    boolean anyContended = contended > 0;
    if (anyContended) {
      progress(atNs);
    }
    int count = 0;
    long nextNs = NEVER;
    for (int lane = 0; lane < finishNs.length; lane++) {
      if (finishNs[lane] == atNs) {
        ended[count++] = lane;
      } else {
        nextNs = Math.min(nextNs, finishNs[lane]);
      }
    }
    nextFinishNs = nextNs;
    if (count > 1) {
      sortByStart(ended, count);
    }
    for (int i = 0; i < count; i++) {
      end(ended[i]);
    }
    if (anyContended) {
      retime();
    }
    return count;
  }

  /** Takes a lane's batch off before its end; false: it runs none, or one that is over by now. */
  public boolean cancel(int lane, long atNs) {
    if (finishNs[lane] == NEVER || finishNs[lane] <= atNs) {
      return false;
    }
    boolean anyContended = contended > 0;
    if (anyContended) {
      progress(atNs);
    }
    end(lane);
    nextFinishNs = NEVER;
    for (long ns : finishNs) {
      nextFinishNs = Math.min(nextFinishNs, ns);
    }
    if (anyContended) {
      retime();
    }
    return true;
  }

  /** Rounds a service time; the longest is one that no run lasts for, and whose end is a time. */
  private static long wholeNs(double serviceNs) {
    return Math.round(Math.min(serviceNs, LONGEST_NS));
  }

  private void sortByStart(int[] lanes, int count) {
    for (int i = 1; i < count; i++) {
      int lane = lanes[i];
      int place = i;
      while (place > 0 && order[lanes[place - 1]] > order[lane]) {
        lanes[place] = lanes[--place];
      }
      lanes[place] = lane;
    }
  }

  private void end(int lane) {
    busy--;
    finishNs[lane] = NEVER;
    if (nsByBusyLanes[lane] != null) {
      nsByBusyLanes[lane] = null;
      contended--;
    }
  }

  private void progress(long toNs) {
    for (int lane = 0; lane < finishNs.length; lane++) {
      if (nsByBusyLanes[lane] != null) {
        double done = (toNs - changedAtNs) / nsNow[lane];
        shareLeft[lane] = Math.max(0, shareLeft[lane] - done);
      }
    }
    changedAtNs = toNs;
  }

  /** Computes the ends anew of batches that depend on the number of busy lanes. */
  private void retime() {
    long nextNs = NEVER;
    for (int lane = 0; lane < finishNs.length; lane++) {
      double[] ns = nsByBusyLanes[lane];
      if (ns != null) {
        nsNow[lane] = factor[lane] * ns[Math.min(busy, ns.length) - 1];
        finishNs[lane] = changedAtNs + wholeNs(shareLeft[lane] * nsNow[lane]);
      }
      nextNs = Math.min(nextNs, finishNs[lane]);
    }
    nextFinishNs = nextNs;
  }
}
