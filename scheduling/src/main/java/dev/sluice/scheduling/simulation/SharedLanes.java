package dev.sluice.scheduling.simulation;

/**
 * The batches that run on the lanes of one executor, as amounts of work. While k lanes are busy, a
 * batch that would take T(k) beside k − 1 others does 1 / T(k) of its work per nanosecond; each
 * start and end re-times the others. The same arithmetic as that of live emulated lanes, without an
 * allocation.
 */
final class SharedLanes {
  private final int[] busyLanes;
  private final double[][] nsByBusyLanes;
  private final double[] factor;
  private final double[] shareLeft;
  private final double[] nsNow;
  private final long[] finishNs;
  private int busy;

  /** How many of the running batches depend on the number of busy lanes. */
  private int contended;

  /** When a batch last started or ended: the shares are of that time, and rates hold since then. */
  private long changedAtNs = Long.MIN_VALUE;

  private long nextFinishNs = Timeline.NEVER;

  SharedLanes(int lanes) {
    busyLanes = new int[lanes];
    nsByBusyLanes = new double[lanes][];
    factor = new double[lanes];
    shareLeft = new double[lanes];
    nsNow = new double[lanes];
    finishNs = new long[lanes];
  }

  /** How many lanes run a batch. */
  int busy() {
    return busy;
  }

  /** When the next batch ends if none starts before; {@link Timeline#NEVER}: none runs. */
  long nextFinishNs() {
    return nextFinishNs;
  }

  /**
   * A batch begins on an idle lane. What ends before atNs must have been ended.
   *
   * @param nsByBusyLanes how long it would take if so many lanes were busy all the time, from 1 on;
   *     the last holds beyond
   * @param factor what each of these times is multiplied by
   */
  void start(int lane, double[] nsByBusyLanes, double factor, long atNs) {
    for (int i = 0; i < busy; i++) {
      if (busyLanes[i] == lane) {
        throw new IllegalStateException("lane " + lane + " runs a batch already");
      }
    }
    progress(atNs);
    busyLanes[busy++] = lane;
    this.nsByBusyLanes[lane] = nsByBusyLanes;
    this.factor[lane] = factor;
    shareLeft[lane] = 1;
    if (nsByBusyLanes.length > 1) {
      contended++;
    } else {
      nsNow[lane] = factor * nsByBusyLanes[0];
      finishNs[lane] = atNs + Math.round(nsNow[lane]);
    }
    retime();
  }

  /**
   * Ends all that is done at {@link #nextFinishNs}.
   *
   * @param ended gets their lanes, in the order of their starts
   * @return how many
   */
  int endNext(int[] ended) {
    long atNs = nextFinishNs;
    progress(atNs);
    int count = 0;
    int kept = 0;
    for (int i = 0; i < busy; i++) {
      int lane = busyLanes[i];
      if (finishNs[lane] == atNs) {
        ended[count++] = lane;
        contended -= nsByBusyLanes[lane].length > 1 ? 1 : 0;
      } else {
        busyLanes[kept++] = lane;
      }
    }
    busy = kept;
    retime();
    return count;
  }

  private void progress(long toNs) {
    if (contended > 0) {
      for (int i = 0; i < busy; i++) {
        int lane = busyLanes[i];
        if (nsByBusyLanes[lane].length > 1) {
          double done = (toNs - changedAtNs) / nsNow[lane];
          shareLeft[lane] = Math.max(0, shareLeft[lane] - done);
        }
      }
    }
    changedAtNs = toNs;
  }

  private void retime() {
    long nextNs = Timeline.NEVER;
    for (int i = 0; i < busy; i++) {
      int lane = busyLanes[i];
      double[] ns = nsByBusyLanes[lane];
      if (ns.length > 1) {
        nsNow[lane] = factor[lane] * ns[Math.min(busy, ns.length) - 1];
        finishNs[lane] = changedAtNs + Math.round(shareLeft[lane] * nsNow[lane]);
      }
      nextNs = Math.min(nextNs, finishNs[lane]);
    }
    nextFinishNs = nextNs;
  }
}
