package dev.sluice.bench;

import dev.sluice.harness.frame.SluiceVersion;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The bench's table and its tree for bench.json.
 *
 * @param origin what was measured, when and where
 * @param readings of each row, in the order of the table; a row without a reading counts as missed
 * @param calibrationsMs time that one fixed loop took before each measurement
 * @param stealShare share of processor time that the hypervisor withheld; null: unknown
 */
public record BenchReport(
    BenchOrigin origin,
    Map<Bench.Row, List<Double>> readings,
    List<Double> calibrationsMs,
    @Nullable Double stealShare) {

  /** Tells whether every row reached its goal. */
  public boolean allMet() {
    return readings.entrySet().stream().allMatch(e -> isMet(e.getKey(), e.getValue()));
  }

  private static boolean isMet(Bench.Row row, List<Double> values) {
    return !values.isEmpty() && row.isMetBy(median(values));
  }

  /** The table, below the line that says what was measured, when and where. */
  public String table() {
    var text = new StringBuilder();
    text.append(String.format(Locale.ROOT, "%n%s%n", origin.text()));
    text.append(
        String.format(
            Locale.ROOT, "%n%-46s %12s %25s %14s%n", "row", "median", "min to max", "goal"));
    readings.forEach(
        (row, values) -> {
          String unit = row.unit().isEmpty() ? "" : " " + row.unit();
          text.append(
              values.isEmpty()
                  ? String.format(Locale.ROOT, "%-46s %12s%n", row.name(), "none")
                  : String.format(
                      Locale.ROOT,
                      "%-46s %12s %25s %14s%s %s%n",
                      row.name(),
                      Bench.Row.text(median(values)),
                      Bench.Row.text(Collections.min(values))
                          + " to "
                          + Bench.Row.text(Collections.max(values)),
                      row.goalText(),
                      unit,
                      isMet(row, values) ? "reached" : "MISSED"));
        });
    text.append(
        String.format(
            Locale.ROOT,
            "%nMachine: %d processors; a fixed loop took %.0f ms in the median, %.0f to %.0f;"
                + " CPU steal %s.",
            Runtime.getRuntime().availableProcessors(),
            median(calibrationsMs),
            Collections.min(calibrationsMs),
            Collections.max(calibrationsMs),
            stealShare == null
                ? "unknown"
                : String.format(Locale.ROOT, "%.1f %%", 100 * stealShare)));
    return text.toString();
  }

  /** The tree of bench.json. Later versions keep its names. */
  public Map<String, Object> toTree() {
    List<Object> rows = new ArrayList<>();
    readings.forEach(
        (row, values) -> {
          Map<String, Object> tree = new LinkedHashMap<>();
          tree.put("name", row.name());
          tree.put("unit", row.unit());
          tree.put("goal", row.goal());
          tree.put("goal_is", row.atLeast() ? "at least" : "at most");
          tree.put("reached", isMet(row, values));
          if (!values.isEmpty()) {
            tree.put("median", median(values));
            tree.put("min", Collections.min(values));
            tree.put("max", Collections.max(values));
          }
          tree.put("readings", values);
          rows.add(tree);
        });
    Map<String, Object> noise = new LinkedHashMap<>();
    noise.put("cpu_steal_share", stealShare);
    noise.put("fixed_loop_ms_median", median(calibrationsMs));
    noise.put("fixed_loop_ms_min", Collections.min(calibrationsMs));
    noise.put("fixed_loop_ms_max", Collections.max(calibrationsMs));
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
