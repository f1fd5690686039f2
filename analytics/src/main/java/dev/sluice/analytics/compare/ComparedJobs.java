package dev.sluice.analytics.compare;

import dev.sluice.analytics.folder.FolderFiles;
import dev.sluice.contract.file.UserMistakeException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Jobs of two settings, each trace.csv read once, A beside B. Of one pair of runs all jobs are
 * kept, of several their latencies alone.
 */
public final class ComparedJobs {
  private final Side a;
  private final Side b;

  /**
   * A setting's jobs.
   *
   * @param only jobs of the pair's run; null: there are several pairs, or the run has no trace.csv
   * @param curves latencies of all runs; null: a run has no trace.csv, since it was simulated with
   *     {@code --no-trace}
   */
  record Side(@Nullable List<ComparedJob> only, @Nullable LatencyCurves curves) {
    static Side read(List<ComparedRun> runs, @Nullable ComparedRun kept)
        throws UserMistakeException {
      for (ComparedRun run : runs) {
        if (!Files.exists(run.run().folder().resolve(FolderFiles.TRACE))
            && Files.exists(run.run().folder())) {
          return new Side(null, null);
        }
      }
      List<String> classes = new ArrayList<>();
      runs.get(0).summary().path("by_class_workload").fieldNames().forEachRemaining(classes::add);
      var curves = new LatencyCurves(classes);
      List<ComparedJob> only = null;
      for (ComparedRun run : runs) {
        List<ComparedJob> jobs = ComparedJob.read(run.run());
        curves.add(jobs);
        if (run.equals(kept)) {
          only = jobs;
        }
      }
      return new Side(only, curves);
    }
  }

  private ComparedJobs(Side a, Side b) {
    this.a = a;
    this.b = b;
  }

  /**
   * Reads the jobs of both settings.
   *
   * @throws UserMistakeException if a trace.csv cannot be read
   */
  public static ComparedJobs read(ComparedSides sides) throws UserMistakeException {
    ComparedSides.Pair one = sides.pairs().size() == 1 ? sides.pairs().get(0) : null;
    CompletableFuture<Side> readingB =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return Side.read(sides.b(), one == null ? null : one.b());
              } catch (UserMistakeException e) {
                throw new CompletionException(e);
              }
            });
    Side a = Side.read(sides.a(), one == null ? null : one.a());
    try {
      return new ComparedJobs(a, readingB.join());
    } catch (CompletionException e) {
      if (e.getCause() instanceof UserMistakeException mistake) {
        throw mistake;
      }
      throw e;
    }
  }

  Side a() {
    return a;
  }

  Side b() {
    return b;
  }
}
