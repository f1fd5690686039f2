package dev.sluice.harness.serve;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.contract.event.LanesWindow;
import dev.sluice.contract.event.LanesWindow.Batch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The last batches of a live run's lanes, each in its last known state. One thread at a time. */
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

  /** Batches by id and attempt, in the order in which they were first told. */
  private final Map<String, Placed> batches =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Placed> eldest) {
          return size() > BATCHES_HELD;
        }
      };

  /** What the batches do not tell of the windows of the last minute. */
  private final Deque<Shares> shares = new ArrayDeque<>();

  private long toNs;

  /** A lane; -1 stands for all lanes of the executor. */
  private record Row(String executor, int lane) {}

  /**
   * Busy shares of a window, without those that are 0.
   *
   * @param isFolded true if they are of executors; else of lanes, in batches that are not listed
   */
  private record Shares(long fromNs, long toNs, boolean isFolded, Map<Row, Double> byRow) {
    static Shares of(LanesWindow window) {
      boolean isFolded =
          window.executors().stream().mapToInt(e -> e.lanes().size()).sum() > LANES_MAX;
      Map<Row, Double> byRow = new LinkedHashMap<>();
      for (LanesWindow.Executor executor : window.executors()) {
        for (LanesWindow.Lane lane : executor.lanes()) {
          double share = isFolded ? lane.busy() / executor.lanes().size() : lane.more();
          if (share > 0) {
            byRow.merge(new Row(executor.id(), isFolded ? -1 : lane.index()), share, Double::sum);
          }
        }
      }
      return new Shares(window.fromNs(), window.toNs(), isFolded, byRow);
    }
  }

  /** A batch and its lane. */
  private record Placed(String executor, int lane, Batch batch) {
    boolean isWithin(double fromNs, double toNs) {
      Long finished = batch.finishedNs();
      return batch.startedNs() < toNs && (finished == null || finished >= fromNs);
    }
  }

  void add(LanesWindow window) {
    toNs = Math.max(toNs, window.toNs());
    shares.add(Shares.of(window));
    while (shares.element().toNs() < toNs - SNAPSHOT_SECONDS * SECOND_NS) {
      shares.remove();
    }
    for (LanesWindow.Executor executor : window.executors()) {
      for (LanesWindow.Lane lane : executor.lanes()) {
        for (Batch batch : lane.batches()) {
          batches.put(
              batch.id() + "/" + batch.attempt(), new Placed(executor.id(), lane.index(), batch));
        }
      }
    }
  }

  /**
   * The last batches of the last minute, and busy shares of its seconds: of lanes in batches that
   * no window listed, or of executors in all batches, if there are many lanes.
   */
  ObjectNode last() {
    double toS = toNs / SECOND_NS;
    boolean isFolded = !shares.isEmpty() && shares.getLast().isFolded();
    int batchesMax = isFolded ? 0 : SNAPSHOT_BATCHES_MAX;
    ObjectNode json = between(Math.max(0, toS - SNAPSHOT_SECONDS), toS, batchesMax);
    Map<Row, double[]> rows = new LinkedHashMap<>();
    double[] known = new double[SNAPSHOT_SECONDS];
    long fromS = Math.max(0, (long) toS - SNAPSHOT_SECONDS + 1);
    for (Shares window : shares) {
      if (window.isFolded() == isFolded && window.toNs() > fromS * SECOND_NS) {
        addTo(rows, known, window, fromS);
      }
    }
    if (!rows.isEmpty()) {
      ObjectNode all = json.putObject("shares");
      ArrayNode list = all.put("from_s", fromS).put("to_s", toS).put("span_s", 1).putArray("lanes");
      rows.entrySet().stream()
          .limit(ROWS_MAX)
          .forEach(
              row -> {
                ObjectNode entry = list.addObject().put("executor", row.getKey().executor());
                entry.put("lane", isFolded ? null : Integer.valueOf(row.getKey().lane()));
                ArrayNode busy = entry.putArray("busy");
                for (int i = 0; i < SNAPSHOT_SECONDS && fromS + i < toS; i++) {
                  double share = known[i] == 0 ? 0 : row.getValue()[i] / known[i];
                  busy.add(Math.round(share * 100) / 100.0);
                }
              });
    }
    return json;
  }

  /** Spreads a window's shares, and how long it was, over the seconds that it overlaps. */
  private static void addTo(Map<Row, double[]> rows, double[] known, Shares window, long fromS) {
    for (int i = 0; i < SNAPSHOT_SECONDS; i++) {
      double beginNs = Math.max((double) window.fromNs(), (fromS + i) * SECOND_NS);
      double part =
          (Math.min((double) window.toNs(), (fromS + i + 1) * SECOND_NS) - beginNs) / SECOND_NS;
      if (part > 0) {
        int second = i;
        known[i] += part;
        window
            .byRow()
            .forEach(
                (row, share) ->
                    rows.computeIfAbsent(row, r -> new double[SNAPSHOT_SECONDS])[second] +=
                        share * part);
      }
    }
  }

  /** The last batches that ran between two times, in seconds since time zero. */
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
