package dev.sluice.executor.emulation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToDoubleFunction;

/**
 * Emulated batches as amounts of work, each done at a rate that depends on how many lanes are busy.
 * While k lanes are busy, a batch that would take T(k) beside k − 1 others does 1 / T(k) of its
 * work per nanosecond; each start and end of a batch re-times the others. Pure: time is what it is
 * told.
 */
final class SharedWork {
  private final List<Running> running = new ArrayList<>();

  /** When a batch last started or ended: the shares are of that time, and rates hold since then. */
  private long changedAtNs = Long.MIN_VALUE;

  private static final class Running {
    final int lane;
    final IntToDoubleFunction serviceNs;
    double shareLeft = 1;

    /** As long as so many lanes are busy as now. */
    double serviceNsNow;

    long finishNs;

    Running(int lane, IntToDoubleFunction serviceNs) {
      this.lane = lane;
      this.serviceNs = serviceNs;
    }
  }

  /** A batch whose work is done, and when it was. */
  record Finished(int lane, long atNs) {}

  /**
   * A batch begins. Call {@link #advance} to atNs before it.
   *
   * @param serviceNs how long it would take if so many lanes were busy all the time; above 0
   */
  void start(int lane, IntToDoubleFunction serviceNs, long atNs) {
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
    running.add(new Running(lane, serviceNs));
    retime();
  }

  /** When the next batch ends if none starts before; {@link Long#MAX_VALUE} if none runs. */
  long nextFinishNs() {
    long next = Long.MAX_VALUE;
    for (Running batch : running) {
      next = Math.min(next, batch.finishNs);
    }
    return next;
  }

  /** When that lane's batch ends if none starts or ends before. */
  long finishNs(int lane) {
    for (Running batch : running) {
      if (batch.lane == lane) {
        return batch.finishNs;
      }
    }
    throw new IllegalArgumentException("lane " + lane + " is not busy");
  }

  /** What ends by toNs, in the order of its end. */
  List<Finished> advance(long toNs) {
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

  private void progress(long toNs) {
    for (Running batch : running) {
      double done = (toNs - changedAtNs) / batch.serviceNsNow;
      batch.shareLeft = Math.max(0, batch.shareLeft - done);
    }
    changedAtNs = toNs;
  }

  /** After a start or an end, which change the rates: asked once, since they are looked up. */
  private void retime() {
    for (Running batch : running) {
      batch.serviceNsNow = batch.serviceNs.applyAsDouble(running.size());
      batch.finishNs = changedAtNs + Math.round(batch.shareLeft * batch.serviceNsNow);
    }
  }
}
