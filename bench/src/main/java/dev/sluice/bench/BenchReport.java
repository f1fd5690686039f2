package dev.sluice.bench;

import dev.sluice.harness.frame.SluiceVersion;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The bench's table, as text, as Markdown, and as the tree of bench.json.
 *
 * @param origin what was measured, when and where
 * @param readings of each row, in the order of the table
 * @param loopsMs time that one fixed loop took before each measurement; goals count by the median
 * @param stealShare share of processor time that the hypervisor withheld; null: unknown
 */
record BenchReport(
    BenchOrigin origin,
    Map<Bench.Row, List<Double>> readings,
    List<Double> loopsMs,
    @Nullable Double stealShare) {

  /** Tells whether no row missed its goal. */
  boolean isNoneMissed() {
    return readings.keySet().stream().noneMatch(row -> verdict(row).equals("MISSED"));
  }

  /** Returns {@code reached}, {@code MISSED}, or the peer that is missing. */
  private String verdict(Bench.Row row) {
    List<Double> values = values(row);
    if (values.isEmpty() && row.peer() != null) {
      return row.peer() + " is missing";
    }
    boolean met = !values.isEmpty() && row.isMetBy(median(values), median(loopsMs));
    return met ? "reached" : "MISSED";
  }

  private List<Double> values(Bench.Row row) {
    return readings.getOrDefault(row, List.of());
  }

  private String goalText(Bench.Row row) {
    String text = (row.atLeast() ? "at least " : "at most ") + row.text(row.goal(median(loopsMs)));
    if (!row.scaled()) {
      return text;
    }
    String by = row.unit().endsWith("/s") ? " a fixed loop" : " fixed loops";
    return text
        + " ("
        + BigDecimal.valueOf(row.bound()).stripTrailingZeros().toPlainString()
        + by
        + ")";
  }

  /** The table, below the line that says what was measured, when and where. */
  String table() {
    var text = new StringBuilder();
    text.append(String.format(Locale.ROOT, "%n%s%n", origin.text()));
    text.append(
        String.format(
            Locale.ROOT, "%n%-30s %16s %22s  %-44s%n", "row", "median", "min to max", "goal"));
    for (Bench.Row row : readings.keySet()) {
      List<Double> values = values(row);
      String range =
          values.size() < 2
              ? ""
              : Bench.Row.number(Collections.min(values))
                  + " to "
                  + Bench.Row.number(Collections.max(values));
      text.append(
          String.format(
              Locale.ROOT,
              "%-30s %16s %22s  %-44s %s%n",
              row.name(),
              medianText(row),
              range,
              goalText(row),
              verdict(row)));
    }
    text.append(String.format(Locale.ROOT, "%nMachine: %s", machineText()));
    return text.toString();
  }

  /** The table in Markdown, with the commit, the date and the machine. */
  String markdown() {
    var text = new StringBuilder();
    text.append(origin.text()).append(".\n");
    text.append("The machine: ").append(machineText()).append("\n\n");
    text.append("| row | measured | goal | |\n| --- | --- | --- | --- |\n");
    for (Bench.Row row : readings.keySet()) {
      text.append(
          String.format(
              Locale.ROOT,
              "| %s | %s | %s | %s |%n",
              row.name(),
              medianText(row),
              goalText(row),
              verdict(row).toLowerCase(Locale.ROOT).replace("missed", "**missed**")));
    }
    return text.toString();
  }

  private String medianText(Bench.Row row) {
    return values(row).isEmpty() ? "none" : row.text(median(values(row)));
  }

  private String machineText() {
    return String.format(
        Locale.ROOT,
        "%d processors; a fixed loop took %.0f ms in the median, %.0f to %.0f; CPU steal %s.",
        Runtime.getRuntime().availableProcessors(),
        median(loopsMs),
        Collections.min(loopsMs),
        Collections.max(loopsMs),
        stealShare == null ? "unknown" : String.format(Locale.ROOT, "%.1f %%", 100 * stealShare));
  }

  /** The tree of bench.json. Later versions keep its names. */
  Map<String, Object> toTree() {
    double loopMs = median(loopsMs);
    List<Object> rows = new ArrayList<>();
    for (Bench.Row row : readings.keySet()) {
      List<Double> values = values(row);
      Map<String, Object> tree = new LinkedHashMap<>();
      tree.put("name", row.name());
      tree.put("unit", row.unit());
      tree.put("goal", row.goal(loopMs));
      tree.put("goal_is", row.atLeast() ? "at least" : "at most");
      if (row.scaled()) {
        tree.put("goal_loops", row.bound());
      }
      tree.put("reached", verdict(row).equals("reached"));
      if (!values.isEmpty()) {
        tree.put("median", median(values));
        tree.put("min", Collections.min(values));
        tree.put("max", Collections.max(values));
      }
      tree.put("readings", values);
      rows.add(tree);
    }
    Map<String, Object> noise = new LinkedHashMap<>();
    noise.put("cpu_steal_share", stealShare);
    noise.put("fixed_loop_ms_median", loopMs);
    noise.put("fixed_loop_ms_min", Collections.min(loopsMs));
    noise.put("fixed_loop_ms_max", Collections.max(loopsMs));
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("sluice", SluiceVersion.current());
    tree.put("commit", origin.commit());
    tree.put("date", origin.date().toString());
    tree.put("machine", origin.machine());
    tree.put("java", Runtime.version().toString());
    tree.put("processors", Runtime.getRuntime().availableProcessors());
    tree.put("noise", noise);
    tree.put("rows", rows);
    return tree;
  }

  private static double median(List<Double> values) {
    List<Double> sorted = new ArrayList<>(values);
    Collections.sort(sorted);
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }
}
