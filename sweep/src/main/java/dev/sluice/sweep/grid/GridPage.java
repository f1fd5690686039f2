package dev.sluice.sweep.grid;

import dev.sluice.analytics.live.Html;
import dev.sluice.sweep.config.Grid.Axis;
import dev.sluice.sweep.grid.GridTable.Pair;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;

/** A sweep as one HTML file that asks no other file or address for anything. */
final class GridPage {
  /** The beginning of every page of a sweep. */
  static final String HEAD =
      """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <style>
      :root { color-scheme: light dark; }
      body { font: 16px/1.5 system-ui, sans-serif; max-width: 1200px; margin: 2rem auto; padding: 0 1rem; }
      img { max-width: 100%; height: auto; border-radius: 4px; }
      .wide { overflow-x: auto; }
      table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
      th, td { padding: .25rem .75rem; border-bottom: 1px solid #8886; text-align: left; vertical-align: top; }
      td.number { text-align: right; white-space: nowrap; }
      code { font-size: .9em; overflow-wrap: anywhere; }
      .failed { font-weight: 600; }
      </style>
      """;

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
    var page = new Html();
    page.raw(HEAD).element("title", cells.grid().name() + ", a sweep").raw("</head>\n<body>\n");
    page.element("h1", cells.grid().name());
    page.raw("<p>").text("Cells of ").raw("<code>").text(cells.grid().base().toString());
    page.raw("</code>. ").text(String.join(". ", notes)).raw("</p>\n");
    pictures.forEach(
        (figure, png) ->
            picture(page, "Heat map of " + figure + "; the table below has its numbers", png));
    page.element("h2", "Figures");
    means(page);
    if (!table.pairs().isEmpty()) {
      page.element("h2", "Policies, repeat by repeat");
      pairs(page);
    }
    page.element("h2", "Cells");
    cells(page);
    return page.raw("</body>\n</html>\n").toString();
  }

  /** Adds a picture, with words in its place. */
  static void picture(Html page, String words, byte[] png) {
    page.raw("<p><img alt=\"").text(words);
    page.raw("\" src=\"data:image/png;base64,");
    page.raw(Base64.getEncoder().encodeToString(png)).raw("\"></p>\n");
  }

  private void means(Html page) {
    int names = table.axes().size();
    table(page, table.head(), table.rows(), column -> column >= names);
    if (cells.grid().repeatOver() != null) {
      page.raw("<p>").text("\u00b1: 95 % interval of the mean over ");
      page.text(cells.grid().repeatOver()).text(", by Student's t.").raw("</p>\n");
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
    page.raw("<div class=\"wide\"><table>\n<tr>");
    head.forEach(name -> page.element("th", name));
    page.raw("</tr>\n");
    for (List<String> row : rows) {
      page.raw("<tr>");
      for (int column = 0; column < row.size(); column++) {
        if (isNumber.test(column)) {
          page.raw("<td class=\"number\">").text(row.get(column)).raw("</td>");
        } else {
          page.element("td", row.get(column));
        }
      }
      page.raw("</tr>\n");
    }
    page.raw("</table></div>\n");
  }

  private void cells(Html page) {
    page.raw("<div class=\"wide\"><table>\n<tr>");
    for (String name : List.of("cell", "is", "folder")) {
      page.element("th", name);
    }
    page.raw("</tr>\n");
    results.forEach(
        (cell, result) -> {
          page.raw("<tr>").element("td", cell.name());
          page.raw(result.state() == CellResult.State.DONE ? "<td>" : "<td class=\"failed\">");
          page.text(result.state().words);
          page.text(result.why().isEmpty() ? "" : ": " + result.why()).raw("</td><td><code>");
          page.text("cells/" + cell.id()).raw("</code></td></tr>\n");
        });
    page.raw("</table></div>\n");
  }
}
