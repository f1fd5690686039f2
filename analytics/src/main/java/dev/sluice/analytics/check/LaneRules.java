package dev.sluice.analytics.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Holds lanes to the config, and the batches of one lane to each other. */
public final class LaneRules {
  /** Times have whole microseconds. */
  private static final long GRAIN_NS = 1_000;

  /** Distance of two times of which one surely comes first. */
  private static final long SURE_NS = 1_000_000;

  private static final long BESIDE_MIN = 10;

  private final RunFolder folder;
  private final Findings findings;

  public LaneRules(RunFolder folder, Findings findings) {
    this.folder = folder;
    this.findings = findings;
  }

  /** Checks all batches that ran. */
  public void check() {
    long lanesOfExecutor = folder.config().lanesOfExecutor();
    Map<String, List<Batch>> byLane = new TreeMap<>();
    for (Batch batch : folder.batches()) {
      findings.looked(Rule.LANE, 1);
      long place = Decimal.digits(batch.lane.substring(batch.lane.lastIndexOf('/') + 1));
      boolean known = !batch.executor().isEmpty() && place >= 0 && place < lanesOfExecutor;
      if (!known) {
        findings.fault(
            Rule.LANE,
            batch.where,
            "lane (%s) is none of an executor's (%d)".formatted(batch.lane, lanesOfExecutor));
      }
      if (batch.ran()) {
        byLane.computeIfAbsent(batch.lane, lane -> new ArrayList<>()).add(batch);
      }
    }
    long said = folder.summary().path("lanes").asLong(Long.MAX_VALUE);
    if (byLane.size() > said) {
      findings.fault(
          Rule.LANE,
          RunFolder.DISPATCHES,
          "(%d) lanes ran batches, and the run had (%d)".formatted(byLane.size(), said));
    }
    byLane.forEach(this::checkLane);
    folder.batches().stream()
        .filter(batch -> batch.ran() && batch.busyLanes != Decimal.NONE)
        .sorted(Comparator.comparingLong(batch -> batch.startNs))
        .collect(Collectors.groupingBy(Batch::executor, TreeMap::new, Collectors.toList()))
        .forEach(this::checkBusyLanes);
  }

  /**
   * Holds busy_lanes to the batches that ran at each start. Lanes count beside each other, so that
   * a few of them may see another number; not most of them.
   */
  private void checkBusyLanes(String executor, List<Batch> byStart) {
    long beside = 0;
    long fewer = 0;
    List<Batch> running = new ArrayList<>();
    for (Batch batch : byStart) {
      running.removeIf(other -> workEndNs(other) < batch.startNs + SURE_NS);
      long sure = running.stream().filter(o -> o.startNs < batch.startNs - SURE_NS).count();
      beside += sure > 0 ? 1 : 0;
      fewer += sure > 0 && batch.busyLanes < 1 + sure ? 1 : 0;
      running.add(batch);
    }
    if (beside >= BESIDE_MIN && 2 * fewer > beside) {
      findings.fault(
          Rule.LANE,
          RunFolder.DISPATCHES,
          "busy_lanes of (%s) are too few in (%d) of (%d) batches that began beside others"
              .formatted(executor, fewer, beside));
    }
  }

  /** When the lane's work ended; an emulated lane lets go later than it means to. */
  private static long workEndNs(Batch batch) {
    return batch.emulatedNs == Decimal.NONE
        ? batch.endNs
        : Math.min(batch.endNs, batch.startNs + batch.emulatedNs);
  }

  private void checkLane(String lane, List<Batch> batches) {
    findings.looked(Rule.LANE_OVERLAP, batches.size());
    batches.sort(Comparator.comparingLong(batch -> batch.startNs));
    Batch last = batches.get(0);
    for (Batch batch : batches.subList(1, batches.size())) {
      if (batch.startNs < last.endNs - GRAIN_NS) {
        findings.fault(
            Rule.LANE_OVERLAP,
            last.where + ", " + batch.where,
            "lane (%s) runs (%s) until (%s), and (%s) from (%s)"
                .formatted(
                    lane,
                    last.id,
                    JobRules.seconds(last.endNs),
                    batch.id,
                    JobRules.seconds(batch.startNs)));
      }
      last = batch.endNs > last.endNs ? batch : last;
    }
  }
}
