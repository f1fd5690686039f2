package dev.sluice.sweep.grid;

import dev.sluice.analytics.folder.FinishedRun;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.report.FigureBounds;
import dev.sluice.sweep.config.Grid;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Figures of cells beside the goodput that no scheduler exceeds: the bound, and the share of it
 * that a cell has. Cells that differ in their policy alone have one bound.
 */
final class CellBounds {
  private static final String GOODPUT = "goodput_jobs_sec";
  private static final String BOUND = "goodput_bound_jobs_sec";
  private static final String SHARE = "goodput_of_bound";

  private final Map<Map<String, String>, Map<String, Double>> known = new ConcurrentHashMap<>();

  /** Names of the figures that all jobs and each class have, without what they are of. */
  static final List<String> NAMES = List.of(BOUND, SHARE);

  /** Tells whether a grid asks for such a figure. */
  static boolean areAskedBy(Grid grid) {
    return grid.figures().stream()
        .anyMatch(figure -> NAMES.stream().anyMatch(name -> figure.name().endsWith("_" + name)));
  }

  /** Adds the figures of a finished cell. */
  CellResult with(Cell cell, Path folder, CellResult result)
      throws IOException, UserMistakeException {
    FinishedRun run = FinishedRun.of(folder);
    Map<String, String> others = cell.without(GridTable.POLICY);
    Map<String, Double> bounds = known.get(others);
    if (bounds == null) {
      bounds = FigureBounds.of(run);
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
