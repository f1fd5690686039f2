package dev.sluice.sweep.grid;

import dev.sluice.analytics.live.Html;
import dev.sluice.analytics.plot.HeatMap;
import dev.sluice.analytics.plot.HeatMap.Field;
import dev.sluice.analytics.report.TextTable;
import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.analytics.statistic.MeanInterval;
import dev.sluice.harness.simulate.SimulatedCapacity;
import dev.sluice.sweep.grid.Cells.Cell;
import dev.sluice.sweep.grid.League.Compared;
import dev.sluice.sweep.workspace.Grid;
import dev.sluice.sweep.workspace.Grid.Group;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** A league's tables and pictures, as league.md and as league.html. */
final class LeagueReport {
  private final Grid grid;
  private final Grid.League asked;
  private final List<League> leagues;
  private final List<String> notes;

  /** A table; its first column is a name, the others are numbers or words. */
  private record Table(String title, String note, List<String> head, List<List<String>> rows) {}

  LeagueReport(Grid grid, Grid.League asked, Map<Cell, CellResult> results, List<String> notes) {
    this.grid = grid;
    this.asked = asked;
    leagues = League.of(grid, asked, results);
    this.notes = notes;
  }

  void write(Path folder) throws IOException {
    var markdown = new StringBuilder("# " + grid.name() + "\n\n" + notesText() + "\n");
    Html page = Html.page(grid.name() + ", a league");
    page.element("h1", grid.name()).element("p", notesText());
    Path first = folder.resolve("league.png");
    for (League league : leagues) {
      String variant = league.variant();
      byte[] png = families(league);
      if (league.equals(leagues.get(0))) {
        Files.write(first, png);
      }
      if (!variant.isEmpty()) {
        markdown.append("\n## ").append(variant).append('\n');
        page.element("h2", variant);
      }
      page.picture("Heat map; the tables below have its numbers", png);
      for (Table table : tables(league)) {
        append(markdown, table);
        append(page, table);
      }
    }
    Files.writeString(folder.resolve("league.md"), markdown);
    Files.writeString(folder.resolve("league.html"), page.end());
  }

  /** The first variant's first table, for a terminal. */
  String verdict() {
    Table table = groups(leagues.get(0));
    List<List<String>> rows = new ArrayList<>(List.of(table.head()));
    rows.addAll(table.rows());
    return table.title() + "\n" + table.note() + "\n" + TextTable.fitted(rows, Set.of(0));
  }

  private String notesText() {
    return String.join(". ", notes)
        + ". In brackets: 95 % interval over "
        + grid.repeatOver()
        + ", by Student's t; ratios by the mean of their logarithms.";
  }

  private List<Table> tables(League league) {
    return List.of(groups(league), against(league), shares(league), points(league), cells(league));
  }

  private List<Group> asGroups() {
    List<Group> groups = new ArrayList<>(List.of(new Group("all cells", Set.of(), Set.of())));
    if (!asked.shown().isEmpty()) {
      groups.add(shown());
    }
    groups.addAll(asked.groups());
    return groups;
  }

  private Group shown() {
    return new Group(asked.shown(), Set.of(asked.shown()), Set.of());
  }

  private Table groups(League league) {
    List<List<String>> rows = new ArrayList<>();
    for (Group group : asGroups()) {
      List<String> cells = league.cells(group);
      List<Compared> compared = league.compared(cells);
      if (compared.isEmpty()) {
        continue;
      }
      Compared least =
          compared.stream().min(Comparator.comparingDouble(c -> c.ratio().mean())).orElseThrow();
      rows.add(
          List.of(
              group.name(),
              Integer.toString(compared.size()),
              League.ratio(compared).text(),
              least.ratio().text(),
              count(compared, "ahead")
                  + ", "
                  + count(compared, "undecided")
                  + ", "
                  + count(compared, "behind"),
              number(league.shareOfBound(cells, asked.ours()))));
    }
    return new Table(
        asked.ours() + " beside the best of " + String.join(", ", asked.others()),
        "The ratio of the highest rates at which "
            + goodPercent()
            + " of the jobs are good: geometric mean over the cells, and the least of a cell.",
        List.of("cells", "number", "ratio", "least", "ahead, undecided, behind", "of the bound"),
        rows);
  }

  private String goodPercent() {
    return Decimals.plain(100 * grid.capacity().goodShare()) + " %";
  }

  private static long count(List<Compared> compared, String verdict) {
    return compared.stream().filter(one -> one.ratio().verdict().equals(verdict)).count();
  }

  private Table against(League league) {
    List<List<String>> rows = new ArrayList<>();
    league.compared(league.cells()).stream()
        .filter(one -> one.ratio().mean() < 1)
        .sorted(Comparator.comparingDouble(one -> one.ratio().mean()))
        .forEach(
            one ->
                rows.add(
                    List.of(one.cell(), one.best(), one.ratio().text(), one.ratio().verdict())));
    return new Table(
        "Cells that speak against " + asked.ours(),
        rows.isEmpty() ? "None." : "",
        List.of("cell", "best of the others", "ratio", asked.ours() + " is"),
        rows);
  }

