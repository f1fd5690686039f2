package dev.sluice.sweep.grid;

import dev.sluice.analytics.figure.Figures;
import dev.sluice.analytics.plot.HeatMap;
import dev.sluice.analytics.report.TextTable;
import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.analytics.statistic.MeanInterval;
import dev.sluice.sweep.grid.CellResult.State;
import dev.sluice.sweep.grid.Cells.Cell;
import dev.sluice.sweep.workspace.Grid;
import dev.sluice.sweep.workspace.Grid.Axis;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A sweep's figures: of each measurement its mean over the repeats with its interval, and of each
 * policy its difference to the first one, repeat by repeat. A measurement of which one repeat has
 * no number has none.
 */
final class GridTable {
  static final String POLICY = "scheduler_name";

  private final Grid grid;
  private final Map<Map<String, String>, Map<String, CellResult>> groups = new LinkedHashMap<>();

  /**
   * A figure of a measurement.
   *
   * @param interval its mean with its interval; null: there is no number, and the words say why
   * @param difference whether it is one of two figures, which has no bounds
   */
  record Figure(@Nullable MeanInterval interval, boolean difference, String words) {
    static Figure none(String why) {
      return new Figure(null, false, why);
    }

    /**
     * The figure in words: {@code 12.3 (11.9 to 12.7)}, a difference {@code 1.3 ± 0.4}, or why
     * there is none.
     */
    String text() {
      if (interval == null) {
        return words;
      }
      String mean = Decimals.short3(interval.mean());
      if (!interval.hasEnds()) {
        return mean;
      }
      return difference
          ? mean + " \u00b1 " + Decimals.short3(interval.halfWidth())
          : "%s (%s to %s)"
              .formatted(mean, Decimals.short3(interval.low()), Decimals.short3(interval.high()));
    }
  }

  /** A policy beside the first one of the grid, at equal values of all other keys. */
  record Pair(Map<String, String> values, String first, String figure, Figure difference) {
    /** Which of the two is greater, as far as the interval tells. */
    String verdict() {
      MeanInterval interval = difference.interval();
      if (interval == null || !interval.hasEnds()) {
        return "";
      }
      return interval.low() > 0 ? "greater" : interval.high() < 0 ? "less" : "undecided";
    }

    /** The pair in words: the values, the figure, the difference with its sign, the verdict. */
    List<String> row() {
      List<String> row = new ArrayList<>(values.values());
      MeanInterval interval = difference.interval();
      String sign = interval != null && interval.mean() > 0 ? "+" : "";
      row.addAll(List.of(figure, sign + difference.text(), verdict()));
      return row;
    }
  }

  GridTable(Grid grid, Map<Cell, CellResult> results) {
    this.grid = grid;
    results.forEach(
        (cell, result) -> {
          String repeated = grid.repeatOver();
          Map<String, String> group = repeated == null ? cell.values() : cell.without(repeated);
          String repeat = repeated == null ? "" : cell.values().getOrDefault(repeated, "");
          groups.computeIfAbsent(group, values -> new LinkedHashMap<>()).put(repeat, result);
        });
  }

  /** The keys that are no repeats, each with its values. */
  List<Axis> axes() {
    return grid.axes().stream().filter(axis -> !axis.key().equals(grid.repeatOver())).toList();
  }

  Figure figure(Map<String, String> measurement, String figure) {
    Map<String, CellResult> repeats = groups.get(measurement);
    if (repeats == null) {
      return Figure.none(HeatMap.Field.EXCLUDED.text());
    }
    List<Double> values = new ArrayList<>();
    for (CellResult result : repeats.values()) {
      Double value = result.figure(figure);
      if (value == null) {
        return Figure.none(reason(repeats, figure));
      }
      values.add(value);
    }
    return new Figure(MeanInterval.of(values, Figures.bounds(figure)), false, "");
  }

