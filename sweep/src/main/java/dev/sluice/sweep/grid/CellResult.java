package dev.sluice.sweep.grid;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.simulate.ExperimentBound;
import dev.sluice.sweep.grid.Cells.Cell;
import dev.sluice.sweep.workspace.Grid;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
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
  enum State {
    DONE("done"),
    NOT_COMPARABLE("not comparable"),
    FAILED("failed");

    final String words;

    State(String words) {
      this.words = words;
    }
  }

  static CellResult failed(String why) {
    return new CellResult(State.FAILED, why, Map.of(), "");
  }

  static CellResult of(Path folder, Collection<String> figures) throws IOException {
    FinishedRun run = FinishedRun.of(folder);
    JsonNode summary = run.summary();
    List<String> reasons = run.notComparable();
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

  /**
   * Figures of cells beside the goodput that no scheduler exceeds: the bound, and the share of it
   * that a cell has. Cells that differ in their policy alone have one bound.
   */
  static final class CellBounds {
    private static final String GOODPUT = "goodput_jobs_sec";
    private static final String BOUND = "goodput_bound_jobs_sec";
    private static final String SHARE = "goodput_of_bound";

    private final Map<Map<String, String>, Map<String, Double>> known = new ConcurrentHashMap<>();

    /** Names of the figures that all jobs and each class have, without what they are of. */
    static final List<String> NAMES = List.of(BOUND, SHARE);

    static boolean areAskedBy(Grid grid) {
      return grid.figures().stream()
          .anyMatch(figure -> NAMES.stream().anyMatch(name -> figure.name().endsWith("_" + name)));
    }

    CellResult with(Cell cell, Path folder, CellResult result)
        throws IOException, UserMistakeException {
      FinishedRun run = FinishedRun.of(folder);
      Map<String, String> others = cell.without(GridTable.POLICY);
      Map<String, Double> bounds = known.get(others);
      if (bounds == null) {
        bounds = ExperimentBound.figures(run);
        known.put(others, bounds);
      }
      Map<String, Double> figures = new HashMap<>(result.figures());
      bounds.forEach(
          (name, bound) -> {
            if (name.endsWith(GOODPUT)) {
              String scope = name.substring(0, name.length() - GOODPUT.length());
              figures.put(scope + BOUND, bound);
              if (run.summary().path(name).isNumber() && bound > 0) {
                figures.put(scope + SHARE, run.summary().path(name).doubleValue() / bound);
              }
            }
          });
      return new CellResult(result.state(), result.why(), figures, result.requestDigest());
    }
  }
}
