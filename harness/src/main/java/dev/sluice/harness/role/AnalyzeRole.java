package dev.sluice.harness.role;

import dev.sluice.analytics.abort.AbortFold;
import dev.sluice.analytics.abort.EarlyEnd;
import dev.sluice.analytics.abort.HarnessLimit;
import dev.sluice.analytics.figure.RunHead;
import dev.sluice.analytics.fold.LiveSnapshot;
import dev.sluice.analytics.fold.RunContext;
import dev.sluice.analytics.folder.FolderFiles;
import dev.sluice.analytics.log.EventLogReader;
import dev.sluice.analytics.log.RunRecording;
import dev.sluice.analytics.report.RunReport;
import dev.sluice.analytics.report.ScreenText;
import dev.sluice.analytics.report.SummaryTable;
import dev.sluice.analytics.statistic.ParallelTasks;
import dev.sluice.contract.event.RunDescribed;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.RunSummarized;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.experiment.ResolvedConfig;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.LogClients;
import dev.sluice.harness.frame.Environment;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.ExperimentFiles;
import dev.sluice.harness.frame.LatestRun;
import dev.sluice.harness.frame.LogHeaders;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.frame.RunFrame;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.harness.terminal.Console;
import dev.sluice.harness.terminal.ProgressLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Analytics: reads the run's log, shows how it goes, and makes its folder. */
public final class AnalyzeRole implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AnalyzeRole.class);

  /** Property with which a run goes on at the limit of the harness, so that this is measured. */
  public static final String NO_LIMIT = "sluice.nolimit";

  private static final Duration READ_LIMIT = Duration.ofMinutes(2);

  private final RunFrame frame;
  private final EventLogReader reader;
  private final EarlyEnd early;
  private @Nullable String summaryJson;

  /**
   * Begins to read.
   *
   * @param notes notes of the lanes, which every output shows first
   * @param versions versions of what takes part, by name
   * @param abort thresholds that end the run; null: there are none
   */
  public AnalyzeRole(
      RunFrame frame,
      LogClients kafka,
      List<String> notes,
      Map<String, String> versions,
      @Nullable AbortFold abort) {
    this.frame = frame;
    boolean paced =
        frame.experiment().load().scenario() == Scenario.SERVER && !Boolean.getBoolean(NO_LIMIT);
    this.early = new EarlyEnd(abort, new HarnessLimit(paced));
    reader =
        new EventLogReader(
            kafka,
            frame.topics(),
            frame.clock(),
            started -> describe(started, notes, versions),
            early);
  }

  private RunDescribed describe(
      RunStarted started, List<String> notes, Map<String, String> versions) {
    Experiment experiment = frame.experiment();
    boolean emulated = experiment.lanes().emulated();
    return new RunDescribed(
        frame.runId(),
        started.timeZeroEpochMs(),
        RunHead.notes(experiment, emulated, notes),
        ResolvedConfig.write(experiment),
        started.configDigest(),
        started.requestDigest(),
        emulated,
        versions);
  }

  /** Why the run was ended early; null: it was not. */
  public @Nullable String lost() {
    return early.why();
  }

  /** True if the end that a run's log gives was made by its analytics, before its time. */
  public static boolean isEarly(RunEnded ended, boolean mayBeLost) {
    return ended.failure() != null && (mayBeLost || ended.failure().startsWith(HarnessLimit.WORDS));
  }

  /**
   * Concludes a run that was ended early: its folder, which is marked as failed, says why, and has
   * no figures.
   *
   * @return the exit status
   */
  public int concludeEarly(RunFolder folder) throws IOException {
    String why = String.valueOf(early.why());
    boolean harness = early.isHarness();
    conclude(
        why,
        harness
            ? "Maybe a lower rate is meant, or a machine with more processors, or ./sluice simulate,"
                + " which no machine limits."
            : null,
        folder,
        frame.console());
    return harness ? ExitStatus.INCONCLUSIVE : ExitStatus.MISSED;
  }

  /**
   * Concludes a run or a simulation that a threshold has ended: its folder, which is marked as
   * failed, says why, and has no figures.
   *
   * @return the exit status
   */
  public static int concludeLost(String why, RunFolder folder, Console console) throws IOException {
    conclude(why, null, folder, console);
    return ExitStatus.MISSED;
  }

  private static void conclude(
      String why, @Nullable String maybe, RunFolder folder, Console console) throws IOException {
    Files.writeString(folder.path().resolve(FolderFiles.FAILURE), why + "\n");
    console.line("");
    console.line(ScreenText.wrapped("", "Ended early: " + why + "."));
    if (maybe != null) {
      console.line(ScreenText.wrapped("  ", maybe));
    }
    console.line("Folder    " + folder.failedPath());
  }

  /**
   * Stops reading, and tells who reads the run's topics how it came out.
   *
   * @param failure why the run was given up; null: it was not
   */
  public void summarize(RunReport report, @Nullable String failure) {
    if (failure != null) {
      summarizeFailure(failure);
      return;
    }
    reader.summarize(new RunSummarized(frame.runId(), report.summary().toJson(), null));
  }

  /** Stops reading, and tells who reads the run's topics why the run was given up. */
  public void summarizeFailure(@Nullable String why) {
    reader.summarize(new RunSummarized(frame.runId(), null, String.valueOf(why)));
  }

  /** Shows how the run goes until it is closed. */
  public ProgressLine showProgress(Consumer<Throwable> onFailure) {
    return ProgressLine.start(frame.console(), reader, frame.experiment(), onFailure);
  }

  /** Snapshot of the run so far. */
  public LiveSnapshot snapshot() {
    return reader.snapshot();
  }

  /** Waits until the log is read to the run's end, which is in the log already. */
  public void awaitWholeLog() throws RoleFailedException, InterruptedException {
    if (!reader.awaitRunEnd(READ_LIMIT)) {
      throw new RoleFailedException("the event log could not be read to its end in time", null);
    }
  }

  /**
   * The report on the events read so far.
   *
   * @param recorded folder that gets a recording of the run's topics; null: none is made
   * @throws IllegalStateException if reading has failed
   */
  public RunReport report(Environment environment, @Nullable RunFolder recorded) {
    var context =
        new RunContext(
            frame.experiment(),
            frame.runId(),
            environment.notes(),
            environment.versions(),
            environment.begunAtEpochMs(),
            /* simulated= */ false,
            environment.origin());
    if (recorded == null) {
      return reader.report(context, null);
    }
    var header = LogHeaders.of(frame.experiment(), frame.runId(), reader.started());
    try (var recording = new RunRecording(recorded.path().resolve(FolderFiles.LOG), header)) {
      RunReport report = reader.report(context, recording);
      tellFailure(recording, frame.console());
      return report;
    }
  }

  /** Tells a person that the run has no recording, if none could be written. */
  public static void tellFailure(RunRecording recording, Console console) {
    IOException failure = recording.failure();
    if (failure != null) {
      console.line(
          "warning: "
              + FolderFiles.LOG
              + " could not be written ("
              + UserMistakeException.reason(failure)
              + "): the run is whole, and cannot be replayed.");
    }
  }

  /**
   * Writes the report's files.
   *
   * @param meanwhile what is done beside the writing of tables and pictures, on the caller's thread
   */
  public void write(
      RunReport report,
      Environment environment,
      String requestDigest,
      RunFolder folder,
      ParallelTasks.Task meanwhile)
      throws IOException {
    report.write(folder.path(), meanwhile);
    writeConfig(frame.parsed(), report, environment, requestDigest, folder.path());
    writePage(report, folder.path(), frame.console());
  }

  /**
   * Writes report.html beside the run's other files. A run is whole without it: if it cannot be
   * written, that is told.
   */
  public static void writePage(RunReport report, Path folder, Console console) {
    try {
      report.writePage(folder);
    } catch (IOException e) {
      LOG.error("the report cannot be written", e);
      console.line(
          "warning: "
              + FolderFiles.REPORT
              + " could not be written ("
              + UserMistakeException.reason(e)
              + "): the run is whole, and ./sluice report FOLDER makes it later.");
    }
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
            + environment.toYaml(requestDigest, report.summary(), report.deviceKinds())
            + ExperimentFiles.toYaml(parsed, folder));
  }

  /** Shows the summary, names the finished folder, and returns the exit status. */
  public int conclude(RunReport report, RunFolder folder) throws IOException {
    summaryJson = report.summary().toJson();
    return conclude(report, folder, frame.console());
  }

  /** Shows a summary, names the finished folder, and returns the exit status. */
  public static int conclude(RunReport report, RunFolder folder, Console console)
      throws IOException {
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
    LatestRun.point(finished);
    if (Files.exists(finished.resolve("plots"))) {
      console.line("Pictures  " + finished.resolve("plots"));
    }
    if (Files.exists(finished.resolve(FolderFiles.REPORT))) {
      console.line("Report    " + finished.resolve(FolderFiles.REPORT));
    }
    return status;
  }

  /** The exit status of a command that made the report. */
  public static int status(RunReport report) {
    return switch (report.summary().verdict()) {
      case MET -> ExitStatus.DONE;
      case MISSED -> ExitStatus.MISSED;
      case INCONCLUSIVE -> ExitStatus.INCONCLUSIVE;
      case FAILED -> ExitStatus.BUG;
    };
  }

  /** The finished run's summary.json; null if there is none. */
  @Nullable
  public String summaryJson() {
    return summaryJson;
  }

  @Override
  public void close() {
    reader.close();
  }
}
