package dev.sluice.analytics.folder;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.ModelKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The folder of a finished run, live or simulated.
 *
 * @param summary the tree of summary.json
 */
public record FinishedRun(Path folder, JsonNode summary) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Says whether a path is the folder of a finished run, or of repeats of one. */
  public static boolean isFolder(Path path) {
    return Files.isRegularFile(path.resolve(FolderFiles.SUMMARY));
  }

  /**
   * Lists the folders of single runs: the folder itself, or those of its repeats by name.
   *
   * @throws UserMistakeException if the folder of repeats cannot be listed
   */
  public static List<Path> folders(Path folder) throws UserMistakeException {
    if (!Files.isRegularFile(folder.resolve(FolderFiles.REPEATS))) {
      return List.of(folder);
    }
    try (Stream<Path> children = Files.list(folder)) {
      return children.filter(Files::isDirectory).sorted().toList();
    } catch (IOException e) {
      throw unreadable(folder, e);
    }
  }

  /**
   * Reads the folder that a user named.
   *
   * @throws UserMistakeException if no run has finished in it, or its summary.json cannot be read
   */
  public static FinishedRun read(Path folder) throws UserMistakeException {
    if (!isFolder(folder)) {
      throw new UserMistakeException(
          folder.toString(),
          "this is no folder of a finished run: it has no summary.json",
          "you meant one below results");
    }
    try {
      return of(folder);
    } catch (IOException e) {
      throw unreadable(folder.resolve(FolderFiles.SUMMARY), e);
    }
  }

  /**
   * Reads the folder that a run of this program has just left.
   *
   * @throws IOException if its summary.json is missing or cannot be read
   */
  public static FinishedRun of(Path folder) throws IOException {
    return new FinishedRun(folder, JSON.readTree(folder.resolve(FolderFiles.SUMMARY).toFile()));
  }

  /** The last part of the folder's path. */
  public String name() {
    return folder.getFileName().toString();
  }

  /** The file of the resolved experiment. */
  public Path config() {
    return folder.resolve(FolderFiles.CONFIG);
  }

  /** True if the run was a simulation. */
  public boolean isSimulated() {
    return summary.path("simulated").asBoolean();
  }

  /** Digest of the request list; empty if the summary has none. */
  public String requestDigest() {
    return summary.path("request_digest").asText();
  }

  /** Start of the measured window. */
  public long warmupNs() {
    return Math.round(summary.path("warmup_seconds").asDouble() * 1e9);
  }

  /** True if a file or folder lies in this folder. */
  public boolean holds(Path other) {
    return other.toAbsolutePath().normalize().startsWith(folder.toAbsolutePath().normalize());
  }

  /**
   * Reads the jobs of the measured window that were done, by intended arrival.
   *
   * @throws UserMistakeException if trace.csv cannot be read
   */
  public List<FinishedJob> measuredDoneJobs() throws UserMistakeException {
    return read(
        FolderFiles.TRACE,
        row -> row.getField("phase").equals("measured") && row.getField("status").equals("done"),
        row ->
            new FinishedJob(
                secondsNs(row, "enqueue_time"),
                secondsNs(row, "sent_time"),
                secondsNs(row, "appended_time"),
                secondsNs(row, "decided_time"),
                secondsNs(row, "start_time")));
  }

  /**
   * Reads the done batches, by start.
   *
   * @throws UserMistakeException if dispatches.csv cannot be read
   */
  public List<FinishedBatch> doneBatches() throws UserMistakeException {
    List<FinishedBatch> batches =
        read(
            FolderFiles.DISPATCHES,
            row -> row.getField("result").equals("done"),
            FinishedRun::batch);
    batches.sort(
        Comparator.comparingLong(FinishedBatch::startedNs).thenComparing(FinishedBatch::laneId));
    return batches;
  }

  /**
   * Reads a job's row of trace.csv, by column; null if the run had no such job.
   *
   * @throws UserMistakeException if trace.csv cannot be read
   */
  public @Nullable Map<String, String> jobRow(String jobId) throws UserMistakeException {
    List<Map<String, String>> rows =
        read(
            FolderFiles.TRACE,
            row -> row.getField("job_id").equals(jobId),
            NamedCsvRecord::getFieldsAsMap);
    return rows.isEmpty() ? null : rows.get(0);
  }

  /**
   * Reads the ids of all jobs, in the order of trace.csv.
   *
   * @throws UserMistakeException if trace.csv cannot be read
   */
  public List<String> jobIds() throws UserMistakeException {
    return read(FolderFiles.TRACE, row -> true, row -> row.getField("job_id"));
  }

  /**
   * Reads a job's rows of dispatches.csv, by column, in the order of the file.
   *
   * @param shard shard of the job, as in trace.csv
   * @throws UserMistakeException if dispatches.csv cannot be read
   */
  public List<Map<String, String>> dispatchRows(String jobId, String shard)
      throws UserMistakeException {
    return read(
        FolderFiles.DISPATCHES,
        row ->
            row.getField("shard").equals(shard)
                && List.of(row.getField("job_ids").split(" ")).contains(jobId),
        NamedCsvRecord::getFieldsAsMap);
  }

  /**
   * Reads each row of dispatches.csv, by decision, without holding the file.
   *
   * @throws UserMistakeException if dispatches.csv cannot be read
   */
  public void eachDispatch(Consumer<Line> to) throws UserMistakeException {
    each(FolderFiles.DISPATCHES, to);
  }

  /**
   * Reads each row of trace.csv, by intended arrival, without holding the file.
   *
   * @throws UserMistakeException if trace.csv cannot be read
   */
  public void eachJob(Consumer<Line> to) throws UserMistakeException {
    each(FolderFiles.TRACE, to);
  }

  /**
   * Reads each row of metrics.csv, by second, without holding the file.
   *
   * @throws UserMistakeException if metrics.csv cannot be read
   */
  public void eachSecond(Consumer<Line> to) throws UserMistakeException {
    each(FolderFiles.METRICS, to);
  }

  private void each(String name, Consumer<Line> to) throws UserMistakeException {
    Path file = folder.resolve(name);
    long line = 1;
    try (var reader = CsvReader.builder().ofNamedCsvRecord(file)) {
      for (NamedCsvRecord row : reader) {
        line = row.getStartingLineNumber();
        to.accept(new Line(row));
      }
    } catch (NoSuchFileException e) {
      throw new UserMistakeException(
          folder.toString(),
          "the folder has no (" + name + ")",
          "the run was simulated with --no-trace, or the file was moved away",
          e);
    } catch (IOException
        | UncheckedIOException
        | CsvParseException
        | IllegalArgumentException
        | NoSuchElementException e) {
      throw new UserMistakeException(
          file + ":" + line,
          "this row cannot be read (" + UserMistakeException.reason(e) + ")",
          "the run's folder is not whole",
          e);
    }
  }

  /**
   * A row of a table. Its methods throw {@link NoSuchElementException} for a column that is missing
   * and {@link NumberFormatException} for a cell that is no number.
   */
  public record Line(NamedCsvRecord row) {
    public String text(String column) {
      return row.getField(column);
    }

    /** The cell as a whole number. */
    public int whole(String column) {
      return Integer.parseInt(text(column));
    }

    /**
     * The cell as nanoseconds.
     *
     * @param scale nanoseconds of the column's unit
     */
    public long required(String column, double scale) {
      return Math.round(Double.parseDouble(text(column)) * scale);
    }

    /** The cell as nanoseconds; null if it is empty. */
    public @Nullable Long ns(String column, double scale) {
      return text(column).isEmpty() ? null : Long.valueOf(required(column, scale));
    }
  }

  private static FinishedBatch batch(NamedCsvRecord row) {
    return new FinishedBatch(
        row.getField("lane_id"),
        new ModelKey(
            row.getField("workload_name"), row.getField("backend"), row.getField("precision")),
        Integer.parseInt(row.getField("samples")),
        Integer.parseInt(row.getField("busy_lanes")),
        new FinishedBatch.Times(
            secondsNs(row, "decided_time"),
            secondsNs(row, "start_time"),
            secondsNs(row, "end_time"),
            secondsNs(row, "completed_time")),
        ns(row, "service_ms", 1e6),
        row.getField("emulated_service_ms").isEmpty()
            ? null
            : Long.valueOf(ns(row, "emulated_service_ms", 1e6)));
  }

  private interface Row<T> {
    T of(NamedCsvRecord row);
  }

  private interface Kept {
    boolean test(NamedCsvRecord row);
  }

  private <T> List<T> read(String file, Kept kept, Row<T> row) throws UserMistakeException {
    List<T> read = new ArrayList<>();
    try (var reader = CsvReader.builder().ofNamedCsvRecord(folder.resolve(file))) {
      for (NamedCsvRecord line : reader) {
        if (kept.test(line)) {
          read.add(row.of(line));
        }
      }
    } catch (IOException
        | UncheckedIOException
        | CsvParseException
        | NumberFormatException
        | NoSuchElementException e) {
      throw unreadable(folder.resolve(file), e);
    }
    return read;
  }

  private static long secondsNs(NamedCsvRecord row, String column) {
    return ns(row, column, 1e9);
  }

  private static long ns(NamedCsvRecord row, String column, double scale) {
    return Math.round(Double.parseDouble(row.getField(column)) * scale);
  }

  private static UserMistakeException unreadable(Path file, Exception e) {
    if (e instanceof JsonProcessingException malformed) {
      JsonLocation at = malformed.getLocation();
      return new UserMistakeException(
          at == null ? file.toString() : file + ":" + at.getLineNr(),
          "this is no JSON (" + UserMistakeException.reason(malformed) + ")",
          "the run's folder is not whole",
          e);
    }
    return new UserMistakeException(
        file.toString(),
        "this cannot be read (" + UserMistakeException.reason(e) + ")",
        "the run's folder is not whole",
        e);
  }
}
