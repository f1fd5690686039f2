package dev.sluice.harness.simulate;

import dev.sluice.analytics.row.FinishedBatch;
import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.lane.LatencyTable;
import dev.sluice.executor.latency.LatencyKey;
import dev.sluice.executor.latency.ProfileRow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Service times that a person names in place of an experiment's own: a latency table, or a finished
 * run, whose batches make a table and whose residuals are played again in blocks, so that slow
 * spells stay together.
 *
 * @param run run that the times come from; null: a table
 * @param residuals residuals of the run, by the batches' starts; null: noise is the table's spread
 */
record Profile(LatencyTable table, @Nullable FinishedRun run, @Nullable List<Residual> residuals) {
  /** Number of batches below which a key is estimated from its neighbours. */
  private static final int BATCHES_MIN = 3;

  /** The factor by which a batch was longer than the table says at the rates that it met. */
  record Residual(long atNs, double factor) {}

  /** Reads a CSV file, or a run's folder; null for null. */
  static @Nullable Profile read(@Nullable Path path) throws UserMistakeException {
    if (path == null) {
      return null;
    }
    return FinishedRun.isFolder(path)
        ? of(HopsFile.live(path))
        : new Profile(LatencyTable.read(path), null, null);
  }

  private static Profile of(FinishedRun run) throws UserMistakeException {
    List<FinishedBatch> batches = run.doneBatches();
    LatencyTable table = table(run, batches);
    return new Profile(table, run, residuals(batches, table));
  }

  private static LatencyTable table(FinishedRun run, List<FinishedBatch> batches)
      throws UserMistakeException {
    Map<LatencyKey, List<Long>> nsByKey = new TreeMap<>();
    for (FinishedBatch batch : batches) {
      var key = new LatencyKey(batch.model(), 1, batch.jobs().samples(), batch.busyLanes());
      nsByKey.computeIfAbsent(key, first -> new ArrayList<>()).add(worked(batch));
    }
    List<ProfileRow> rows = new ArrayList<>();
    nsByKey.forEach(
        (key, ns) -> {
          for (int i = 0; ns.size() >= BATCHES_MIN && i < ns.size(); i++) {
            rows.add(new ProfileRow("recorded", key, 1, i + 1, 0, ns.get(i), null, 0, 0));
          }
        });
    UserMistakeException.throwIf(
        rows.isEmpty(),
        run.folder().toString(),
        "no kind of batch ran " + BATCHES_MIN + " times in this run",
        "you want a longer run");
    try {
      Path file = Files.createTempFile("sluice-recorded", ".csv");
      try {
        LatencyTable.write(
            file, "recorded", List.of("Batches of the run " + run.folder() + "."), rows);
        return LatencyTable.read(file);
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new IllegalStateException("no temporary file can be written", e);
    }
  }

  /** On emulated lanes without their own lateness, which is part of the hops. */
  private static long worked(FinishedBatch batch) {
    long workNs = batch.workNs();
    return Math.max(1, workNs == Jobs.NONE ? batch.serviceNs() : workNs);
  }

  private static List<Residual> residuals(List<FinishedBatch> batches, LatencyTable table) {
    Map<String, BusyLanes> busyByExecutor = new HashMap<>(); // looked up, never iterated
    batches.stream()
        .map(FinishedBatch::executorId)
        .distinct()
        .forEach(
            executor ->
                busyByExecutor.put(
                    executor,
                    BusyLanes.of(
                        batches.stream().filter(b -> b.executorId().equals(executor)).toList())));
    List<Residual> residuals = new ArrayList<>();
    for (FinishedBatch batch : batches) {
      BusyLanes busy = busyByExecutor.get(batch.executorId());
      if (busy != null && batch.startedNs() >= 0 && table.holds(batch.model())) {
        long endNs = batch.startedNs() + worked(batch);
        double factor =
            busy.worth(
                batch.startedNs(),
                endNs,
                lanes -> table.meanMs(batch.model(), batch.jobs().samples(), lanes) * 1e6);
        residuals.add(new Residual(batch.startedNs(), factor));
      }
    }
    return residuals;
  }

  /** Number of busy lanes over time: lanes[i] from atNs[i] on. */
  private record BusyLanes(List<Long> atNs, List<Integer> lanes) {
    private record Step(long atNs, int by) {}

    static BusyLanes of(List<FinishedBatch> batches) {
      List<Step> steps = new ArrayList<>();
      for (FinishedBatch batch : batches) {
        steps.add(new Step(batch.startedNs(), 1));
        steps.add(new Step(batch.startedNs() + worked(batch), -1));
      }
      steps.sort(Comparator.comparingLong(Step::atNs).thenComparingInt(Step::by));
      List<Long> atNs = new ArrayList<>();
      List<Integer> lanes = new ArrayList<>();
      int busy = 0;
      for (Step step : steps) {
        busy += step.by();
        atNs.add(step.atNs());
        lanes.add(busy);
      }
      return new BusyLanes(atNs, lanes);
    }

    /** Number of batches that fit in a time, given the nanoseconds of a batch by busy lanes. */
    double worth(long fromNs, long toNs, IntToDoubleFunction nsByLanes) {
      int at = Collections.binarySearch(atNs, fromNs);
      int step = at < 0 ? Math.max(0, -at - 2) : at;
      double worth = 0;
      for (; step < atNs.size() && atNs.get(step) < toNs; step++) {
        long beginNs = Math.max(fromNs, atNs.get(step));
        long endNs = step + 1 < atNs.size() ? Math.min(toNs, atNs.get(step + 1)) : toNs;
        if (endNs > beginNs) {
          worth += (endNs - beginNs) / nsByLanes.applyAsDouble(Math.max(1, lanes.get(step)));
        }
      }
      return worth;
    }
  }
}
