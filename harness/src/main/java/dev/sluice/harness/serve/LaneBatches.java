package dev.sluice.harness.serve;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.contract.event.BatchesEnded;
import dev.sluice.contract.event.BatchesEnded.Batch;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The last batches that have ended on a live run's lanes. One thread at a time. */
final class LaneBatches {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Batches kept: some seconds of the largest run, an hour of a small one. */
  private static final int BATCHES_HELD = 20_000;

  private static final int SNAPSHOT_BATCHES_MAX = 200;
  private static final int SNAPSHOT_SECONDS = 60;
  private static final double SECOND_NS = 1e9;

  /** Most lanes that have rows of their own, as on the page; of more lanes each executor has. */
  private static final int LANES_MAX = 128;

  private static final int ROWS_MAX = 200;

  /** Batches by lane, id and attempt, in the order in which they were first told. */
  private final Map<String, Placed> batches =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Placed> eldest) {
          return size() > BATCHES_HELD;
        }
      };

  /** Busy shares by second: of lanes in batches that were not listed, or of executors in all. */
  private final Map<Row, TreeMap<Long, Double>> shares =
      new TreeMap<>(Comparator.comparing(Row::executor).thenComparing(Row::lane));

  private long toNs;
  private boolean isFolded;

  private record Row(String executor, int lane) {}

  private record Placed(String executor, int lane, Batch batch) {
    boolean isWithin(double fromNs, double toNs) {
      return batch.startedNs() < toNs && batch.finishedNs() >= fromNs;
    }
  }

  void add(BatchesEnded ended) {
    toNs = Math.max(toNs, ended.toNs());
    isFolded = ended.executors().stream().mapToInt(e -> e.lanes().size()).sum() > LANES_MAX;
    for (BatchesEnded.Executor executor : ended.executors()) {
      var all = new Row(executor.id(), -1);
      double part = 1.0 / executor.lanes().size();
      for (BatchesEnded.Lane lane : executor.lanes()) {
        for (Batch batch : lane.batches()) {
          String key =
              executor.id() + "/" + lane.index() + "/" + batch.id() + "/" + batch.attempt();
          boolean isNew = batches.put(key, new Placed(executor.id(), lane.index(), batch)) == null;
          if (isFolded && isNew) {
            addShare(all, batch.startedNs(), batch.finishedNs(), part);
          }
        }
        BatchesEnded.More more = lane.more();
        if (more != null) {
          Row row = isFolded ? all : new Row(executor.id(), lane.index());
          addShare(row, more.fromNs(), more.toNs(), isFolded ? more.busy() * part : more.busy());
        }
      }
    }
    long fromS = (long) (toNs / SECOND_NS) - SNAPSHOT_SECONDS;
    shares.values().forEach(seconds -> seconds.headMap(fromS).clear());
    shares.values().removeIf(Map::isEmpty);
  }

  private void addShare(Row row, long fromNs, long endNs, double share) {
    TreeMap<Long, Double> seconds = shares.computeIfAbsent(row, r -> new TreeMap<>());
    double from = Math.max(fromNs / SECOND_NS, toNs / SECOND_NS - SNAPSHOT_SECONDS);
    double end = endNs / SECOND_NS;
    for (long second = (long) from; second < end; second++) {
      double overlap = Math.min(end, second + 1.0) - Math.max(from, (double) second);
      seconds.merge(second, share * overlap, Double::sum);
    }
  }

  /** The last batches of the last minute, and {@link #shares} of its seconds. */
  ObjectNode last() {
    double toS = toNs / SECOND_NS;
    int batchesMax = isFolded ? 0 : SNAPSHOT_BATCHES_MAX;
    ObjectNode json = between(Math.max(0, toS - SNAPSHOT_SECONDS), toS, batchesMax);
    long fromS = Math.max(0, (long) toS - SNAPSHOT_SECONDS + 1);
    List<Map.Entry<Row, TreeMap<Long, Double>>> rows =
        shares.entrySet().stream()
            .filter(row -> (row.getKey().lane() < 0) == isFolded)
            .limit(ROWS_MAX)
            .toList();
    if (!rows.isEmpty()) {
      ObjectNode all = json.putObject("shares");
      ArrayNode list = all.put("from_s", fromS).put("to_s", toS).put("span_s", 1).putArray("lanes");
      rows.forEach(
          row -> {
            ObjectNode entry = list.addObject().put("executor", row.getKey().executor());
            entry.put("lane", isFolded ? null : Integer.valueOf(row.getKey().lane()));
            ArrayNode busy = entry.putArray("busy");
            for (long second = fromS; second < toS; second++) {
              double share = row.getValue().getOrDefault(second, 0.0);
              busy.add(Math.round(Math.min(1, share) * 100) / 100.0);
            }
          });
    }
    return json;
  }

  ObjectNode between(double fromS, double toS, int batchesMax) {
    List<Placed> within = new ArrayList<>();
    for (Placed placed : batches.values()) {
      if (placed.isWithin(fromS * 1e9, toS * 1e9)) {
        within.add(placed);
      }
    }
    int leftOut = Math.max(0, within.size() - batchesMax);
    ObjectNode json = JSON.createObjectNode();
    json.put("from_s", fromS);
    json.put("to_s", toS);
    ArrayNode array = json.putArray("batches");
    for (Placed placed : within.subList(leftOut, within.size())) {
      ObjectNode batch = JSON.valueToTree(placed.batch());
      batch.put("executor", placed.executor());
      batch.put("lane", placed.lane());
      array.add(batch);
    }
    json.put("left_out", leftOut);
    json.putNull("shares");
    return json;
  }
}
