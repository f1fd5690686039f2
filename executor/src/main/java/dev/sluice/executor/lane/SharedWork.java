package dev.sluice.executor.lane;

import java.util.ArrayList;
import java.util.List;

/**
 * Emulated batches as amounts of work, each done at a rate that depends on the number of busy
 * lanes. While k lanes are busy, a batch that would take T(k) beside k − 1 others does 1 / T(k) of
 * its work per nanosecond; each start and end of a batch re-times the others. A batch whose time
 * does not depend on others is timed once, at its start. Pure: callers pass the time.
 *
 * <p>Simulations have their own code for the same arithmetic, since neither module sees the other.
 * The class is public so that a test can compare both to the nanosecond.
 */
public final class SharedWork {
  private final List<Running> running = new ArrayList<>();

  private static final double LONGEST_NS = 1e17;

  /** Time of the last start or end, at which shares are left, and from which rates hold. */
  private long changedAtNs = Long.MIN_VALUE;

  private static final class Running {
    final int lane;
    final double[] nsByBusyLanes;
    final double factor;
    double shareLeft = 1;

    double serviceNsNow;

    long finishNs;

    Running(int lane, double[] nsByBusyLanes, double factor) {
      this.lane = lane;
      this.nsByBusyLanes = nsByBusyLanes;
      this.factor = factor;
    }

    boolean dependsOnOthers() {
      return nsByBusyLanes.length > 1;
    }
  }

  public record Finished(int lane, long atNs) {}

  /**
   * Begins a batch. The caller must have called {@link #advance} up to atNs.
   *
   * @param nsByBusyLanes service times by number of lanes that are busy all the time, from 1 on;
   *     each above 0; the last holds for more lanes; a single entry does not depend on other lanes
   * @param factor multiplies each of these times; above 0
   */
  public void start(int lane, double[] nsByBusyLanes, double factor, long atNs) {
    if (atNs < changedAtNs) {
      throw new IllegalArgumentException("a start at " + atNs + " comes after " + changedAtNs);
    }
    if (nextFinishNs() <= atNs) {
      throw new IllegalStateException("advance to " + atNs + " first");
    }
    if (running.stream().anyMatch(r -> r.lane == lane)) {
      throw new IllegalArgumentException("lane " + lane + " is busy");
    }
    progress(atNs);
    var started = new Running(lane, nsByBusyLanes, factor);
    started.finishNs = atNs + wholeNs(factor * nsByBusyLanes[0]);
    running.add(started);
    retime();
  }

  /** {@link Long#MAX_VALUE} if none runs. */
  public long nextFinishNs() {
    long next = Long.MAX_VALUE;
    for (Running batch : running) {
      next = Math.min(next, batch.finishNs);
    }
    return next;
  }

  long finishNs(int lane) {
    for (Running batch : running) {
      if (batch.lane == lane) {
        return batch.finishNs;
      }
    }
    throw new IllegalArgumentException("lane " + lane + " is not busy");
  }

  /** Ends the batches that are done by toNs, and returns them in the order in which they end. */
  public List<Finished> advance(long toNs) {
    var finished = new ArrayList<Finished>();
    while (!running.isEmpty() && nextFinishNs() <= toNs) {
      long atNs = nextFinishNs();
      var ended = running.stream().filter(r -> r.finishNs == atNs).toList();
      progress(atNs);
      running.removeAll(ended);
      retime();
      ended.forEach(r -> finished.add(new Finished(r.lane, atNs)));
    }
    return finished;
  }

  /** Takes a lane's batch off, after a call of {@link #advance}. */
  void cancel(int lane, long atNs) {
    progress(atNs);
    running.removeIf(r -> r.lane == lane);
    retime();
  }

  /** Rounds a service time; the longest is one that no run lasts for, and whose end is a time. */
  private static long wholeNs(double serviceNs) {
    return Math.round(Math.min(serviceNs, LONGEST_NS));
  }

  private void progress(long toNs) {
    for (Running batch : running) {
      if (batch.dependsOnOthers()) {
        double done = (toNs - changedAtNs) / batch.serviceNsNow;
        batch.shareLeft = Math.max(0, batch.shareLeft - done);
      }
    }
    changedAtNs = toNs;
  }

  /** Re-times the batches that depend on others, after a start or an end. */
  private void retime() {
    for (Running batch : running) {
      if (batch.dependsOnOthers()) {
        double[] ns = batch.nsByBusyLanes;
        batch.serviceNsNow = batch.factor * ns[Math.min(running.size(), ns.length) - 1];
        batch.finishNs = changedAtNs + wholeNs(batch.shareLeft * batch.serviceNsNow);
      }
    }
  }
}
