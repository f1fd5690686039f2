package dev.sluice.analytics.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Holds lanes to the config, and the batches of one lane to each other. */
public final class LaneRules {
  /** Times have whole microseconds. */
  private static final long GRAIN_NS = 1_000;

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
