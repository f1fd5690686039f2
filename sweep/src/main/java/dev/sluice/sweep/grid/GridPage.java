package dev.sluice.sweep.grid;

import dev.sluice.analytics.live.Html;
import dev.sluice.analytics.live.Html.TableCell;
import dev.sluice.analytics.plot.HeatMap;
import dev.sluice.analytics.plot.HeatMap.Field;
import dev.sluice.analytics.statistic.MeanInterval;
import dev.sluice.sweep.grid.Cells.Cell;
import dev.sluice.sweep.grid.GridTable.Figure;
import dev.sluice.sweep.grid.GridTable.Pair;
import dev.sluice.sweep.workspace.Grid;
import dev.sluice.sweep.workspace.Grid.Axis;
import dev.sluice.sweep.workspace.Grid.Setting;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A sweep as one HTML file that asks no other file or address for anything. */
record GridPage(Cells cells, Map<Cell, CellResult> results, GridTable table, List<String> notes) {
  String html(Map<String, byte[]> pictures) {
    Html page = Html.page(cells.grid().name() + ", a sweep").element("h1", cells.grid().name());
    page.raw("<p>").text("Cells of ").raw("<code>").text(cells.grid().base().toString());
    page.raw("</code>. ").text(String.join(". ", notes)).raw("</p>\n");
    pictures.forEach(
        (figure, png) ->
            page.picture("Heat map of " + figure + "; the table below has its numbers", png));
    means(page.element("h2", "Figures"));
    if (!table.pairs().isEmpty()) {
      pairs(page.element("h2", "Policies, repeat by repeat"));
    }
    cells(page.element("h2", "Cells"));
    return page.end();
  }

  private void means(Html page) {
    int names = table.axes().size();
    table(page, table.head(), table.rows(), column -> column >= names);
    if (cells.grid().repeatOver() != null) {
      page.element(
          "p",
          "\u00b1: 95 % interval of the mean over "
              + cells.grid().repeatOver()
              + ", by Student's t.");
    }
  }

  private void pairs(Html page) {
    List<String> head = new ArrayList<>(table.axes().stream().map(Axis::key).toList());
    head.addAll(List.of("figure", "difference to " + table.pairs().get(0).first(), ""));
    int difference = table.axes().size() + 1;
    List<List<String>> rows = table.pairs().stream().map(Pair::row).toList();
    table(page, head, rows, column -> column == difference);
  }

  /**
   * Adds a table.
   *
   * @param isNumber tells whether a column, from 0, stands to the right
   */
  static void table(Html page, List<String> head, List<List<String>> rows, IntPredicate isNumber) {
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

  private void cells(Html page) {
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