  /** Why a measurement has no number: the worst state of its repeats, and of how many. */
  private static String reason(Map<String, CellResult> repeats, String figure) {
    for (State state : List.of(State.FAILED, State.NOT_COMPARABLE)) {
      long such = repeats.values().stream().filter(result -> result.state() == state).count();
      if (such > 0) {
        return state.words + ofRepeats(such, repeats.size());
      }
    }
    long without = repeats.values().stream().filter(r -> r.figure(figure) == null).count();
    return "no number" + ofRepeats(without, repeats.size());
  }

  private static String ofRepeats(long such, int all) {
    return all == 1 ? "" : " (" + such + " of " + all + ")";
  }

  /** Each policy beside the first, for each figure; empty without repeats or a second policy. */
  List<Pair> pairs() {
    List<String> policies = Axis.of(axes(), POLICY).map(Axis::texts).orElse(List.of());
    if (grid.repeatOver() == null || policies.size() < 2) {
      return List.of();
    }
    String first = policies.get(0);
    List<Pair> pairs = new ArrayList<>();
    for (Map<String, String> measurement : groups.keySet()) {
      if (first.equals(measurement.get(POLICY))) {
        continue;
      }
      Map<String, String> other = new LinkedHashMap<>(measurement);
      other.put(POLICY, first);
      if (!groups.containsKey(other)) {
        continue; // excluded
      }
      for (String figure : grid.figureNames()) {
        pairs.add(new Pair(measurement, first, figure, difference(measurement, other, figure)));
      }
    }
    return pairs;
  }

  private Figure difference(
      Map<String, String> measurement, Map<String, String> other, String figure) {
    Map<String, CellResult> repeats = groups.getOrDefault(measurement, Map.of());
    Map<String, CellResult> others = groups.getOrDefault(other, Map.of());
    List<Double> differences = new ArrayList<>();
    for (Map.Entry<String, CellResult> repeat : repeats.entrySet()) {
      CellResult one = repeat.getValue();
      CellResult two = others.get(repeat.getKey());
      if (two == null) {
        continue; // excluded there
      }
      Double value = one.figure(figure);
      Double beside = two.figure(figure);
      if (value == null || beside == null) {
        return Figure.none("no number in one of the two");
      }
      if (!one.requestDigest().equals(two.requestDigest())) {
        return Figure.none("not paired: their requests differ");
      }
      differences.add(value - beside);
    }
    return differences.size() < 2
        ? Figure.none("not paired: fewer than two common repeats")
        : new Figure(MeanInterval.of(differences), true, "");
  }

  /** Names of the columns of {@link #rows}: the keys that are no repeats, and the figures. */
  List<String> head() {
    List<String> head = new ArrayList<>();
    axes().forEach(axis -> head.add(axis.key()));
    head.addAll(grid.figureNames());
    return head;
  }

  List<List<String>> rows() {
    List<List<String>> rows = new ArrayList<>();
    for (Map<String, String> measurement : groups.keySet()) {
      List<String> row = new ArrayList<>(measurement.values());
      grid.figureNames().forEach(figure -> row.add(figure(measurement, figure).text()));
      rows.add(row);
    }
    return rows;
  }

  /** The closing table: fixed-width text for a terminal. */
  String render() {
    List<List<String>> rows = new ArrayList<>(List.of(head()));
    rows.addAll(rows());
    var text = new StringBuilder(aligned(rows, axes().size()));
    List<Pair> pairs = pairs();
    if (!pairs.isEmpty()) {
      text.append(String.format(Locale.ROOT, "%ndifference to %s%n", pairs.get(0).first()));
      text.append(aligned(pairs.stream().map(Pair::row).toList(), axes().size() + 1));
    }
    if (grid.repeatOver() != null) {
      text.append(
          String.format(
              Locale.ROOT,
              "%nin brackets, and by \u00b1: %.0f %% interval of the mean over %s, by Student's"
                  + " t%n",
              100 * MeanInterval.CONFIDENCE,
              grid.repeatOver()));
    }
    return text.toString();
  }

  private static String aligned(List<List<String>> rows, int names) {
    return TextTable.fitted(rows, IntStream.range(0, names).boxed().collect(Collectors.toSet()));
  }
}
