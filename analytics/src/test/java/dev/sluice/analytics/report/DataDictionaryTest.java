package dev.sluice.analytics.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.fold.SyntheticRun;
import dev.sluice.contract.experiment.Experiment.Threshold;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The data dictionary in docs/results.md names each column and figure that a run writes. */
final class DataDictionaryTest {
  private static final Path DOCUMENT = Path.of("../docs/results.md");

  @TempDir private Path folder;

  @Test
  void namesEachColumn_inTheOrderOfTheFile() throws IOException {
    report().write(folder);
    assertThat(names("## trace.csv")).containsAll(columns("trace.csv"));
    assertThat(names("## dispatches.csv")).containsAll(columns("dispatches.csv"));
  }

  @Test
  void namesEachFigureOfTheSummary() throws IOException {
    Set<String> unknown = new TreeSet<>();
    List<String> known = names("## summary.json");
    for (String name : report().summary().values().keySet()) {
      String figure = name.replaceFirst("^(all|interactive|batch)_", "");
      if (!known.contains(name) && !known.contains(figure)) {
        unknown.add(name);
      }
    }
    assertThat(unknown).containsOnly("by_class_workload"); // the section's heading names it
  }

  @Test
  void namesWhatStandsInsideFigures() throws IOException {
    Map<String, @Nullable Object> values = report().summary().values();
    List<String> known = names("## summary.json");
    Set<String> inside = new TreeSet<>();
    for (Object byWorkload : map(values.get("by_class_workload")).values()) {
      map(byWorkload).values().forEach(block -> inside.addAll(map(block).keySet()));
    }
    assertThat(inside).isNotEmpty();
    List<Object> predictions = new ArrayList<>(map(values.get("prediction_by_workload")).values());
    predictions.addAll((List<?>) values.get("prediction_over_time"));
    assertThat(predictions).isNotEmpty();
    for (Object block : predictions) {
      map(block).keySet().stream()
          .map(name -> name.endsWith("_s") ? name : "prediction_" + name)
          .forEach(inside::add);
    }
    map(values.get("thresholds")).values().forEach(one -> inside.addAll(map(one).keySet()));
    assertThat(inside).contains("bound", "value", "result", "from_s", "prediction_error_median");
    assertThat(known).containsAll(inside);
  }

  @Test
  void givesEachFigureAnExample() throws IOException {
    List<String> rows = rows("## summary.json");
    assertThat(rows).hasSizeGreaterThan(50);
    for (String row : rows) {
      String[] cells = row.substring(2, row.length() - 2).split("(?<!\\\\) [|] ", -1);
      assertThat(cells).as(row).hasSizeBetween(4, 5).doesNotContain("");
    }
  }

  private static Map<?, ?> asMap(@Nullable Object figure) {
    assertThat(figure).isInstanceOf(Map.class);
    return (Map<?, ?>) figure;
  }

  private static Map<String, Object> map(@Nullable Object figure) {
    Map<String, Object> map = new LinkedHashMap<>();
    asMap(figure).forEach((key, value) -> map.put(String.valueOf(key), value));
    return map;
  }

  private static RunReport report() {
    return SyntheticRun.of(
            SyntheticRun.experiment(
                45, 5, 30, 2, Map.of("all_p99_e2e_ms", new Threshold("<", 500))),
            11)
        .report();
  }

  private List<String> columns(String file) throws IOException {
    return List.of(Files.readAllLines(folder.resolve(file)).get(0).split(",", -1));
  }

  /** The names in the first column of a section's tables. */
  private static List<String> names(String heading) throws IOException {
    List<String> names = new ArrayList<>();
    for (String line : rows(heading)) {
      names.addAll(List.of(line.substring(2, line.indexOf(" |", 2)).split(", ", -1)));
    }
    return names;
  }

  /** The rows of a section's tables, their headings and rules among them. */
  private static List<String> rows(String heading) throws IOException {
    List<String> rows = new ArrayList<>();
    boolean inside = false;
    for (String line : Files.readAllLines(DOCUMENT)) {
      if (line.startsWith("## ")) {
        inside = line.equals(heading);
      } else if (inside && line.startsWith("| ")) {
        rows.add(line);
      }
    }
    return rows;
  }
}
