package dev.sluice.analytics.live;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.contract.window.MetricsWindow;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All that a page needs to begin: the run, its points and the batches on its lanes. */
public final class Snapshot {
  /** Most bytes of a live run's snapshot. */
  public static final int BYTES_MAX = 300 * 1024;

  private static final int COARSENESS_MAX = 64;

  private Snapshot() {}

  /**
   * The snapshot of a run as JSON of at most {@value #BYTES_MAX} bytes: where there are many
   * classes, it has fewer points.
   *
   * @param windows its seconds so far
   * @param batches the batches that it lately ran; null: none is known
   */
  public static String json(Run run, List<MetricsWindow> windows, @Nullable ObjectNode batches) {
    return json(run, windows, batches, BYTES_MAX);
  }

  static String json(
      Run run, List<MetricsWindow> windows, @Nullable ObjectNode batches, int bytesMax) {
    ObjectNode snapshot = Json.object();
    snapshot.set("run", run.json(windows));
    String json = "";
    for (int coarseness = 1; coarseness <= COARSENESS_MAX; coarseness *= 2) {
      snapshot.set("points", Points.of(windows, coarseness).json());
      snapshot.set("batches", batches);
      json = Json.write(snapshot);
      if (json.getBytes(StandardCharsets.UTF_8).length <= bytesMax) {
        return json;
      }
    }
    snapshot.putNull("batches");
    return Json.write(snapshot);
  }
}
