package dev.sluice.analytics.report;

import dev.sluice.analytics.figure.Figures;
import dev.sluice.analytics.fold.RunContext;
import dev.sluice.analytics.fold.RunFold;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.live.MetricsCsv;
import dev.sluice.analytics.live.ReportPage;
import dev.sluice.analytics.plot.Plots;
import dev.sluice.analytics.row.FolderFiles;
import dev.sluice.analytics.row.Summary;
import dev.sluice.analytics.statistic.ParallelTasks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Report of a run as the files of its folder: trace.csv, dispatches.csv, metrics.csv, summary.json,
 * plots, and the page of all of them.
 */
public final class RunReport {
  private final RunRows run;

  /** Lock of {@link #page}, which is counted beside the summary. */
  private final Object pageLock = new Object();

  private @Nullable Summary summary;
  private @Nullable ReportPage page;

  private RunReport(RunRows run) {
    this.run = run;
  }

  /** Reports what the fold has taken in so far. */
  public static RunReport of(RunFold fold, RunContext context) {
    return new RunReport(fold.rows(context));
  }

  public RunRows rows() {
    return run;
  }

  /** The run's figures, counted at the first call. */
  public synchronized Summary summary() {
    Summary known = summary;
    if (known == null) {
      known = Figures.summarize(run);
      summary = known;
    }
    return known;
  }

  public void writeSummary(Path folder) throws IOException {
    Files.writeString(folder.resolve(FolderFiles.SUMMARY), summary().toJson());
  }

  /** Writes trace.csv and dispatches.csv alone, replacing what is there. */
  public void writeRows(Path folder) throws IOException {
    ParallelTasks.run(tables(folder));
  }

  /** As {@link #write(Path, ParallelTasks.Task)}, with nothing else to do meanwhile. */
  public void write(Path folder) throws IOException {
    write(folder, () -> {});
  }

  /**
   * Writes trace.csv, dispatches.csv, metrics.csv, summary.json and plots/*.png, replacing what is
   * there, each whether another one fails or not.
   *
   * @param folder made if it is missing
   * @param meanwhile what the caller's thread does beside the writing, whose failure does not stop
   *     the writing
   */
  public void write(Path folder, ParallelTasks.Task meanwhile) throws IOException {
    Path plots = folder.resolve(FolderFiles.PLOTS);
    Files.createDirectories(plots);
    List<ParallelTasks.Task> files = tables(folder);
    files.add(() -> writeWindows(folder));
    files.add(
        () -> {
          writeSummary(folder);
          Plots.writeAll(run, summary(), plots);
        });
    ParallelTasks.run(files, meanwhile);
  }

  private List<ParallelTasks.Task> tables(Path folder) {
    List<ParallelTasks.Task> tables = new ArrayList<>();
    tables.add(() -> RunTables.writeTrace(run, folder.resolve(FolderFiles.TRACE)));
    tables.add(() -> RunTables.writeDispatches(run, folder.resolve(FolderFiles.DISPATCHES)));
    if (run.context().experiment().lanes().memoryMb() != null) {
      tables.add(() -> RunTables.writeLoads(run.log().stays(), folder.resolve(FolderFiles.LOADS)));
    }
    return tables;
  }

  private void writeWindows(Path folder) throws IOException {
    try (var metrics = MetricsCsv.to(folder.resolve(FolderFiles.METRICS))) {
      page().windows().forEach(metrics::write);
    }
  }

  /**
   * Writes report.html into the folder, in which all other files of the run are.
   *
   * @throws IOException if the page cannot be written; then there is none, and the run is whole
   */
  public void writePage(Path folder) throws IOException {
    page().write(folder);
  }

  private ReportPage page() {
    synchronized (pageLock) {
      ReportPage known = page;
      if (known == null) {
        known = ReportPage.of(run);
        page = known;
      }
      return known;
    }
  }
}
