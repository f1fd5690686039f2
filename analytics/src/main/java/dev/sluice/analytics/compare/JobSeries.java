package dev.sluice.analytics.compare;

import dev.sluice.analytics.folder.FinishedRun;
import dev.sluice.analytics.folder.TableRow;
import dev.sluice.contract.file.UserMistakeException;
import java.util.ArrayList;
import java.util.List;

/** A run's jobs from trace.csv, by intended arrival, with what a comparison needs of each. */
final class JobSeries {
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
    var series = new JobSeries();
    run.eachJob(row -> series.jobs.add(job(row)));
    return series;
  }

  private static Job job(TableRow row) throws UserMistakeException {
    boolean done = row.says("status", "done");
    return new Job(
        row.text("job_id"),
        row.name("class_type"),
        row.name("workload_name"),
        row.says("phase", "measured"),
        done ? row.secondsAsNs("end_time") / 1e9 : Double.NaN,
        done ? row.msAsNs("wait_ms") / 1e6 : Double.NaN,
        done ? row.msAsNs("e2e_ms") / 1e6 : Double.NaN,
        !row.says("slo_violation", "0"));
  }

  List<Job> jobs() {
    return jobs;
  }
}
