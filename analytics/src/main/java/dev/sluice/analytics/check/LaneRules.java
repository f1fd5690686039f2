package dev.sluice.analytics.check;

import static dev.sluice.analytics.check.Row.NONE;

import dev.sluice.analytics.check.RunFolder.Load;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Holds lanes to the config, the batches of one lane to each other, and what lanes and executors
 * hold to their memory and budget.
 */
final class LaneRules extends RunRules {
  private static final long GRAIN_NS = 2 * HALF_GRAIN_NS;

  /** Distance of two times of which one surely comes first. */
  private static final long SURE_NS = 1_000_000;

  private static final long BESIDE_MIN = 10;
  private static final double BYTES_PER_MB = 1e6;
  private static final Set<String> ANSWERED = Set.of("done", "failed", "refused", "cancelled");

  /** Batches that lanes ran, by their starts. */
  private final List<Batch> byStart =
      folder.batches().stream()
          .filter(Batch::ran)
          .sorted(Comparator.comparingLong(batch -> batch.startNs))
          .toList();

  LaneRules(RunFolder folder) {
    super(folder);
  }

  /**
   * A change of what is held; at one moment releases come first, since they made the room.
   *
   * @param name of what takes it, or lets go of it
   */
  private record Change(long atNs, long amount, Row row, String name) {
    static final Comparator<Change> ORDER =
        Comparator.comparingLong(Change::atNs).thenComparingLong(Change::amount);
  }

  @Override
  void check() {
    checkLanes();
    if (config.hasMemory()) {
      checkMemory();
    }
    checkTokens();
  }

  private void checkLanes() {
    long lanesOfExecutor = config.lanesOfExecutor();
    for (Batch batch : folder.batches()) {
      looked(Rule.LANE);
      long place = Row.digits(batch.lane.substring(batch.lane.lastIndexOf('/') + 1));
      if (batch.executor.isEmpty() || place < 0 || place >= lanesOfExecutor) {
        fault(
            Rule.LANE,
            batch,
            "lane (%s) is none of an executor's (%d)".formatted(batch.lane, lanesOfExecutor));
      }
    }
    Map<String, List<Batch>> byLane =
        byStart.stream()
            .collect(Collectors.groupingBy(batch -> batch.lane, TreeMap::new, Collectors.toList()));
    long said = folder.summary().path("lanes").asLong(Long.MAX_VALUE);
    if (byLane.size() > said) {
      findings.fault(
          Rule.LANE,
          RunFolder.DISPATCHES,
          "(%d) lanes ran batches, and the run had (%d)".formatted(byLane.size(), said));
    }
    byLane.forEach(this::checkLane);
    byStart.stream()
        .filter(batch -> batch.busyLanes != NONE)
        .collect(Collectors.groupingBy(batch -> batch.executor, TreeMap::new, Collectors.toList()))
        .forEach(this::checkBusyLanes);
  }

