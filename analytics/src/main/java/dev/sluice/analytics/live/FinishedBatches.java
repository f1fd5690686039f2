package dev.sluice.analytics.live;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.analytics.row.FinishedBatch;
import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.file.UserMistakeException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Batches of a finished run for its Gantt: a bar for each batch of the stretch in which the most
 * jobs waited, and of the whole run each lane's busy share.
 */
public final class FinishedBatches {
  /** Most lanes that have shares of their own; of more lanes each executor has. */
  private static final int LANES_MAX = 64;

  private static final int ROWS_MAX = 200;

  /** Most spans that have a share. */
  private static final int SPANS_MAX = 120;

  private static final long SECOND_NS = 1_000_000_000L;
  private static final Comparator<String> BY_LANE =
      Comparator.comparing(FinishedBatches::executorOf).thenComparing(FinishedBatches::laneOf);

  private FinishedBatches() {}

  private static String executorOf(String laneId) {
    return laneId.substring(0, laneId.lastIndexOf('/'));
  }

  private static Integer laneOf(String laneId) {
    return Integer.valueOf(laneId.substring(laneId.lastIndexOf('/') + 1));
  }

  /** A part of the run, or the time in which a batch ran. */
  private record Stretch(long fromNs, long toNs) {
    boolean overlaps(Stretch that) {
      return toNs > that.fromNs && fromNs < that.toNs;
    }
  }

  private static @Nullable Stretch ran(FinishedBatch batch) {
    return batch.times().ran() ? new Stretch(batch.startedNs(), batch.endedNs()) : null;
  }

  /** The batches of a run as JSON, with at most that many bars. */
  public static ObjectNode json(FinishedRun run, List<MetricsWindow> windows, int barsMax)
      throws UserMistakeException {
    return json(RunSource.of(run), windows, barsMax);
  }

  /** The batches that ran in [fromS, toS), by decision; those beyond the most are counted. */
  public static ObjectNode between(FinishedRun run, double fromS, double toS, int barsMax)
      throws UserMistakeException {
    var stretch = new Stretch(Math.round(fromS * 1e9), Math.round(toS * 1e9));
    RunSource source = RunSource.of(run);
    int[] all = {0};
    source.batches(
        batch -> {
          Stretch ran = ran(batch);
          all[0] += ran != null && ran.overlaps(stretch) ? 1 : 0;
        });
    return json(stretch, bars(source, stretch, barsMax), all[0]);
  }

  private static ObjectNode json(Stretch stretch, ArrayNode bars, int all) {
    ObjectNode json = Json.object();
    json.put("from_s", stretch.fromNs() / 1e9);
    json.put("to_s", stretch.toNs() / 1e9);
    json.set("batches", bars);
    json.put("left_out", all - bars.size());
    json.putNull("shares");
    return json;
  }

  static ObjectNode json(RunSource source, List<MetricsWindow> windows, int barsMax)
      throws UserMistakeException {
    Map<String, List<Stretch>> found = new HashMap<>();
    source.batches(
        batch -> {
          Stretch ran = ran(batch);
          if (ran != null) {
            found.computeIfAbsent(batch.laneId(), id -> new ArrayList<>()).add(ran);
          }
        });
    Map<String, List<Stretch>> ranByLane = new TreeMap<>(BY_LANE);
    ranByLane.putAll(found);
    List<Stretch> ran = ranByLane.values().stream().flatMap(List::stream).toList();
    long endNs = windows.isEmpty() ? 0 : windows.get(windows.size() - 1).toNs();
    long spanNs = Math.max(1, (endNs / SECOND_NS + SPANS_MAX - 1) / SPANS_MAX) * SECOND_NS;
    int count = (int) ((endNs + spanNs - 1) / spanNs);
    Map<String, double[]> busyNs = new TreeMap<>(BY_LANE);
    ranByLane.forEach((laneId, of) -> busyNs.put(laneId, busyNs(of, spanNs, count)));
    Stretch stretch = stretch(ran, windows, barsMax);
    ObjectNode json = json(stretch, bars(source, stretch, barsMax), ran.size());
    json.set("shares", shares(busyNs, spanNs, count, endNs));
    return json;
  }

  /** A lane's busy time in equal spans from time zero on. */
  private static double[] busyNs(List<Stretch> ran, long spanNs, int spans) {
    double[] busyNs = new double[spans];
    for (Stretch one : ran) {
      long fromNs = Math.max(0, one.fromNs());
      while (fromNs < one.toNs() && fromNs / spanNs < spans) {
        long toNs = Math.min(one.toNs(), (fromNs / spanNs + 1) * spanNs);
        busyNs[(int) (fromNs / spanNs)] += toNs - fromNs;
        fromNs = toNs;
      }
    }
    return busyNs;
  }

