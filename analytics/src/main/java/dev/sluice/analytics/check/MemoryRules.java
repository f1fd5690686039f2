package dev.sluice.analytics.check;

import static dev.sluice.analytics.check.Decimal.NONE;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Holds the memory of lanes to the config: what a lane holds and loads takes no more than it has,
 * and a batch runs only while the lane holds its model.
 */
public final class MemoryRules {
  /** Times have whole microseconds. */
  private static final long GRAIN_NS = 1_000;

  private static final double BYTES_PER_MB = 1e6;

  private final RunFolder folder;
  private final Findings findings;

  public MemoryRules(RunFolder folder, Findings findings) {
    this.folder = folder;
    this.findings = findings;
  }

  /** A change of the memory in use; at one moment releases come first, since they made the room. */
  private record Change(long atNs, long bytes, Load load) {
    static final Comparator<Change> ORDER =
        Comparator.comparingLong(Change::atNs).thenComparingLong(Change::bytes);
  }

  /** Checks all loads, and all batches that ran. */
  public void check() {
    if (!folder.hasMemory()) {
      return;
    }
    double memory = folder.config().number("lanes", "memory_mb") * BYTES_PER_MB;
    Map<String, List<Change>> byLane = new TreeMap<>();
    Map<String, List<Load>> stays = new HashMap<>();
    for (Load load : folder.loads()) {
      findings.looked(Rule.MEMORY, 1);
      if (load.loadedNs < load.startNs
          || (load.decidedNs != NONE && load.startNs < load.decidedNs - GRAIN_NS)
          || (load.evictedNs != NONE && load.evictedNs < load.loadedNs)) {
        findings.fault(
            Rule.MEMORY, load.where, "it was decided, begun, done and given up out of order");
      }
      List<Change> changes =
          byLane.computeIfAbsent(
              load.lane + ", process " + load.incarnation, lane -> new ArrayList<>());
      changes.add(new Change(load.startNs, load.bytes, load));
      long untilNs = load.cause.isEmpty() ? load.evictedNs : load.loadedNs;
      if (untilNs != NONE) {
        changes.add(new Change(untilNs, -load.bytes, load));
      }
      if (load.cause.isEmpty()) {
        stays.computeIfAbsent(load.lane + " " + load.model, any -> new ArrayList<>()).add(load);
      }
    }
    byLane.forEach((lane, changes) -> checkLane(lane, changes, memory));
    folder.batches().stream().filter(Batch::ran).forEach(batch -> checkBatch(batch, stays));
  }

  private void checkLane(String lane, List<Change> changes, double memory) {
    changes.sort(Change.ORDER);
    long held = 0;
    for (Change change : changes) {
      held += change.bytes;
      if (change.bytes > 0 && held > memory) {
        findings.fault(
            Rule.MEMORY,
            change.load.where,
            "with (%s) lane (%s) holds (%.3f) of (%.3f) MB"
                .formatted(change.load.model, lane, held / BYTES_PER_MB, memory / BYTES_PER_MB));
      }
    }
  }

  private void checkBatch(Batch batch, Map<String, List<Load>> stays) {
    findings.looked(Rule.RESIDENT, 1);
    String model = Load.modelOf(batch);
    boolean isThere =
        stays.getOrDefault(batch.lane + " " + model, List.of()).stream()
            .anyMatch(
                load ->
                    load.loadedNs <= batch.startNs + GRAIN_NS
                        && (load.evictedNs == NONE || load.evictedNs >= batch.endNs - GRAIN_NS));
    boolean neverRan = batch.result.equals("cancelled") && batch.startNs == batch.endNs;
    if (!isThere && !neverRan) {
      findings.fault(
          Rule.RESIDENT,
          batch.where,
          "(%s) ran while (%s) did not hold (%s)".formatted(batch.id, batch.lane, model));
    }
  }
}
