package dev.sluice.analytics.compare;

import dev.sluice.analytics.folder.FinishedRun;
import dev.sluice.analytics.folder.TableRow;
import dev.sluice.contract.file.UserMistakeException;
import java.util.ArrayList;
import java.util.List;

/**
 * A run's job, with what a comparison needs of its row in trace.csv.
 *
 * @param endS end of the batch that ended it, in seconds; NaN if it is not done
 * @param waitMs NaN if it is not done
 * @param endToEndMs NaN if it is not done
 * @param violation true if it broke its promise, or is not done
 */
record ComparedJob(
    String id,
    String classType,
    String workload,
    boolean measured,
    double endS,
    double waitMs,
    double endToEndMs,
    boolean violation) {

  /**
   * Reads a run's jobs, by intended arrival.
   *
   * @throws UserMistakeException if trace.csv is not there, or cannot be read
   */
  static List<ComparedJob> read(FinishedRun run) throws UserMistakeException {
    List<ComparedJob> jobs = new ArrayList<>();
    run.eachJob(row -> jobs.add(of(row)));
    return jobs;
  }

  private static ComparedJob of(TableRow row) throws UserMistakeException {
    boolean done = row.says("status", "done");
    return new ComparedJob(
        row.text("job_id"),
        row.name("class_type"),
        row.name("workload_name"),
        row.says("phase", "measured"),
        done ? row.secondsAsNs("end_time") / 1e9 : Double.NaN,
        done ? row.msAsNs("wait_ms") / 1e6 : Double.NaN,
        done ? row.msAsNs("e2e_ms") / 1e6 : Double.NaN,
        !row.says("slo_violation", "0"));
  }

  boolean isDone() {
    return !Double.isNaN(endToEndMs);
  }
}
