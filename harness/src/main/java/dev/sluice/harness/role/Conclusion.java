package dev.sluice.harness.role;

import dev.sluice.analytics.compare.Repeats;
import dev.sluice.analytics.log.RunRecording;
import dev.sluice.analytics.report.RunReport;
import dev.sluice.analytics.report.ScreenText;
import dev.sluice.analytics.report.SummaryTable;
import dev.sluice.analytics.row.FolderFiles;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.experiment.ResolvedConfig;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RecordingHeader;
import dev.sluice.harness.frame.Environment;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.ExperimentFiles;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.machine.Console;
import dev.sluice.scheduling.core.SchedulingCore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The last files of a run or a simulation, and what is said of them. */
public final class Conclusion {
  private static final Logger LOG = LoggerFactory.getLogger(Conclusion.class);

  private Conclusion() {}

  /**
   * Says that a run was ended early, with advice if there is any, and in its folder, which fails.
   */
  public static void early(String why, @Nullable String maybe, RunFolder folder, Console console)
      throws IOException {
    Files.writeString(folder.path().resolve(FolderFiles.FAILURE), why + "\n");
    console.line("");
    console.line(ScreenText.wrapped("", "Ended early: " + why + "."));
    if (maybe != null) {
      console.line(ScreenText.wrapped("  ", maybe));
    }
    console.line("Folder    " + folder.failedPath());
  }

  /** The header of a run's recording; where its log holds no beginning, {@code started} is null. */
  public static RecordingHeader header(
      Experiment experiment, String runId, @Nullable RunStarted started) {
    return RecordingHeader.log(
        runId,
        started,
        experiment.kafka().shards(),
        SchedulingCore.DECISIONS_VERSION,
        ResolvedConfig.digest(experiment),
        ResolvedConfig.write(experiment));
  }

  /** Tells a person that the run has no recording, if none could be written. */
  public static void tellFailure(RunRecording recording, Console console) {
    IOException failure = recording.failure();
    if (failure != null) {
      warn(FolderFiles.LOG, failure, "cannot be replayed", console);
    }
  }

  /** Writes report.html. A run is whole without it: if it cannot be written, that is told. */
  public static void writePage(RunReport report, Path folder, Console console) {
    try {
      report.writePage(folder);
    } catch (IOException e) {
      LOG.error("the report cannot be written", e);
      warn(FolderFiles.REPORT, e, "./sluice report FOLDER makes it later", console);
    }
  }

  private static void warn(String file, IOException failure, String then, Console console) {
    console.line(
        "warning: %s could not be written (%s): the run is whole, and %s."
            .formatted(file, UserMistakeException.reason(failure), then));
  }

  /** Writes config.yaml: the resolved experiment, and the environment of the run. */
  public static void writeConfig(
      ParsedExperiment parsed,
      RunReport report,
      Environment environment,
      String requestDigest,
      Path folder)
      throws IOException {
    Files.writeString(
        folder.resolve(FolderFiles.CONFIG),
        environment.firstLine()
            + ResolvedConfig.write(parsed.experiment())
            + environment.toYaml(requestDigest, report.summary(), report.rows().log().deviceKinds())
            + ExperimentFiles.toYaml(parsed, folder));
  }

  public static int of(RunReport report, RunFolder folder, Console console) throws IOException {
    console.line("");
    console.line(SummaryTable.render(report.summary(), console.details()));
    int status = status(report);
    if (status == ExitStatus.BUG) {
      console.line("sluice: error: the run failed, see above.");
      console.line("  Maybe its folder says more: " + folder.failedPath());
      return status;
    }
    Path finished = folder.finish();
    if (folder.isInSeries()) {
      return status; // the series names its folder when it has its last name
    }
    console.line("Folder    " + finished);
    RunFolder.pointLatest(finished);
    if (Files.exists(finished.resolve("plots"))) {
      console.line("Pictures  " + finished.resolve("plots"));
    }
    if (Files.exists(finished.resolve(FolderFiles.REPORT))) {
      console.line("Report    " + finished.resolve(FolderFiles.REPORT));
    }
    return status;
  }

  /** Writes and shows the figures over all runs of a series, and returns them as JSON. */
  public static String ofSeries(Map<Path, Long> seedByFolder, RunFolder folder, Console console)
      throws IOException {
    Repeats all = Repeats.read(seedByFolder);
    all.write(folder.path());
    Path finished = folder.finish();
    console.line("");
    console.line(all.render().stripTrailing());
    console.line("");
    console.line("Folder    " + finished);
    RunFolder.pointLatest(finished);
    return all.toJson();
  }

  public static int status(RunReport report) {
    return switch (report.summary().verdict()) {
      case MET -> ExitStatus.DONE;
      case MISSED -> ExitStatus.MISSED;
      case INCONCLUSIVE -> ExitStatus.INCONCLUSIVE;
      case FAILED -> ExitStatus.BUG;
    };
  }
}
