package dev.sluice.harness.report;

import dev.sluice.analytics.live.ReportPage;
import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.analytics.row.FolderFiles;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.workflow.ExecutionLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** One making of report.html, in a finished run's folder or in those of its repeats. */
public final class ReportRun {
  private ReportRun() {}

  /** Makes the reports, names them, and returns the exit status. */
  public static int execute(Path folder) throws UserMistakeException {
    UserMistakeException.throwIf(
        Files.exists(folder.resolve(ExecutionLog.NAME)),
        folder.toString(),
        "a schedule of workflows has no report: its figures are those of graphs, not of jobs",
        "you meant plots/gpu_timeline.png and " + ExecutionLog.NAME + " in it");
    for (Path one : FinishedRun.folders(folder)) {
      FinishedRun run = FinishedRun.read(one);
      try {
        System.out.println("Report    " + ReportPage.write(run));
      } catch (IOException e) {
        throw new UserMistakeException(
            one.resolve(FolderFiles.REPORT).toString(),
            "the report cannot be written (" + UserMistakeException.reason(e) + ")",
            "the disk is full, or you lack the right to write there",
            e);
      }
    }
    return ExitStatus.DONE;
  }
}
