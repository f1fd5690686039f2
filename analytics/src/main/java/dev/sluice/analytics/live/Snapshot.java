package dev.sluice.analytics.live;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.contract.event.MetricsWindow;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All that a page needs to begin: the run, its points and the batches on its lanes. */
public final class Snapshot {
  /** Most bytes of a live run's snapshot. */
  public static final int BYTES_MAX = 300 * 1024;

  /** Most bytes of the snapshot in a report, which is of at most 1 MiB. */
  private static final int REPORT_BYTES_MAX = 700 * 1024;

  private static final int COARSENESS_MAX = 64;

  private Snapshot() {}

  /**
   * The snapshot of a run as JSON of at most {@value #BYTES_MAX} bytes: where there are many
   * classes, it has fewer points, and then fewer bars.
   *
   * @param run what {@link Run#json} gives of it
   * @param windows its seconds so far
   * @param batches the batches that it lately ran; null: none is known
   */
  public static String json(
      ObjectNode run, List<MetricsWindow> windows, @Nullable ObjectNode batches) {
    return json(run, windows, batches, BYTES_MAX);
  }

  /** The snapshot that a report holds. */
  static String ofReport(Run run, List<MetricsWindow> windows, ObjectNode batches) {
    // batches may be halved
    return json(run.json(windows), windows, batches.deepCopy(), REPORT_BYTES_MAX);
  }

  private static String json(
      ObjectNode run, List<MetricsWindow> windows, @Nullable ObjectNode batches, int bytesMax) {
    ObjectNode snapshot = Json.object();
    snapshot.set("run", run);
    String json = "";
    for (int coarseness = 1; coarseness <= COARSENESS_MAX; coarseness *= 2) {
      snapshot.set("points", Points.of(windows, coarseness).json());
      snapshot.set("batches", batches);
      json = Json.write(snapshot);
      if (json.getBytes(StandardCharsets.UTF_8).length <= bytesMax) {
        return json;
      }
      if (batches != null && coarseness > 1) {
        halve(batches);
      }
    }
    return json;
  }

  private static void halve(ObjectNode batches) {
    if (batches.path("batches") instanceof ArrayNode bars) {
      int kept = bars.size() / 2;
      batches.put("left_out", batches.path("left_out").asInt() + bars.size() - kept);
      while (bars.size() > kept) {
        bars.remove(bars.size() - 1);
      }
    }
  }
}
