package dev.sluice.sweep.grid;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.analytics.folder.FinishedRun;
import dev.sluice.analytics.folder.Summary;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a cell came out.
 *
 * @param why reason against its figures, in words; empty if they count
 * @param figures figures by name; empty unless the cell is done. A figure without a number is
 *     absent
 * @param requestDigest digest of its requests: cells with an equal one had equal requests
 */
record CellResult(State state, String why, Map<String, Double> figures, String requestDigest) {
  CellResult {
    figures = Map.copyOf(figures);
  }

  /** What a cell's figures are worth. */
  enum State {
    DONE("done"),
    NOT_COMPARABLE("not comparable"),
    FAILED("failed"),
    NOT_RUN("not run");

    final String words;

    State(String words) {
      this.words = words;
    }
  }

  static CellResult failed(String why) {
    return new CellResult(State.FAILED, why, Map.of(), "");
  }

  static CellResult notRun() {
    return new CellResult(State.NOT_RUN, "", Map.of(), "");
  }

  /** The figures of a finished folder. */
  static CellResult of(Path folder, Collection<String> figures) throws IOException {
    FinishedRun run = FinishedRun.of(folder);
    JsonNode summary = run.summary();
    List<String> reasons = new ArrayList<>();
    summary.path(Summary.NOT_COMPARABLE).forEach(reason -> reasons.add(reason.asText()));
    if (!reasons.isEmpty()) {
      return new CellResult(
          State.NOT_COMPARABLE, String.join("; ", reasons), Map.of(), run.requestDigest());
    }
    Map<String, Double> known = new LinkedHashMap<>();
    for (String figure : figures) {
      JsonNode value = summary.has(figure) ? summary.get(figure) : summary.path("all_" + figure);
      if (value.isNumber()) {
        known.put(figure, value.doubleValue());
      }
    }
    return new CellResult(State.DONE, "", known, run.requestDigest());
  }

  /** A figure; null if the cell has no number of that name. */
  @Nullable Double figure(String name) {
    return figures.get(name);
  }
}