  /**
   * Holds busy_lanes to the batches that ran at each start. Lanes count beside each other, so that
   * a few of them may see another number; not most of them.
   */
  private void checkBusyLanes(String executor, List<Batch> batches) {
    long beside = 0;
    long fewer = 0;
    List<Batch> running = new ArrayList<>();
    for (Batch batch : batches) {
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
    return batch.emulatedNs == NONE
        ? batch.endNs
        : Math.min(batch.endNs, batch.startNs + batch.emulatedNs);
  }

  private void checkLane(String lane, List<Batch> batches) {
    findings.looked(Rule.LANE_OVERLAP, batches.size());
    Batch last = batches.get(0);
    for (Batch batch : batches.subList(1, batches.size())) {
      if (batch.startNs < last.endNs - GRAIN_NS) {
        findings.fault(
            Rule.LANE_OVERLAP,
            last.where + ", " + batch.where,
            "lane (%s) runs (%s) until (%s), and (%s) from (%s)"
                .formatted(lane, last.id, seconds(last.endNs), batch.id, seconds(batch.startNs)));
      }
      last = batch.endNs > last.endNs ? batch : last;
    }
  }

  /** What a lane holds and loads takes no more than it has; it holds the model that it runs. */
  private void checkMemory() {
    Map<String, List<Change>> byLane = new TreeMap<>();
    findings.looked(Rule.MEMORY, folder.loads().size());
    for (Load load : folder.loads()) {
      if (load.loadedNs < load.startNs
          || (load.decidedNs != NONE && load.startNs < load.decidedNs - GRAIN_NS)
          || (load.evictedNs != NONE && load.evictedNs < load.loadedNs)) {
        fault(Rule.MEMORY, load, "it was decided, begun, done and given up out of order");
      }
      List<Change> changes =
          byLane.computeIfAbsent(
              load.lane + ", process " + load.incarnation, lane -> new ArrayList<>());
      changes.add(new Change(load.startNs, load.bytes, load, load.model));
      long untilNs = load.cause.isEmpty() ? load.evictedNs : load.loadedNs;
      if (untilNs != NONE) {
        changes.add(new Change(untilNs, -load.bytes, load, load.model));
      }
    }
    double memory = config.number("lanes", "memory_mb") * BYTES_PER_MB;
    String words = "with (%s) lane (%s) holds (%.3f) of (%.3f) MB";
    byLane.forEach(
        (lane, changes) -> checkHeld(Rule.MEMORY, lane, changes, memory, BYTES_PER_MB, words));
    Map<String, List<Load>> stays =
        folder.loads().stream()
            .filter(load -> load.cause.isEmpty())
            .collect(Collectors.groupingBy(load -> load.lane + " " + load.model));
    folder.batches().stream().filter(Batch::ran).forEach(batch -> checkResident(batch, stays));
  }

  private void checkResident(Batch batch, Map<String, List<Load>> stays) {
    looked(Rule.RESIDENT);
    String model = batch.workload + "/" + batch.backend + "/" + batch.precision;
    boolean isThere =
        stays.getOrDefault(batch.lane + " " + model, List.of()).stream()
            .anyMatch(
                load ->
                    load.loadedNs <= batch.startNs + GRAIN_NS
                        && (load.evictedNs == NONE || load.evictedNs >= batch.endNs - GRAIN_NS));
    boolean neverRan = batch.result.equals("cancelled") && batch.startNs == batch.endNs;
    if (!isThere && !neverRan) {
      fault(
          Rule.RESIDENT,
          batch,
          "(%s) ran while (%s) did not hold (%s)".formatted(batch.id, batch.lane, model));
    }
  }

  /**
   * Checks that the tokens of each executor stayed within its budget, from each decision until the
   * completion was on the log. Batches without an answer are not counted: the rows do not tell how
   * long they held their tokens.
   */
  private void checkTokens() {
    if (!config.flag("resources", "enabled")) {
      findings.leaveOut(Rule.TOKENS, "the run had no budget");
      return;
    }
    boolean cancels = folder.decides("cancelling");
    if (cancels && config.number("lanes", "ahead") > 0) {
      findings.leaveOut(
          Rule.TOKENS, "rows do not tell a batch ahead from one that takes another's place");
      return;
    }
    double budget = config.number("resources", "total_tokens");
    boolean fallback = config.flag("resources", "cpu_fallback");
    Map<String, List<Change>> byExecutor = new TreeMap<>();
    Map<Batch, Long> replacedAtNs = cancels ? replacedAtNs() : Map.of();
    for (Batch batch : folder.batches()) {
      boolean outsideBudget = fallback && batch.tokens > budget;
      if (ANSWERED.contains(batch.result) && !outsideBudget) {
        List<Change> changes = byExecutor.computeIfAbsent(batch.executor, e -> new ArrayList<>());
        findings.looked(Rule.TOKENS, batch.tokens > 0 ? 1 : 0);
        changes.add(new Change(batch.decidedNs, batch.tokens, batch, batch.id));
        long untilNs =
            Math.min(batch.completedNs, replacedAtNs.getOrDefault(batch, Long.MAX_VALUE));
        changes.add(new Change(untilNs, -batch.tokens, batch, batch.id));
      }
    }
    String words = "with (%s) executor (%s) holds (%.0f) of (%.0f) tokens";
    byExecutor.forEach(
        (executor, changes) -> checkHeld(Rule.TOKENS, executor, changes, budget, 1, words));
  }

  /** Returns when the next batch of its lane was decided, for each batch that has one. */
  private Map<Batch, Long> replacedAtNs() {
    Map<String, Batch> lastByLane = new HashMap<>();
    Map<Batch, Long> replaced = new HashMap<>();
    List<Batch> byDecision = new ArrayList<>(folder.batches());
    byDecision.sort(Comparator.comparingLong(batch -> batch.decidedNs));
    for (Batch batch : byDecision) {
      Batch before = lastByLane.put(batch.lane, batch);
      if (before != null) {
        replaced.put(before, batch.decidedNs);
      }
    }
    return replaced;
  }

  private void checkHeld(
      Rule rule, String by, List<Change> changes, double limit, double unit, String words) {
    changes.sort(Change.ORDER);
    long held = 0;
    for (Change change : changes) {
      held += change.amount;
      if (change.amount > 0 && held > limit) {
        fault(rule, change.row, words, change.name, by, held / unit, limit / unit);
      }
    }
  }
}
