package dev.sluice.analytics.row;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.contract.file.TraceRows;
import dev.sluice.contract.file.UserMistakeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The folder of a finished run, live or simulated. Methods that read a table throw {@link
 * UserMistakeException} if it cannot be read.
 *
 * @param summary the tree of summary.json
 */
public record FinishedRun(Path folder, JsonNode summary) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Columns of dispatches.csv that no done batch leaves empty. */
  private static final List<String> OF_DONE =
      List.of("start_time", "end_time", "completed_time", "service_ms", "busy_lanes");

  /** Says whether a path is the folder of a finished run, or of repeats of one. */
  public static boolean isFolder(Path path) {
    return Files.isRegularFile(path.resolve(FolderFiles.SUMMARY));
  }

  /** Lists the folders of single runs: the folder itself, or those of its repeats by name. */
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

  /** Reads the folder that a run of this program has just left. */
  public static FinishedRun of(Path folder) throws IOException {
    return new FinishedRun(folder, JSON.readTree(folder.resolve(FolderFiles.SUMMARY).toFile()));
  }

  public String name() {
    return folder.getFileName().toString();
  }

  public Path config() {
    return folder.resolve(FolderFiles.CONFIG);
  }

  public boolean isSimulated() {
    return summary.path("simulated").asBoolean();
  }

  /** Digest of the request list; empty if the summary has none. */
  public String requestDigest() {
    return summary.path("request_digest").asText();
  }

  /** Why its figures must not be compared; empty if they may be. */
  public List<String> notComparable() {
    List<String> reasons = new ArrayList<>();
    summary.path(Summary.NOT_COMPARABLE).forEach(reason -> reasons.add(reason.asText()));
    return reasons;
  }

  public long warmupNs() {
    return Math.round(summary.path("warmup_seconds").asDouble() * 1e9);
  }

  public boolean holds(Path other) {
    return other.toAbsolutePath().normalize().startsWith(folder.toAbsolutePath().normalize());
  }

  /** Reads the done batches, by start. */
  public List<FinishedBatch> doneBatches() throws UserMistakeException {
    List<FinishedBatch> batches = new ArrayList<>();
    each(
        FolderFiles.DISPATCHES,
        row -> {
          if (row.says("result", "done")) {
            for (String column : OF_DONE) {
              if (row.text(column).isEmpty()) {
                throw row.unreadable(column + " is empty");
              }
            }
            batches.add(FinishedBatch.of(row));
          }
        });
    batches.sort(
        Comparator.comparingLong(FinishedBatch::startedNs).thenComparing(FinishedBatch::laneId));
    return batches;
  }

  /** Reads a job's row of trace.csv, by column; null if the run had no such job. */
  public @Nullable Map<String, String> jobRow(String jobId) throws UserMistakeException {
    List<Map<String, String>> rows = new ArrayList<>();
    each(
        FolderFiles.TRACE,
        row -> {
          if (row.text("job_id").equals(jobId)) {
            rows.add(row.cells());
          }
        });
    return rows.isEmpty() ? null : rows.get(0);
  }

  /** Reads the ids of all jobs, in the order of trace.csv. */
  public List<String> jobIds() throws UserMistakeException {
    List<String> ids = new ArrayList<>();
    each(FolderFiles.TRACE, row -> ids.add(row.text("job_id")));
    return ids;
  }

  /** Reads the rows in dispatches.csv of a job of a shard, by column, in the order of the file. */
  public List<Map<String, String>> dispatchRows(String jobId, String shard)
      throws UserMistakeException {
    List<Map<String, String>> rows = new ArrayList<>();
    each(
        FolderFiles.DISPATCHES,
        row -> {
          if (row.text("shard").equals(shard)
              && List.of(row.text("job_ids").split(" ")).contains(jobId)) {
            rows.add(row.cells());
          }
        });
    return rows;
  }

  /** Reads each row of one of the tables of {@link FolderFiles}, without holding the file. */
  public void each(String name, TableRow.Taker to) throws UserMistakeException {
    Path file = folder.resolve(name);
    if (Files.notExists(file)) {
      throw new UserMistakeException(
          folder.toString(),
          "the folder has no (" + name + ")",
          "the run was simulated with --no-trace, or the file was moved away");
    }
    try (TraceRows rows = TraceRows.table(file)) {
      var row = new TableRow(rows);
      while (rows.next()) {
        try {
          to.take(row);
        } catch (IllegalArgumentException e) {
          throw row.unreadable(UserMistakeException.reason(e));
        }
      }
    } catch (IOException e) {
      throw unreadable(file, e);
    }
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