  /** Words that some shown cells have, and not all of them. */
  private Map<String, List<String>> familiesOf(League league) {
    List<String> shown = asked.shown().isEmpty() ? league.cells() : league.cells(shown());
    Map<String, List<String>> families = new LinkedHashMap<>();
    families.put("all", shown);
    for (String word : league.words()) {
      List<String> cells =
          shown.stream().filter(cell -> Grid.League.words(cell).contains(word)).toList();
      if (!cells.isEmpty() && cells.size() < shown.size()) {
        families.put(word, cells);
      }
    }
    return families;
  }

  private Table shares(League league) {
    List<String> policies = league.policies(grid);
    List<String> head = new ArrayList<>(List.of("family", "cells"));
    head.addAll(policies);
    List<List<String>> rows = new ArrayList<>();
    familiesOf(league)
        .forEach(
            (name, cells) -> {
              List<String> row = new ArrayList<>(List.of(name, Integer.toString(cells.size())));
              policies.forEach(policy -> row.add(number(league.shareOfBound(cells, policy))));
              rows.add(row);
            });
    return new Table(
        "Share of the bound by family" + shownText(), "Geometric mean over the cells.", head, rows);
  }

  private String shownText() {
    return asked.shown().isEmpty() ? "" : ", " + asked.shown() + " cells";
  }

  private Table points(League league) {
    List<String> names =
        SimulatedCapacity.figures(grid.capacity().sharesOfBound()).stream()
            .filter(name -> name.startsWith(SimulatedCapacity.GOOD_SHARE_AT))
            .toList();
    List<String> head = new ArrayList<>(List.of("policy"));
    names.forEach(
        name -> head.add("at " + name.substring(SimulatedCapacity.GOOD_SHARE_AT.length())));
    List<String> cells = familiesOf(league).getOrDefault("all", List.of());
    List<List<String>> rows = new ArrayList<>();
    for (String policy : league.policies(grid)) {
      List<String> row = new ArrayList<>(List.of(policy));
      for (String name : names) {
        row.add(
            number(
                cells.stream()
                    .mapToDouble(cell -> League.mean(league.figures(cell, policy, name)))
                    .average()
                    .orElse(Double.NaN)));
      }
      rows.add(row);
    }
    return new Table(
        "Share of good jobs at shares of the bound's rate" + shownText(),
        "Mean over the cells.",
        head,
        rows);
  }

  private Table cells(League league) {
    List<List<String>> rows = new ArrayList<>();
    for (String cell : league.cells()) {
      Compared compared = league.compared(cell);
      List<String> row = new ArrayList<>(List.of(cell));
      row.add(interval(league.figures(cell, asked.ours(), SimulatedCapacity.BOUND)));
      row.add(interval(league.figures(cell, asked.ours(), SimulatedCapacity.CAPACITY)));
      row.add(compared == null ? "" : compared.best());
      row.add(
          compared == null
              ? ""
              : interval(league.figures(cell, compared.best(), SimulatedCapacity.CAPACITY)));
      row.add(compared == null ? "no number" : compared.ratio().text());
      row.add(compared == null ? "" : compared.ratio().verdict());
      rows.add(row);
    }
    return new Table(
        "Cells",
        "Rates in jobs per second.",
        List.of(
            "cell",
            "bound",
            asked.ours(),
            "best of the others",
            "its rate",
            "ratio",
            asked.ours() + " is"),
        rows);
  }

  private static String interval(List<Double> values) {
    return new GridTable.Figure(MeanInterval.of(values), true, "").text();
  }

  private static String number(double share) {
    return Double.isNaN(share) ? "no number" : String.format(Locale.ROOT, "%.3f", share);
  }

  /** The families as a heat map: the share of the bound under each policy. */
  private byte[] families(League league) {
    List<String> policies = league.policies(grid);
    List<String> rows = new ArrayList<>();
    List<List<Field>> fields = new ArrayList<>();
    familiesOf(league)
        .forEach(
            (name, cells) -> {
              rows.add(name + " (" + cells.size() + ")");
              fields.add(
                  policies.stream()
                      .map(policy -> league.shareOfBound(cells, policy))
                      .map(share -> new Field(share, number(share).replace("0.", ".")))
                      .toList());
            });
    String variant = league.variant().isEmpty() ? "" : " \u00b7 " + league.variant();
    return new HeatMap(
            "Highest rate with "
                + goodPercent()
                + " good jobs, as a share of the bound"
                + shownText()
                + variant
                + " \u00b7 simulated",
            asked.policies(),
            "family (cells)",
            policies,
            rows,
            fields)
        .png();
  }

  private static void append(StringBuilder markdown, Table table) {
    markdown.append("\n### ").append(table.title()).append("\n\n");
    if (!table.note().isEmpty()) {
      markdown.append(table.note()).append("\n\n");
    }
    if (table.rows().isEmpty()) {
      return;
    }
    markdown.append("| ").append(String.join(" | ", table.head())).append(" |\n");
    markdown.append("| ").append("--- | ".repeat(table.head().size()).strip()).append('\n');
    table.rows().forEach(row -> markdown.append("| " + String.join(" | ", row) + " |\n"));
  }

  private static void append(Html page, Table table) {
    page.element("h3", table.title()).element("p", table.note());
    if (table.rows().isEmpty()) {
      return;
    }
    GridTable.append(page, table.head(), table.rows(), column -> column > 0);
  }
}
