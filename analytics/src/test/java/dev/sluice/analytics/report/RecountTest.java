package dev.sluice.analytics.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.sluice.analytics.fold.SyntheticRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A second, naive count of the written tables: it shares no code with the figures. */
final class RecountTest {
  private static final double WINDOW_SECONDS = 25;

  @TempDir Path folder;

  @Test
  void findsTheFiguresOfTheSummaryInTheTables() throws IOException {
    SyntheticRun.of(SyntheticRun.experiment(45, 5, 30, 2, Map.of()), 11).report().write(folder);
    JsonNode summary = new ObjectMapper().readTree(folder.resolve("summary.json").toFile());
    List<NamedCsvRecord> trace = read("trace.csv");
    List<NamedCsvRecord> measured =
        trace.stream().filter(row -> is(row, "phase", "measured")).toList();
    assertThat(measured).hasSizeGreaterThan(1000);
    check(summary, "all", measured, trace);
    for (String classType : List.of("interactive", "batch")) {
      check(
          summary,
          classType,
          measured.stream().filter(row -> is(row, "class_type", classType)).toList(),
          trace.stream().filter(row -> is(row, "class_type", classType)).toList());
    }
    checkLoop(summary, measured);
    checkLanes(summary, read("dispatches.csv"));
    checkBounds(summary, measured, read("dispatches.csv"));
  }

  private static void checkBounds(
      JsonNode summary, List<NamedCsvRecord> measured, List<NamedCsvRecord> dispatches) {
    Set<String> ended =
        measured.stream()
            .filter(row -> is(row, "status", "done"))
            .map(row -> row.getField("dispatch_id"))
            .collect(Collectors.toSet());
    List<NamedCsvRecord> judged =
        dispatches.stream().filter(row -> ended.contains(row.getField("dispatch_id"))).toList();
    assertThat(judged).hasSizeGreaterThan(1000);
    for (String bound : List.of("p95", "p99")) {
      long misses =
          judged.stream()
              .filter(row -> number(row, "service_ms") > number(row, "predicted_" + bound + "_ms"))
              .count();
      assertThat(misses).isPositive();
      equal(summary, "prediction_" + bound + "_miss_rate", (double) misses / judged.size());
    }
  }

  private static void check(
      JsonNode summary, String name, List<NamedCsvRecord> rows, List<NamedCsvRecord> allPhases) {
    List<NamedCsvRecord> done = rows.stream().filter(row -> is(row, "status", "done")).toList();
    equal(summary, name + "_count", rows.size());
    equal(summary, name + "_done", done.size());
    equal(summary, name + "_slo_violations", sum(rows, "slo_violation"));
    equal(summary, name + "_avg_e2e_ms", sum(done, "e2e_ms") / done.size());
    equal(summary, name + "_avg_wait_ms", sum(done, "wait_ms") / done.size());
    equal(summary, name + "_avg_service_ms", sum(done, "service_ms") / done.size());
    double[] sorted = column(done, "e2e_ms").sorted().toArray();
    for (int percent : new int[] {50, 95, 99}) {
      int rank = (int) Math.ceil(percent * rows.size() / 100.0);
      JsonNode figure = summary.get(name + "_p" + percent + "_e2e_ms");
      if (rank > sorted.length) {
        assertThat(figure.isNull()).as("p" + percent).isTrue();
      } else {
        assertThat(figure.asDouble()).isCloseTo(sorted[rank - 1], within(1e-9));
      }
    }
    List<NamedCsvRecord> inside =
        allPhases.stream()
            .filter(row -> is(row, "status", "done"))
            .filter(row -> number(row, "end_time") >= 5 && number(row, "end_time") < 30)
            .toList();
    equal(summary, name + "_throughput_sps", sum(inside, "batch_size") / WINDOW_SECONDS);
    equal(
        summary,
        name + "_goodput_jobs_sec",
        inside.stream().filter(row -> is(row, "slo_violation", "0")).count() / WINDOW_SECONDS);
  }

  private static void checkLoop(JsonNode summary, List<NamedCsvRecord> measured) {
    double[] hops =
        measured.stream()
            .filter(row -> is(row, "status", "done"))
            .filter(row -> number(row, "decided_time") <= number(row, "appended_time"))
            .mapToDouble(row -> number(row, "wait_ms"))
            .sorted()
            .toArray();
    assertThat(hops).hasSizeGreaterThan(10);
    equal(summary, "hop_count", hops.length);
    equal(summary, "hop_p50_ms", hops[(int) Math.ceil(hops.length / 2.0) - 1]);
  }

  private static void checkLanes(JsonNode summary, List<NamedCsvRecord> dispatches) {
    double busySeconds = 0;
    for (NamedCsvRecord row : dispatches) {
      double from = Math.max(5, number(row, "start_time"));
      double to = Math.min(30, number(row, "end_time"));
      busySeconds += Math.max(0, to - from);
    }
    assertThat(summary.get("lane_use").asDouble())
        .isCloseTo(busySeconds / (2 * WINDOW_SECONDS), within(1e-5));
  }

  private List<NamedCsvRecord> read(String name) throws IOException {
    try (var csv = CsvReader.builder().ofNamedCsvRecord(folder.resolve(name));
        Stream<NamedCsvRecord> rows = csv.stream()) {
      return rows.toList();
    }
  }

  private static void equal(JsonNode summary, String name, double expected) {
    assertThat(summary.get(name).asDouble()).as(name).isCloseTo(expected, within(1e-6));
  }

  private static boolean is(NamedCsvRecord row, String column, String value) {
    return row.getField(column).equals(value);
  }

  private static double number(NamedCsvRecord row, String column) {
    return Double.parseDouble(row.getField(column));
  }

  private static java.util.stream.DoubleStream column(List<NamedCsvRecord> rows, String column) {
    return rows.stream().mapToDouble(row -> number(row, column));
  }

  private static double sum(List<NamedCsvRecord> rows, String column) {
    return column(rows, column).sum();
  }
}
