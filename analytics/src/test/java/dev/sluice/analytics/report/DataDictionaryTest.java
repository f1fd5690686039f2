package dev.sluice.analytics.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.fold.SyntheticRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
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

  private static RunReport report() {
    return SyntheticRun.of(SyntheticRun.experiment(45, 5, 30, 2, Map.of()), 11).report();
  }

  private List<String> columns(String file) throws IOException {
    return List.of(Files.readAllLines(folder.resolve(file)).get(0).split(",", -1));
  }

  /** The names in the first column of a section's tables. */
  private static List<String> names(String heading) throws IOException {
    List<String> names = new ArrayList<>();
    boolean inside = false;
    for (String line : Files.readAllLines(DOCUMENT)) {
      if (line.startsWith("## ")) {
        inside = line.equals(heading);
      } else if (inside && line.startsWith("| ")) {
        names.addAll(List.of(line.substring(2, line.indexOf(" |", 2)).split(", ", -1)));
      }
    }
    return names;
  }
}
