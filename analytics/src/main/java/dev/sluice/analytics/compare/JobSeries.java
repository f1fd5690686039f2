package dev.sluice.analytics.compare;

import dev.sluice.analytics.folder.FinishedRun;
import dev.sluice.analytics.folder.FolderFiles;
import dev.sluice.contract.file.TraceRows;
import dev.sluice.contract.file.UserMistakeException;
import java.io.IOException;
import java.nio.file.Files;
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
    if (!Files.exists(file)) {
      throw new UserMistakeException(
          file.toString(),
          "the file is not there",
          "the folder was moved away while it was read, or the run was simulated with --no-trace");
    }
    var series = new JobSeries();
    try (TraceRows rows = TraceRows.open(file, "trace")) {
      int[] at = new int[COLUMNS.size()];
      for (int i = 0; i < at.length; i++) {
        at[i] = rows.column(COLUMNS.get(i));
      }
      Map<String, String> names = new HashMap<>(); // each name once
      while (rows.next()) {
        series.jobs.add(job(rows, at, names));
      }
    } catch (IOException e) {
      throw new UserMistakeException(
          file.toString(),
          "the file cannot be closed (" + UserMistakeException.reason(e) + ")",
          "its disk or its share is gone",
          e);
    }
    return series;
  }

  private static Job job(TraceRows row, int[] at, Map<String, String> names)
      throws UserMistakeException {
    boolean done = row.text(at[4]).equals("done");
    return new Job(
        row.text(at[0]),
        names.computeIfAbsent(row.text(at[1]), name -> name),
        names.computeIfAbsent(row.text(at[2]), name -> name),
        row.text(at[3]).equals("measured"),
        done ? row.secondsAsNs(at[5], COLUMNS.get(5)) / 1e9 : Double.NaN,
        done ? row.msAsNs(at[6], COLUMNS.get(6)) / 1e6 : Double.NaN,
        done ? row.msAsNs(at[7], COLUMNS.get(7)) / 1e6 : Double.NaN,
        !row.isZero(at[8]));
  }

  List<Job> jobs() {
    return jobs;
  }
}
