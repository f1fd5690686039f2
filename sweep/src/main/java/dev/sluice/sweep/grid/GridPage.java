package dev.sluice.sweep.grid;

import dev.sluice.analytics.live.Html;
import dev.sluice.analytics.live.Html.TableCell;
import dev.sluice.sweep.config.Grid.Axis;
import dev.sluice.sweep.config.Grid.Named;
import dev.sluice.sweep.grid.GridTable.Pair;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

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
    List<String> headings = axes();
    cells.grid().figures().forEach(figure -> headings.add(figure.name()));
    List<List<TableCell>> rows = new ArrayList<>();
    for (Map<String, String> measurement : table.measurements()) {
      List<TableCell> row = words(measurement.values());
      for (Named figure : cells.grid().figures()) {
        row.add(TableCell.number(table.figure(measurement, figure.name()).text()));
      }
      rows.add(row);
    }
    page.table(headings, rows);
    if (cells.grid().repeatOver() != null) {
      page.element(
          "p",
          "\u00b1: 95 % interval of the mean over "
              + cells.grid().repeatOver()
              + ", by Student's t.");
    }
  }

  private List<String> axes() {
    return new ArrayList<>(table.axes().stream().map(Axis::key).toList());
  }

  private static List<TableCell> words(Collection<String> texts) {
    return new ArrayList<>(texts.stream().map(TableCell::words).toList());
  }

  private void pairs(Html page) {
    List<String> headings = axes();
    headings.addAll(List.of("figure", "difference to " + table.pairs().get(0).first(), ""));
    List<List<TableCell>> rows = new ArrayList<>();
    for (Pair pair : table.pairs()) {
      List<TableCell> row = words(pair.values().values());
      row.add(TableCell.words(pair.figure()));
      row.add(TableCell.number(GridTable.signed(pair.difference())));
      row.add(TableCell.words(pair.verdict()));
      rows.add(row);
    }
    page.table(headings, rows);
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
