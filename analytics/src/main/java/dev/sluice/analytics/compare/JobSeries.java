package dev.sluice.analytics.compare;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import dev.sluice.analytics.folder.FinishedRun;
import dev.sluice.analytics.folder.FolderFiles;
import dev.sluice.contract.file.UserMistakeException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A run's jobs from trace.csv, by intended arrival, with what a comparison needs of each. */
final class JobSeries {
  private static final List<String> COLUMNS =
      List.of(
          "job_id",
          "class_type",
          "workload_name",
          "phase",
          "status",
          "end_time",
          "wait_ms",
          "e2e_ms",
          "slo_violation");

  private final List<Job> jobs = new ArrayList<>();

  /**
   * A job.
   *
   * @param endS end of the batch that ended it, in seconds; NaN if it is not done
   * @param waitMs NaN if it is not done
   * @param endToEndMs NaN if it is not done
   * @param violation true if it broke its promise, or is not done
   */
  record Job(
      String id,
      String classType,
      String workload,
      boolean measured,
      double endS,
      double waitMs,
      double endToEndMs,
      boolean violation) {
    boolean isDone() {
      return !Double.isNaN(endToEndMs);
    }
  }

  private JobSeries() {}

  /**
   * Reads a run's jobs.
   *
   * @throws UserMistakeException if trace.csv is not there, or cannot be read
   */
  static JobSeries read(FinishedRun run) throws UserMistakeException {
    Path file = run.folder().resolve(FolderFiles.TRACE);
    var series = new JobSeries();
    Map<String, String> names = new HashMap<>(); // each name once
    long line = 1;
    try (var reader = CsvReader.builder().ofCsvRecord(file)) {
      int[] at = null;
      for (CsvRecord row : reader) {
        line = row.getStartingLineNumber();
        if (at == null) {
          at = columns(row);
        } else {
          series.jobs.add(job(row, at, names));
        }
      }
    } catch (NoSuchFileException e) {
      throw new UserMistakeException(
          file.toString(),
          "the file is not there",
          "the folder was moved away while it was read, or the run was simulated with --no-trace",
          e);
    } catch (CsvParseException e) {
      throw unreadable(file, line + 1, e); // the row after the last whole one
    } catch (IOException | IllegalArgumentException | IndexOutOfBoundsException e) {
      throw unreadable(file, line, e);
    }
    return series;
  }

  private static UserMistakeException unreadable(Path file, long line, Exception e) {
    return new UserMistakeException(
        file + ":" + line,
        "this row cannot be read (" + e.getMessage() + ")",
        "the run's folder is not whole",
        e);
  }

  private static int[] columns(CsvRecord head) {
    int[] at = new int[COLUMNS.size()];
    for (int i = 0; i < at.length; i++) {
      at[i] = head.getFields().indexOf(COLUMNS.get(i));
      if (at[i] < 0) {
        throw new IllegalArgumentException("the column " + COLUMNS.get(i) + " is missing");
      }
    }
    return at;
  }

  private static Job job(CsvRecord row, int[] at, Map<String, String> names) {
    boolean done = row.getField(at[4]).equals("done");
    return new Job(
        row.getField(at[0]),
        names.computeIfAbsent(row.getField(at[1]), name -> name),
        names.computeIfAbsent(row.getField(at[2]), name -> name),
        row.getField(at[3]).equals("measured"),
        done ? Double.parseDouble(row.getField(at[5])) : Double.NaN,
        done ? Double.parseDouble(row.getField(at[6])) : Double.NaN,
        done ? Double.parseDouble(row.getField(at[7])) : Double.NaN,
        !row.getField(at[8]).equals("0"));
  }

  List<Job> jobs() {
    return jobs;
  }
}
