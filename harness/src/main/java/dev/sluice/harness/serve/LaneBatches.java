package dev.sluice.harness.serve;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.contract.window.LanesWindow;
import dev.sluice.contract.window.LanesWindow.Batch;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The last batches of a live run's lanes, each in its last known state. One thread at a time. */
final class LaneBatches {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Batches kept: some seconds of the largest run, an hour of a small one. */
  private static final int BATCHES_HELD = 20_000;

  private static final int SNAPSHOT_BATCHES_MAX = 200;
  private static final double SNAPSHOT_SECONDS = 60;

  /** Batches by id and attempt, in the order in which they were first told. */
  private final Map<String, Placed> batches =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Placed> eldest) {
          return size() > BATCHES_HELD;
        }
      };

  private long toNs;

  /** A batch and its lane. */
  private record Placed(String executor, int lane, Batch batch) {
    boolean isWithin(double fromNs, double toNs) {
      Long finished = batch.finishedNs();
      return batch.startedNs() < toNs && (finished == null || finished >= fromNs);
    }
  }

  void add(LanesWindow window) {
    toNs = Math.max(toNs, window.toNs());
    for (LanesWindow.Executor executor : window.executors()) {
      for (LanesWindow.Lane lane : executor.lanes()) {
        for (Batch batch : lane.batches()) {
          batches.put(
              batch.id() + "/" + batch.attempt(), new Placed(executor.id(), lane.index(), batch));
        }
      }
    }
  }

  /** The last batches of the last minute. */
  ObjectNode last() {
    double toS = toNs / 1e9;
    return between(Math.max(0, toS - SNAPSHOT_SECONDS), toS, SNAPSHOT_BATCHES_MAX);
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
