package dev.sluice.analytics.check;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.sluice.contract.file.UserMistakeException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;

/** Files of a finished run's folder. */
record RunFolder(
    List<Row> jobs, List<Row> dispatches, JsonNode summary, Map<String, Object> config) {
  /** A line of a table. */
  record Row(String file, NamedCsvRecord fields) {
    String text(String column) {
      return fields.getField(column);
    }

    boolean is(String column, String value) {
      return text(column).equals(value);
    }

    /** The field as a number; NaN if it is empty or no number. */
    double number(String column) {
      try {
        return Double.parseDouble(text(column));
      } catch (NumberFormatException e) {
        return Double.NaN;
      }
    }

    String where() {
      return file + ":" + fields.getStartingLineNumber();
    }
  }

  static final String TRACE = "trace.csv";
  static final String DISPATCHES = "dispatches.csv";
  private static final List<String> TRACE_COLUMNS =
      List.of(
          "job_id",
          "class_type",
          "workload_name",
          "backend",
          "precision",
          "batch_size",
          "enqueue_time",
          "start_time",
          "end_time",
          "wait_ms",
          "service_ms",
          "e2e_ms",
          "slo_ms",
          "slo_violation",
          "phase",
          "status",
          "reason",
          "dispatch_id",
          "sent_time",
          "appended_time",
          "observed_time",
          "shard");
  private static final List<String> DISPATCH_COLUMNS =
      List.of(
          "dispatch_id",
          "lane_id",
          "job_ids",
          "samples",
          "tokens",
          "attempt",
          "result",
          "decided_time",
          "start_time",
          "end_time",
          "completed_time",
          "shard");

  /**
   * @throws UserMistakeException if no run has finished in the folder
   */
  static RunFolder read(Path folder) throws UserMistakeException {
    Path file = folder;
    try {
      file = folder.resolve("summary.json");
      JsonNode summary = new ObjectMapper().readTree(file.toFile());
      file = folder.resolve("config.yaml");
      Map<String, Object> config =
          new Yaml(new SafeConstructor(new LoaderOptions())).load(Files.readString(file));
      file = folder.resolve(TRACE);
      List<Row> jobs = rows(file, TRACE_COLUMNS);
      file = folder.resolve(DISPATCHES);
      return new RunFolder(jobs, rows(file, DISPATCH_COLUMNS), summary, config);
    } catch (NoSuchFileException | FileNotFoundException e) {
      throw new UserMistakeException(
          folder.toString(),
          "this is no folder of a finished run: it has no (" + file.getFileName() + ")",
          "the run failed or still goes on, or the path is misspelled",
          e);
    } catch (IOException | CsvParseException | YAMLException e) {
      throw new UserMistakeException(
          file.toString(),
          "the file cannot be read (" + e.getMessage() + ")",
          "it was cut short",
          e);
    }
  }

  private static List<Row> rows(Path file, List<String> columns)
      throws IOException, UserMistakeException {
    List<Row> rows = new ArrayList<>();
    String name = String.valueOf(file.getFileName());
    try (CsvReader<NamedCsvRecord> csv = CsvReader.builder().ofNamedCsvRecord(file)) {
      for (NamedCsvRecord line : csv) {
        if (rows.isEmpty()) {
          for (String column : columns) {
            if (line.findField(column).isEmpty()) {
              throw new UserMistakeException(
                  file + ":1",
                  "column (" + column + ") is missing",
                  "another program has written the file");
            }
          }
        }
        rows.add(new Row(name, line));
      }
    }
    return rows;
  }

  /** A value of the config; null if it has none. */
  @Nullable Object config(String section, String key) {
    return config.get(section) instanceof Map<?, ?> map ? map.get(key) : null;
  }

  double configNumber(String section, String key) {
    return config(section, key) instanceof Number number ? number.doubleValue() : Double.NaN;
  }

  boolean configFlag(String section, String key) {
    return Boolean.TRUE.equals(config(section, key));
  }
}
