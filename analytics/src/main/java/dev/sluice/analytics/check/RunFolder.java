package dev.sluice.analytics.check;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.Utf8;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * Files of a finished run's folder.
 *
 * @param jobById first row of each id
 * @param batchByKey first row of each shard and dispatch id
 * @param measured jobs of the measured window
 * @param measuredBatches batches that ended measured jobs as done, each once
 * @param loads stays of models, of a run whose lanes have a memory; of any other none
 */
record RunFolder(
    Path path,
    RunConfig config,
    JsonNode summary,
    List<Job> jobs,
    List<Batch> batches,
    Map<String, Job> jobById,
    Map<String, Batch> batchByKey,
    List<Job> measured,
    List<Batch> measuredBatches,
    List<Load> loads) {
  static final String TRACE = "trace.csv";
  static final String DISPATCHES = "dispatches.csv";
  static final String LOADS = "loads.csv";
  static final String SUMMARY = "summary.json";
  static final String CONFIG = "config.yaml";

  /** A name that stands twice has two values, and a reader may choose either. */
  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  /**
   * Reads a folder. A cell that is no number is a fault of its row.
   *
   * @throws UserMistakeException if no run has finished in the folder
   */
  static RunFolder read(Path folder, Findings findings) throws UserMistakeException {
    Path file = folder;
    try {
      file = folder.resolve(SUMMARY);
      JsonNode summary = JSON.readTree(file.toFile());
      file = folder.resolve(CONFIG);
      RunConfig config = RunConfig.parse(Files.readString(file));
      file = folder.resolve(TRACE);
      List<Job> jobs = rows(file, Job::new, findings);
      file = folder.resolve(DISPATCHES);
      List<Batch> batches = rows(file, Batch::new, findings);
      file = folder.resolve(LOADS);
      List<Load> loads = config.hasMemory() ? rows(file, Load::new, findings) : List.of();
      Map<String, Job> jobById = jobs.stream().collect(byKey(job -> job.id));
      Map<String, Batch> batchByKey = batches.stream().collect(byKey(batch -> batch.key));
      List<Job> measured = jobs.stream().filter(Job::isMeasured).toList();
      for (Batch batch : batches) {
        batch.jobs = batch.jobIds.stream().map(jobById::get).filter(Objects::nonNull).toList();
      }
      findings.looked(Rule.FORMAT, (long) jobs.size() + batches.size());
      findings.rows((long) jobs.size() + batches.size());
      return new RunFolder(
          folder,
          config,
          summary,
          jobs,
          batches,
          jobById,
          batchByKey,
          measured,
          measured.stream()
              .filter(Job::isDone)
              .map(job -> batchByKey.get(job.batchKey))
              .filter(batch -> batch != null && batch.ran())
              .distinct()
              .toList(),
          loads);
    } catch (NoSuchFileException | FileNotFoundException e) {
      throw new UserMistakeException(
          folder.toString(),
          "this is no folder of a finished run: it has no (" + file.getFileName() + ")",
          "the run failed or still goes on, or the path is misspelled",
          e);
    } catch (IOException | CsvParseException | YAMLException e) {
      throw new UserMistakeException(
          file.toString(),
          "the file cannot be read (" + UserMistakeException.reason(e) + ")",
          "it was cut short",
          e);
    }
  }

  private static <T> Collector<T, ?, Map<String, T>> byKey(Function<T, String> key) {
    return Collectors.toMap(key, row -> row, (first, second) -> first, HashMap::new);
  }

  boolean decides(String what) {
    for (JsonNode decided : summary.path("scheduler_decides")) {
      if (decided.asText().equals(what)) {
        return true;
      }
    }
    return false;
  }

  private static <T> List<T> rows(Path file, Row.Maker<T> row, Findings findings)
      throws IOException, UserMistakeException {
    List<T> rows = new ArrayList<>();
    try (CsvReader<CsvRecord> csv =
        CsvReader.builder().ofCsvRecord(Files.newBufferedReader(file))) {
      var lines = csv.iterator();
      List<String> header = lines.hasNext() ? lines.next().getFields() : List.of();
      var cells = new Row.Cells(file, header, findings);
      if (header.isEmpty()) {
        row.of(cells); // which names the first column
      }
      while (lines.hasNext()) {
        CsvRecord line = lines.next();
        cells.next(line.getFields(), line.getStartingLineNumber());
        rows.add(row.of(cells));
      }
    } catch (UncheckedIOException e) { // how the CSV reader says that it cannot read on
      if (e.getCause() instanceof CharacterCodingException broken) {
        throw Utf8.mistake(file, broken);
      }
      throw e.getCause();
    }
    return rows;
  }

  boolean wasInterrupted() {
    return summary.path("interrupted").asBoolean(false);
  }

  /**
   * Number of jobs of which the run itself says that no generator sent them, since none ran at
   * their time. That none sent them, only the log shows: a job that is in it and has no row is a
   * fault of its own.
   */
  long neverSent() {
    return summary.path("jobs_never_sent").asLong(0);
  }

  /**
   * Returns whether what the run says explains that this number of jobs is missing. One that does
   * not know the number says that it is not comparable.
   */
  boolean explains(long missing) {
    boolean unknown =
        summary.path("jobs_never_sent").isNull() && !summary.path("not_comparable").isEmpty();
    return unknown || missing <= neverSent();
  }

  /**
   * How far the clocks of the run's processes may be apart, beside the log's whole milliseconds.
   */
  long clockGrainNs() {
    double offsetMs = summary.path("clock_offset_ms_max").asDouble(0);
    return 1_000_000 + Math.round(Math.min(1e6, Math.abs(offsetMs)) * 1e6);
  }

  /** A row of loads.csv: a model's stay in the memory of a lane. */
  static final class Load extends Row {
    final String lane = name("lane_id");
    final long incarnation = count("incarnation");
    final String model = name("workload_name") + "/" + name("backend") + "/" + name("precision");

    /** Memory in bytes. */
    final long bytes = ms("memory_mb");

    final long decidedNs = seconds("decided_time");
    final long startNs = seconds("start_time");
    final long loadedNs = seconds("loaded_time");

    /** End of the stay; {@link Row#NONE}: none is known. */
    final long evictedNs = seconds("evicted_time");

    final String cause = text("cause");

    Load(Cells cells) throws UserMistakeException {
      super(cells);
    }

    @Override
    String words() {
      return "load of (" + model + ")";
    }

    @Override
    String state() {
      return cause;
    }
  }
}