  /** The whole run, or the stretch of at most that many bars around the second of most waiting. */
  private static Stretch stretch(List<Stretch> ran, List<MetricsWindow> windows, int barsMax) {
    if (ran.isEmpty()) {
      return new Stretch(0, 0);
    }
    long lastNs = ran.stream().mapToLong(Stretch::toNs).max().orElseThrow();
    if (ran.size() <= barsMax) {
      return new Stretch(
          Math.min(0, ran.stream().mapToLong(Stretch::fromNs).min().orElseThrow()), lastNs);
    }
    MetricsWindow worst =
        windows.stream()
            .max(
                Comparator.comparingLong(MetricsWindow::waiting)
                    .thenComparing(Comparator.comparingLong(MetricsWindow::fromNs).reversed()))
            .orElseThrow();
    long middleNs = worst.fromNs() + SECOND_NS / 2;
    long lengthNs = lastNs;
    Stretch stretch = around(middleNs, lengthNs, lastNs);
    while (lengthNs > 1000 && ran.stream().filter(stretch::overlaps).count() > barsMax) {
      lengthNs = lengthNs * 4 / 5;
      stretch = around(middleNs, lengthNs, lastNs);
    }
    return stretch;
  }

  private static Stretch around(long middleNs, long lengthNs, long lastNs) {
    long fromNs = Math.max(0, Math.min(middleNs - lengthNs / 2, lastNs - lengthNs));
    return new Stretch(fromNs, fromNs + lengthNs);
  }

  private static ArrayNode bars(RunSource source, Stretch stretch, int barsMax)
      throws UserMistakeException {
    List<FinishedBatch> chosen = new ArrayList<>();
    Set<String> firstJobs = new HashSet<>();
    source.batches(
        batch -> {
          Stretch ran = ran(batch);
          if (ran != null && ran.overlaps(stretch) && chosen.size() < barsMax) {
            chosen.add(batch);
            firstJobs.add(batch.jobs().first());
          }
        });
    Map<String, String> classes = source.classesOf(firstJobs);
    ArrayNode bars = Json.array();
    for (FinishedBatch batch : chosen) {
      bars.add(bar(batch, classes.get(batch.jobs().first())));
    }
    return bars;
  }

  private static ObjectNode bar(FinishedBatch batch, @Nullable String classType) {
    ObjectNode bar = Json.object();
    bar.put("executor", batch.executorId());
    bar.put("lane", batch.lane());
    bar.put("id", batch.id());
    bar.put("attempt", batch.attempt());
    bar.set("startedNs", Json.whole(batch.startedNs()));
    bar.set("finishedNs", Json.whole(batch.endedNs()));
    bar.put("result", batch.result().toUpperCase(Locale.ROOT));
    bar.put("workload", batch.model().workload());
    bar.put("backend", batch.model().backend());
    bar.put("precision", batch.model().precision());
    bar.put("classType", classType);
    bar.put("jobs", batch.jobs().count());
    bar.put("firstJob", batch.jobs().first());
    bar.put("samples", batch.jobs().samples());
    FinishedBatch.Predicted predicted = batch.predicted();
    bar.set(
        "predictedMs",
        Json.number(predicted.meanNs() == 0 ? null : Double.valueOf(predicted.meanNs() / 1e6)));
    bar.set("p95Ms", ms(predicted.p95Ns()));
    bar.set("serviceMs", ms(batch.serviceNs()));
    ObjectNode terms = bar.putObject("scoreTerms");
    for (String term : batch.scoreTerms().get().split(";", -1)) {
      int equals = term.lastIndexOf('=');
      if (equals > 0) {
        terms.set(
            term.substring(0, equals), Json.number(Double.valueOf(term.substring(equals + 1))));
      }
    }
    return bar;
  }

  private static JsonNode ms(long ns) {
    return Json.number(ns == Jobs.NONE ? null : Double.valueOf(ns / 1e6));
  }

  private static ObjectNode shares(
      Map<String, double[]> busyNs, long spanNs, int count, long endNs) {
    boolean folded = busyNs.size() > LANES_MAX;
    Map<String, List<double[]>> rows = folded ? new TreeMap<>() : new TreeMap<>(BY_LANE);
    busyNs.forEach(
        (laneId, busy) ->
            rows.computeIfAbsent(folded ? executorOf(laneId) : laneId, name -> new ArrayList<>())
                .add(busy));
    ObjectNode shares = Json.object();
    shares.put("span_s", spanNs / SECOND_NS);
    ArrayNode list = shares.putArray("lanes");
    rows.entrySet().stream()
        .limit(ROWS_MAX)
        .forEach(
            row -> {
              String name = row.getKey();
              ObjectNode entry = list.addObject();
              entry.put("executor", folded ? name : executorOf(name));
              entry.put("lane", folded ? null : laneOf(name));
              ArrayNode busy = entry.putArray("busy");
              for (int i = 0; i < count; i++) {
                double lengthNs = Math.min(endNs, (i + 1) * spanNs) - i * spanNs;
                double ns = 0;
                for (double[] lane : row.getValue()) {
                  ns += lane[i];
                }
                busy.add(Json.share(Math.min(1, ns / lengthNs / row.getValue().size())));
              }
            });
    return shares;
  }
}
