package dev.sluice.analytics.compare;

import dev.sluice.analytics.compare.Comparison.Line;
import dev.sluice.analytics.compare.Comparison.Sample;
import dev.sluice.analytics.compare.Comparison.Verdict;
import dev.sluice.analytics.report.ScreenText;
import dev.sluice.analytics.report.TextTable;
import dev.sluice.analytics.row.Summary;
import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.analytics.statistic.MeanInterval;
import dev.sluice.analytics.statistic.PairedDifference;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A comparison as text for a terminal and as JSON.
 *
 * @param nameOfA what A is, for people
 * @param nameOfB what B is, for people
 * @param anyway why the two should not be compared, and were by {@code --anyway}; may be empty
 * @param bounds values by figure that no scheduler is better than; empty: they are not asked for
 */
public record ComparisonText(
    Comparison comparison,
    ComparedSides sides,
    String nameOfA,
    String nameOfB,
    List<String> anyway,
    Map<String, Double> bounds) {
  private static final int BOUND_COLUMN = 3;

  List<String> headings() {
    return withBound(
        List.of("figure", "A", "B", "change", "95 % interval", "verdict on B"), "bound");
  }

  private List<String> withBound(List<String> cells, String bound) {
    List<String> all = new ArrayList<>(cells);
    if (!bounds.isEmpty()) {
      all.add(BOUND_COLUMN, bound);
    }
    return all;
  }

  /** Text for a terminal: the verdict on the primary figure, and a row for each figure. */
  public String render() {
    var text = new StringBuilder();
    remarks().forEach(remark -> text.append(ScreenText.wrapped("! ", remark)).append('\n'));
    text.append("A  ").append(nameOfA).append('\n');
    text.append("B  ").append(nameOfB).append("\n\n");
    Line primary = comparison.lines().get(0);
    fact(
        text,
        "verdict",
        switch (primary.verdict()) {
              case BETTER -> "B is better in ";
              case WORSE -> "B is worse in ";
              case WITHIN_NOISE -> "no difference found in ";
              case CANNOT_TELL -> "nothing can be told of ";
            }
            + primary.figure().name());
    text.append('\n').append(table()).append('\n');
    comparison.lines().stream()
        .filter(line -> line.verdict() == Verdict.CANNOT_TELL)
        .forEach(
            line -> fact(text, "cannot tell", line.figure().name() + ": " + line.sample().why()));
    String hidden =
        comparison.lines().stream()
            .filter(line -> line.verdict() == Verdict.WITHIN_NOISE && line.detectable() > 0)
            .map(line -> line.figure().name() + " " + detectable(line))
            .collect(Collectors.joining(", "));
    if (!hidden.isEmpty()) {
      fact(
          text,
          "within noise",
          "no difference found; a true one of this size is found 4 times in 5: " + hidden);
    }
    return text.append(ScreenText.wrapped("", explanation())).append('\n').toString();
  }

  private static void fact(StringBuilder text, String name, String what) {
    text.append(ScreenText.labeled("", name, what)).append('\n');
  }

  private String table() {
    List<List<String>> rows = new ArrayList<>(List.of(headings()));
    String group = "";
    for (Line line : comparison.lines()) {
      List<String> cells = cells(line);
      cells.set(cells.size() - 1, line.verdict().text());
      String ofClass = line.primary() ? "" : nameOfClass(line.figure());
      if (!ofClass.isEmpty()) {
        if (!ofClass.equals(group)) {
          rows.add(withBound(List.of(ofClass, "", "", "", "", ""), ""));
        }
        cells.set(0, "  " + cells.get(0).substring(ofClass.length() + 1));
      }
      group = ofClass;
      rows.add(cells);
    }
    return TextTable.fitted(rows, Set.of(0, headings().size() - 1));
  }

  /** The class that a figure is of; empty: it is of all jobs, of a workload or of the whole run. */
  private static String nameOfClass(HeadlineFigure figure) {
    String scope = figure.scope();
    return scope.endsWith("_") && !scope.equals("all_")
        ? scope.substring(0, scope.length() - 1)
        : "";
  }

  /** What stands before every output: that it was compared anyway, and what the runs were. */
  List<String> remarks() {
    List<String> remarks = new ArrayList<>();
    anyway.forEach(reason -> remarks.add("compared anyway: " + reason));
    remarks.addAll(sides.notes());
    return remarks;
  }

  String explanation() {
    return comparison.method()
        + ". *: the primary figure, tested at 5 %; the others together at 5 % (Holm)."
        + (bounds.isEmpty()
            ? ""
            : " bound: no scheduler has more goodput or fewer violations, with A's requests and"
                + " lanes.");
  }

  List<String> cells(Line line) {
    Sample sample = line.sample();
    PairedDifference difference = sample.difference();
    boolean ratio = line.figure().isRatio();
    MeanInterval interval = difference == null ? null : difference.interval();
    Double bound = bounds.get(line.figure().name());
    return withBound(
        List.of(
            line.figure().name() + (line.primary() ? " *" : ""),
            number(sample.a()),
            number(sample.b()),
            interval == null ? "-" : change(interval.mean(), ratio),
            interval == null || !interval.hasEnds()
                ? "-"
                : (ratio
                        ? change(interval.low(), true).replace(" %", "")
                        : change(interval.low(), false))
                    + " to "
                    + change(interval.high(), ratio),
            verdict(line)),
        bound == null ? "" : number(bound));
  }

  private static String verdict(Line line) {
    String why = line.sample().why();
    if (line.verdict() == Verdict.CANNOT_TELL) {
      return line.verdict().text() + ": " + why;
    }
    if (line.verdict() == Verdict.WITHIN_NOISE) {
      return line.verdict().text()
          + (line.detectable() > 0
              ? " (one of " + detectable(line) + " is found 4 times in 5)"
              : " (no difference anywhere)");
    }
    return line.verdict().text();
  }

  /** The true difference that four of five comparisons like this one find. */
  private static String detectable(Line line) {
    return change(line.detectable(), line.figure().isRatio()).substring(1);
  }

  private static String number(double value) {
    return Double.isNaN(value) ? "none" : Decimals.short3(value);
  }

  /** A difference with its sign: of a ratio, whose logarithm it is, in per cent. */
  private static String change(double difference, boolean ratio) {
    String sign = difference < 0 ? "-" : "+";
    if (!ratio) {
      return sign + Decimals.short3(Math.abs(difference));
    }
    return sign + Decimals.short3(100 * Math.abs(Math.expm1(difference))) + " %";
  }

  public String toJson() {
    Map<String, @Nullable Object> top = new LinkedHashMap<>();
    top.put("a", side(nameOfA, sides.a()));
    top.put("b", side(nameOfB, sides.b()));
    top.put("pairs", sides.pairs().size());
    top.put("method", comparison.method());
    top.put("confidence", MeanInterval.CONFIDENCE);
    top.put("compared_anyway", anyway);
    top.put("notes", sides.notes());
    top.put("primary", comparison.lines().get(0).figure().name());
    Map<String, Object> figures = new LinkedHashMap<>();
    comparison.lines().forEach(line -> figures.put(line.figure().name(), tree(line)));
    top.put("figures", figures);
    return Summary.json(top);
  }

  private static Map<String, Object> side(String name, List<ComparedRun> runs) {
    Map<String, Object> side = new LinkedHashMap<>();
    side.put("name", name);
    side.put("run_ids", runs.stream().map(run -> run.summary().path("run_id").asText()).toList());
    return side;
  }

  private Map<String, @Nullable Object> tree(Line line) {
    PairedDifference difference = line.sample().difference();
    boolean ratio = line.figure().isRatio();
    Map<String, @Nullable Object> tree = new LinkedHashMap<>();
    tree.put("a", line.sample().a());
    tree.put("b", line.sample().b());
    if (!bounds.isEmpty()) {
      tree.put("bound", bounds.get(line.figure().name()));
    }
    tree.put("as", ratio ? "ratio" : "difference");
    tree.put("better", line.figure().higherIsBetter() ? "higher" : "lower");
    tree.put("change", difference == null ? null : plain(difference.interval().mean(), ratio));
    tree.put("low", difference == null ? null : plain(difference.interval().low(), ratio));
    tree.put("high", difference == null ? null : plain(difference.interval().high(), ratio));
    tree.put("p", difference == null ? null : difference.p());
    tree.put("verdict", line.verdict().name().toLowerCase(Locale.ROOT));
    tree.put("why", line.sample().why());
    tree.put("detectable", plain(line.detectable(), ratio));
    return tree;
  }

  /** A difference, or a ratio less 1. */
  private static double plain(double difference, boolean ratio) {
    return ratio ? Math.expm1(difference) : difference;
  }
}
