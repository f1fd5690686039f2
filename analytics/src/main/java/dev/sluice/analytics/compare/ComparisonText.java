package dev.sluice.analytics.compare;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.analytics.compare.Comparison.Line;
import dev.sluice.analytics.compare.Comparison.Verdict;
import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.analytics.statistic.MeanInterval;
import dev.sluice.analytics.statistic.PairedDifference;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A comparison as text for a terminal and as JSON.
 *
 * @param nameOfA what A is, for people
 * @param nameOfB what B is, for people
 * @param anyway why the two should not be compared, and were by {@code --anyway}; may be empty
 */
public record ComparisonText(
    Comparison comparison,
    ComparedSides sides,
    String nameOfA,
    String nameOfB,
    List<String> anyway) {
  static final List<String> HEADINGS =
      List.of("figure", "A", "B", "B against A", "95 % interval", "verdict on B");

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  public ComparisonText {
    anyway = List.copyOf(anyway);
  }

  /** Fixed-width text for a terminal. */
  public String render() {
    var text = new StringBuilder();
    remarks().forEach(remark -> text.append("! ").append(remark).append('\n'));
    text.append("A  ").append(nameOfA).append('\n');
    text.append("B  ").append(nameOfB).append("\n\n");
    List<List<String>> rows = new ArrayList<>(List.of(HEADINGS));
    comparison.lines().forEach(line -> rows.add(cells(line)));
    int[] widths = new int[HEADINGS.size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    for (List<String> row : rows) {
      var line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        String gap = " ".repeat(widths[i] - row.get(i).length());
        boolean left = i == 0 || i == widths.length - 1;
        line.append(i == 0 ? "" : "  ").append(left ? row.get(i) + gap : gap + row.get(i));
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.append('\n').append(explanation()).append('\n').toString();
  }

  /** What stands before every output: that it was compared anyway, and what the runs were. */
  List<String> remarks() {
    List<String> remarks = new ArrayList<>();
    anyway.forEach(reason -> remarks.add("compared anyway: " + reason));
    remarks.addAll(sides.notes());
    return remarks;
  }

  /** How the table was made. */
  String explanation() {
    return comparison.method()
        + ". *: the primary figure, tested at 5 %; the others together at 5 % (Holm).";
  }

  /** The cells of a figure's row. */
  static List<String> cells(Line line) {
    Sample sample = line.sample();
    PairedDifference difference = sample.difference();
    boolean ratio = line.figure().isRatio();
    MeanInterval interval = difference == null ? null : difference.interval();
    return List.of(
        line.figure().name() + (line.primary() ? " *" : ""),
        number(sample.a()),
        number(sample.b()),
        interval == null ? "-" : change(interval.mean(), ratio),
        interval == null || !interval.hasEnds()
            ? "-"
            : change(interval.low(), ratio) + " to " + change(interval.high(), ratio),
        verdict(line));
  }

  private static String verdict(Line line) {
    String why = line.sample().why();
    if (line.verdict() == Verdict.CANNOT_TELL) {
      return line.verdict().text() + ": " + why;
    }
    if (line.verdict() == Verdict.WITHIN_NOISE) {
      double detectable = line.detectable();
      return line.verdict().text()
          + (detectable > 0
              ? " (4 of 5 would find "
                  + change(detectable, line.figure().isRatio()).substring(1)
                  + ")"
              : " (no difference anywhere)");
    }
    return line.verdict().text();
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

  /** The comparison as JSON. */
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
    try {
      return JSON.writeValueAsString(top) + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree that cannot be written", e);
    }
  }

  private static Map<String, Object> side(String name, List<ComparedRun> runs) {
    Map<String, Object> side = new LinkedHashMap<>();
    side.put("name", name);
    side.put("run_ids", runs.stream().map(run -> run.summary().path("run_id").asText()).toList());
    return side;
  }

  private static Map<String, @Nullable Object> tree(Line line) {
    PairedDifference difference = line.sample().difference();
    boolean ratio = line.figure().isRatio();
    Map<String, @Nullable Object> tree = new LinkedHashMap<>();
    tree.put("a", finite(line.sample().a()));
    tree.put("b", finite(line.sample().b()));
    tree.put("as", ratio ? "ratio" : "difference");
    tree.put("better", line.figure().higherIsBetter() ? "higher" : "lower");
    tree.put("change", difference == null ? null : plain(difference.interval().mean(), ratio));
    tree.put("low", difference == null ? null : plain(difference.interval().low(), ratio));
    tree.put("high", difference == null ? null : plain(difference.interval().high(), ratio));
    tree.put("p", difference == null ? null : finite(difference.p()));
    tree.put("verdict", line.verdict().name().toLowerCase(Locale.ROOT));
    tree.put("why", line.sample().why());
    tree.put("detectable", plain(line.detectable(), ratio));
    return tree;
  }

  /** A difference, or a ratio less 1. */
  private static @Nullable Double plain(double difference, boolean ratio) {
    return finite(ratio ? Math.expm1(difference) : difference);
  }

  private static @Nullable Double finite(double value) {
    return Double.isFinite(value) ? Double.valueOf(value) : null;
  }
}
