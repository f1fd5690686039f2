package dev.sluice.sweep.grid;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.sluice.analytics.figure.Figures;
import dev.sluice.analytics.live.Html;
import dev.sluice.analytics.live.Html.TableCell;
import dev.sluice.analytics.plot.HeatMap;
import dev.sluice.analytics.plot.HeatMap.Field;
import dev.sluice.analytics.report.TextTable;
import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.analytics.statistic.MeanInterval;
import dev.sluice.sweep.grid.CellResult.State;
import dev.sluice.sweep.grid.Cells.Cell;
import dev.sluice.sweep.workspace.Grid;
import dev.sluice.sweep.workspace.Grid.Axis;
import dev.sluice.sweep.workspace.Grid.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A sweep's figures, as text, as rows of a file, as a page and as pictures: of each measurement its
 * mean over the repeats with its interval, and of each policy its difference to the first one,
 * repeat by repeat. A measurement of which one repeat has no number has none.
 */
final class GridTable {
  static final String POLICY = "scheduler_name";

  private final Grid grid;
  private final Map<Cell, CellResult> results;

  /** Results by the values without the repeat's, and by the repeat. */
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
    this.results = results;
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
    Map<String, CellResult> others = groups.getOrDefault(other, Map.of());
    List<Double> differences = new ArrayList<>();
    for (Map.Entry<String, CellResult> repeat :
        groups.getOrDefault(measurement, Map.of()).entrySet()) {
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
  private List<String> head() {
    List<String> head = new ArrayList<>();
    axes().forEach(axis -> head.add(axis.key()));
    head.addAll(grid.figureNames());
    return head;
  }

  private List<List<String>> rows() {
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

  /** The sweep as one HTML file that asks no other file or address for anything. */
  String html(Map<String, byte[]> pictures, List<String> notes) {
    Html page = Html.page(grid.name() + ", a sweep").element("h1", grid.name());
    page.raw("<p>").text("Cells of ").raw("<code>").text(grid.base().toString());
    page.raw("</code>. ").text(String.join(". ", notes)).raw("</p>\n");
    pictures.forEach(
        (figure, png) ->
            page.picture("Heat map of " + figure + "; the table below has its numbers", png));
    int names = axes().size();
    append(page.element("h2", "Figures"), head(), rows(), column -> column >= names);
    if (grid.repeatOver() != null) {
      page.element(
          "p", "\u00b1: 95 % interval of the mean over " + grid.repeatOver() + ", by Student's t.");
    }
    List<Pair> pairs = pairs();
    if (!pairs.isEmpty()) {
      List<String> head = new ArrayList<>(axes().stream().map(Axis::key).toList());
      head.addAll(List.of("figure", "difference to " + pairs.get(0).first(), ""));
      append(
          page.element("h2", "Policies, repeat by repeat"),
          head,
          pairs.stream().map(Pair::row).toList(),
          column -> column == names + 1);
    }
    appendCells(page.element("h2", "Cells"));
    return page.end();
  }

  /**
   * Adds a table.
   *
   * @param isNumber tells whether a column, from 0, stands to the right
   */
  static void append(Html page, List<String> head, List<List<String>> rows, IntPredicate isNumber) {
    page.table(head, rows.stream().map(row -> row(row, isNumber)).toList());
  }

  private static List<TableCell> row(List<String> texts, IntPredicate isNumber) {
    return IntStream.range(0, texts.size())
        .mapToObj(
            column ->
                isNumber.test(column)
                    ? TableCell.number(texts.get(column))
                    : TableCell.words(texts.get(column)))
        .toList();
  }

  private void appendCells(Html page) {
    List<List<TableCell>> rows = new ArrayList<>();
    results.forEach(
        (cell, result) -> {
          String why = result.why().isEmpty() ? "" : ": " + result.why();
          String kind = result.state() == CellResult.State.DONE ? "" : "failed";
          rows.add(
              List.of(
                  TableCell.words(cell.name()),
                  TableCell.words(kind, result.state().words + why),
                  TableCell.words("file", "cells/" + cell.id())));
        });
    page.table(List.of("cell", "is", "folder"), rows);
  }

  /** Writes a row for each cell. */
  void writeCsv(Path file) throws IOException {
    List<String> figures = grid.figureNames();
    try (CsvWriter csv =
        CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(Files.newBufferedWriter(file))) {
      List<String> head = new ArrayList<>();
      grid.axes().stream().map(Axis::key).forEach(head::add);
      head.addAll(List.of("state", "why"));
      head.addAll(figures);
      head.addAll(List.of("request_digest", "key", "folder"));
      csv.writeRecord(head);
      for (Map.Entry<Cell, CellResult> one : results.entrySet()) {
        Cell cell = one.getKey();
        CellResult result = one.getValue();
        List<String> row = new ArrayList<>(cell.values().values());
        row.addAll(List.of(result.state().words, result.why()));
        for (String figure : figures) {
          Double value = result.figure(figure);
          row.add(value == null ? "" : Decimals.plain(value));
        }
        row.addAll(List.of(result.requestDigest(), cell.key(), "cells/" + cell.id()));
        csv.writeRecord(row);
      }
    }
  }

  /** A heat map of each figure of a sweep, over all keys that have more than one value. */
  static final class GridPictures {
    private final GridTable table;
    private final Axis columnAxis;
    private final List<Axis> rowAxes;

    /** The keys that tell rows apart. */
    private final List<Axis> named;

    GridPictures(GridTable table) {
      this.table = table;
      List<Axis> axes = table.axes();
      columnAxis =
          axes.stream()
              .filter(axis -> axis.values().size() > 1)
              .reduce((before, last) -> last)
              .orElse(axes.isEmpty() ? new Axis("", List.of()) : axes.get(0));
      rowAxes = axes.stream().filter(axis -> !axis.equals(columnAxis)).toList();
      named = rowAxes.stream().filter(axis -> axis.values().size() > 1).toList();
    }

    byte[] png(String figure, String title) {
      List<String> columns = columnAxis.texts();
      boolean nameless = columns.isEmpty(); // the only key is the repeats'
      List<String> rows = new ArrayList<>();
      List<List<Field>> fields = new ArrayList<>();
      for (Map<String, Setting> combination : Grid.crossed(rowAxes)) {
        Map<String, String> row = Grid.texts(combination);
        rows.add(
            named.stream()
                .map(axis -> row.getOrDefault(axis.key(), ""))
                .collect(Collectors.joining(", ")));
        fields.add(
            nameless
                ? List.of(field(row, figure))
                : columns.stream().map(column -> field(in(row, column), figure)).toList());
      }
      return new HeatMap(
              title,
              columnAxis.key(),
              named.stream().map(Axis::key).collect(Collectors.joining(", ")),
              nameless ? List.of("all") : columns,
              rows,
              fields)
          .png();
    }

    private Map<String, String> in(Map<String, String> row, String column) {
      Map<String, String> measurement = new HashMap<>(row);
      measurement.put(columnAxis.key(), column);
      return measurement;
    }

    private Field field(Map<String, String> measurement, String name) {
      Figure figure = table.figure(measurement, name);
      MeanInterval interval = figure.interval();
      return interval == null
          ? new Field(Double.NaN, figure.words())
          : new Field(interval.mean(), figure.text().replace(" (", "\n("));
    }
  }
}
