package dev.sluice.sweep.grid;

import dev.sluice.analytics.live.Html;
import dev.sluice.analytics.live.Html.TableCell;
import dev.sluice.sweep.config.Grid.Axis;
import dev.sluice.sweep.grid.GridTable.Pair;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** A sweep as one HTML file that asks no other file or address for anything. */
final class GridPage {
  private final Cells cells;
  private final Map<Cell, CellResult> results;
  private final GridTable table;
  private final List<String> notes;

  /**
   * @param notes what every output of the sweep says first
   */
  GridPage(Cells cells, Map<Cell, CellResult> results, GridTable table, List<String> notes) {
    this.cells = cells;
    this.results = results;
    this.table = table;
    this.notes = notes;
  }

  /** The page's text, with pictures by the figures' names. */
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
}
