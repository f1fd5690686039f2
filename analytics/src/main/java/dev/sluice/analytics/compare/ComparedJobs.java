package dev.sluice.analytics.compare;

import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.analytics.row.FolderFiles;
import dev.sluice.analytics.row.TableRow;
import dev.sluice.analytics.statistic.LongBag;
import dev.sluice.contract.file.UserMistakeException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Jobs of two settings, each trace.csv read once, A beside B. Of one pair of runs all jobs are
 * kept, of several their latencies alone.
 */
public record ComparedJobs(Side a, Side b) {
  /**
   * A setting's jobs.
   *
   * @param only jobs of the pair's run; null: there are several pairs, or the run has no trace.csv
   * @param curves latencies of all runs by class, each of several classes beside {@value
   *     Curve#ALL}; null: a run has no trace.csv, since it was simulated with {@code --no-trace}
   */
  record Side(@Nullable List<ComparedJob> only, @Nullable Map<String, Curve> curves) {
    static Side read(List<ComparedRun> runs, @Nullable ComparedRun kept)
        throws UserMistakeException {
      for (ComparedRun run : runs) {
        if (!Files.exists(run.run().folder().resolve(FolderFiles.TRACE))
            && Files.exists(run.run().folder())) {
          return new Side(null, null);
        }
      }
      Map<String, Curve> curves = new LinkedHashMap<>();
      curves.put(Curve.ALL, new Curve());
      List<String> classes = HeadlineFigure.classes(runs.get(0).summary());
      if (classes.size() > 1) {
        classes.forEach(name -> curves.put(name, new Curve()));
      }
      List<ComparedJob> only = null;
      for (ComparedRun run : runs) {
        List<ComparedJob> jobs = ComparedJob.read(run.run());
        jobs.stream().filter(ComparedJob::measured).forEach(job -> add(job, curves));
        if (run.equals(kept)) {
          only = jobs;
        }
      }
      return new Side(only, curves);
    }

    private static void add(ComparedJob job, Map<String, Curve> curves) {
      for (String name : List.of(Curve.ALL, job.classType())) {
        Curve curve = curves.get(name);
        if (curve != null) {
          curve.add(job);
        }
      }
    }
  }

  /**
   * Reads the jobs of both settings.
   *
   * @throws UserMistakeException if a trace.csv cannot be read
   */
  public static ComparedJobs read(ComparedSides sides) throws UserMistakeException {
    ComparedSides.Pair one = sides.pairs().size() == 1 ? sides.pairs().get(0) : null;
    return new ComparedJobs(
        Side.read(sides.a(), one == null ? null : one.a()),
        Side.read(sides.b(), one == null ? null : one.b()));
  }

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
      run.each(FolderFiles.TRACE, row -> jobs.add(of(row)));
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

  /** Latencies of one setting's measured jobs, of all its runs together. */
  static final class Curve {
    /** Name in place of a class's for the curve of all jobs. */
    static final String ALL = "all";

    /** Latencies of the done ones. */
    final LongBag doneNs = new LongBag();

    /** Number of jobs, done or not. */
    int count;

    private void add(ComparedJob job) {
      count++;
      if (job.isDone()) {
        doneNs.add(Math.round(job.endToEndMs() * 1e6));
      }
    }
  }
}
