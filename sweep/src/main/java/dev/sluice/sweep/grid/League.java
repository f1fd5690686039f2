package dev.sluice.sweep.grid;

import dev.sluice.analytics.statistic.MeanInterval;
import dev.sluice.harness.simulate.SimulatedCapacity;
import dev.sluice.sweep.grid.Cells.Cell;
import dev.sluice.sweep.workspace.Grid;
import dev.sluice.sweep.workspace.Grid.Axis;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Capacities of policies over the cells of a league: one policy beside the best of others, cell by
 * cell and seed by seed. The best of a cell is the one whose capacity is the highest in the mean
 * over the seeds. Intervals are of 95 %, of means of logarithms, by Student's t over the seeds.
 */
final class League {
  /** Values of the axes that are neither cells, policies nor repeats: one table each. */
  private final Map<String, String> variant;

  private final Grid.League asked;
  private final List<String> cells;
  private final Map<List<String>, Map<String, CellResult>> repeatsByCellAndPolicy = new HashMap<>();

  /** A ratio, as the mean of its logarithm with the interval. */
  record Ratio(MeanInterval log) {
    double mean() {
      return Math.exp(log.mean());
    }

    /** The ratio in words: {@code 1.07 (1.05 to 1.09)}. */
    String text() {
      return log.hasEnds()
          ? "%.3f (%.3f to %.3f)".formatted(mean(), Math.exp(log.low()), Math.exp(log.high()))
          : "%.3f".formatted(mean());
    }

    /** Whether it is above one, as far as the interval tells. */
    String verdict() {
      return !log.hasEnds()
          ? ""
          : log.low() > 0 ? "ahead" : log.high() < 0 ? "behind" : "undecided";
    }
  }

  /** One cell's comparison with the best of the others: logarithms of the ratio by seed. */
  record Compared(String cell, String best, List<Double> logs) {
    Ratio ratio() {
      return new Ratio(MeanInterval.of(logs));
    }
  }

  private League(Grid grid, Grid.League asked, Map<String, String> variant) {
    this.asked = asked;
    this.variant = variant;
    cells = texts(grid, asked.cells());
  }

  /** The league of each combination of values of the other axes. */
  static List<League> of(Grid grid, Grid.League asked, Map<Cell, CellResult> results) {
    Set<String> own = new LinkedHashSet<>(List.of(asked.cells(), asked.policies()));
    own.add(Objects.requireNonNullElse(grid.repeatOver(), ""));
    Map<Map<String, String>, League> leagues = new LinkedHashMap<>();
    results.forEach(
        (cell, result) -> {
          Map<String, String> others = new LinkedHashMap<>(cell.values());
          others.keySet().removeAll(own);
          leagues
              .computeIfAbsent(others, variant -> new League(grid, asked, variant))
              .repeatsByCellAndPolicy
              .computeIfAbsent(
                  List.of(cell.values().get(asked.cells()), cell.values().get(asked.policies())),
                  names -> new LinkedHashMap<>())
              .put(cell.values().getOrDefault(grid.repeatOver(), ""), result);
        });
    return List.copyOf(leagues.values());
  }

  private static List<String> texts(Grid grid, String key) {
    return Axis.of(grid.axes(), key).orElseThrow().texts();
  }

  String variant() {
    return Cell.name(variant);
  }

  List<String> cells() {
    return cells;
  }

  List<String> cells(Grid.Group group) {
    return cells().stream().filter(cell -> group.holds(Grid.League.words(cell))).toList();
  }

  /** Words of all cells' names, in the order of their places in a name. */
  List<String> words() {
    int most = cells().stream().mapToInt(cell -> Grid.League.words(cell).size()).max().orElse(0);
    Set<String> words = new LinkedHashSet<>();
    for (int place = 0; place < most; place++) {
      for (String cell : cells()) {
        List<String> own = Grid.League.words(cell);
        words.addAll(own.subList(Math.min(place, own.size()), Math.min(place + 1, own.size())));
      }
    }
    return List.copyOf(words);
  }

  List<String> policies(Grid grid) {
    return texts(grid, asked.policies());
  }

  /** A figure of a cell under a policy, by seed; empty if one of them has no number. */
  List<Double> figures(String cell, String policy, String figure) {
    List<Double> figures = new ArrayList<>();
    for (CellResult result : results(cell, policy).values()) {
      Double value = result.figure(figure);
      if (value == null) {
        return List.of();
      }
      figures.add(value);
    }
    return figures;
  }

  private Map<String, CellResult> results(String cell, String policy) {
    return repeatsByCellAndPolicy.getOrDefault(List.of(cell, policy), Map.of());
  }

  static double mean(List<Double> values) {
    return values.stream().mapToDouble(v -> v).average().orElse(Double.NaN);
  }

  /**
   * Geometric mean over cells of the mean share of the bound under a policy; NaN: a cell has none.
   */
  double shareOfBound(List<String> cells, String policy) {
    return Math.exp(
        cells.stream()
            .mapToDouble(cell -> Math.log(mean(capacities(cell, policy))))
            .average()
            .orElse(Double.NaN));
  }

  /** Our policy beside the best of the others; null if a number is missing. */
  @Nullable Compared compared(String cell) {
    String best =
        asked.others().stream()
            .filter(policy -> !capacities(cell, policy).isEmpty())
            .max(Comparator.comparingDouble(policy -> mean(capacities(cell, policy))))
            .orElse("");
    List<Double> ours = capacities(cell, asked.ours());
    List<Double> theirs = capacities(cell, best);
    if (best.isEmpty() || ours.size() != theirs.size() || ours.isEmpty()) {
      return null;
    }
    List<Double> logs = new ArrayList<>();
    for (int i = 0; i < ours.size(); i++) {
      logs.add(Math.log(ours.get(i) / theirs.get(i)));
    }
    return new Compared(cell, best, logs);
  }

  /** Shares of the bound by seed, none of them below what a search can tell from none. */
  private List<Double> capacities(String cell, String policy) {
    return figures(cell, policy, SimulatedCapacity.OF_BOUND).stream()
        .map(share -> Math.max(share, SimulatedCapacity.OF_BOUND_MIN))
        .toList();
  }

  List<Compared> compared(List<String> cells) {
    return cells.stream()
        .map(this::compared)
        .flatMap(one -> one == null ? Stream.of() : Stream.of(one))
        .toList();
  }

  /** Geometric mean of the ratios of some cells, seed by seed. */
  static Ratio ratio(List<Compared> cells) {
    int seeds = cells.stream().mapToInt(cell -> cell.logs().size()).min().orElse(0);
    List<Double> logs = new ArrayList<>();
    for (int seed = 0; seed < seeds; seed++) {
      int one = seed;
      logs.add(cells.stream().mapToDouble(cell -> cell.logs().get(one)).average().orElse(0));
    }
    return new Ratio(MeanInterval.of(logs));
  }
}
