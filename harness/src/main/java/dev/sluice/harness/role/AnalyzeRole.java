package dev.sluice.harness.role;

import dev.sluice.analytics.abort.AbortFold;
import dev.sluice.analytics.abort.EarlyEnd;
import dev.sluice.analytics.abort.HarnessLimit;
import dev.sluice.analytics.figure.RunHead;
import dev.sluice.analytics.fold.LiveSnapshot;
import dev.sluice.analytics.fold.RunContext;
import dev.sluice.analytics.log.EventLogReader;
import dev.sluice.analytics.log.RunRecording;
import dev.sluice.analytics.report.RunReport;
import dev.sluice.analytics.row.FolderFiles;
import dev.sluice.analytics.statistic.ParallelTasks;
import dev.sluice.contract.event.RoleJoined;
import dev.sluice.contract.event.RoleJoined.Role;
import dev.sluice.contract.event.RunDescribed;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.RunSummarized;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.contract.experiment.Experiment.Threshold;
import dev.sluice.contract.experiment.ResolvedConfig;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.RunRegister;
import dev.sluice.contract.log.RunTopics;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.harness.frame.DiskSpace;
import dev.sluice.harness.frame.Environment;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.frame.RunFrame;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.HostLoad;
import dev.sluice.harness.machine.ProgressLine;
import dev.sluice.harness.process.LogFile;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.harness.process.StoppedException;
import dev.sluice.producer.requests.RequestList;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Analytics: reads the run's log, shows how it goes, and makes its folder. */
public final class AnalyzeRole implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AnalyzeRole.class);

  /** Property with which a run goes on at the limit of the harness, so that this is measured. */
  public static final String NO_LIMIT = "sluice.nolimit";

  /** How long after the run's end a role may leave. One that stays longer was killed, or hangs. */
  private static final Duration LEAVING_LIMIT = Duration.ofSeconds(15);

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

  /**
   * Options of analytics alone.
   *
   * @param results folder of all runs
   * @param keepTopics true if the run's topics stay on the broker
   * @param noLog true if the run leaves no recording of its topics
   */
  public record Options(Path results, boolean keepTopics, boolean noLog, Console console) {}

  /** Shows the run in a process of its own, leaves its folder, and removes its topics. */
  public static int execute(RoleSettings settings, Options options) throws Exception {
    return RoleProcess.run(
        Role.ANALYZE,
        settings,
        options.console(),
        line -> {},
        process -> analyze(process, options));
  }

  private static int analyze(RoleProcess process, Options options) throws Exception {
    RunFrame frame = process.frame;
    var lanes = process.add(LaneSource.of(frame.parsed()));
    try (var folder = RunFolder.takeOver(options.results(), frame.runId());
        var log = LogFile.open(folder.log(), process.kafka.secrets())) {
      folder.nameBroker(process.kafka.bootstrapServers());
      try {
        return analyze(process, options, lanes, folder);
      } catch (StoppedException | UserMistakeException e) {
        folder.discard();
        throw e;
      } catch (RoleFailedException e) {
        LOG.error("the run failed", e);
        throw e;
      } catch (IOException | RuntimeException e) {
        LOG.error("the run cannot go on", e);
        if (!DiskSpace.isFull(e)) {
          throw e;
        }
        throw new RoleFailedException(
            "the disk of the run's folder is full (" + folder.failedPath() + ")", e);
      }
    }
  }

  private static int analyze(
      RoleProcess process, Options options, LaneSource lanes, RunFolder folder) throws Exception {
    RunFrame frame = process.frame;
    AbortFold abort =
        frame.experiment().thresholds().values().stream().anyMatch(Threshold::abort)
            ? AbortFold.of(frame.parsed(), RequestList.of(frame.parsed(), lanes::isolatedMs))
            : null;
    RunRegister register = process.connect();
    RoleJoined joined = process.join(Role.ANALYZE, "analyze", frame);
    Optional<HostLoad> before = HostLoad.read();
    var role =
        process.add(
            new AnalyzeRole(
                frame,
                process.kafka.clients(),
                lanes.notes(),
                Environment.commonVersions(),
                abort));
    process.metrics().log(role::snapshot, frame.experiment().jobs().classes());
    awaitBeginning(process);
    RunEnded ended = role.follow(process);
    RunStarted started = register.started().getNow(null);
    if (started == null) {
      throw new RoleFailedException(
          "the run was given up before it began: " + ended.failure(), null);
    }
    boolean early =
        ended.failure() != null
            && (abort != null || ended.failure().startsWith(HarnessLimit.WORDS));
    if (early && role.lost() == null) {
      role.awaitWholeLog(); // analytics that died before its last words has written the end
    }
    int status =
        role.finish(
            Environment.ofRoles(frame.experiment(), lanes, before),
            started.requestDigest(),
            folder,
            !options.noLog(),
            ended.failure(),
            role::close);
    if (ended.failure() != null && status == ExitStatus.BUG) { // no early end
      throw new RoleFailedException("the run was given up: " + ended.failure(), null);
    }
    frame.console().result(role.summaryJson());
    if (!options.keepTopics()) {
      removeTopics(process, joined);
    }
    return status;
  }

  private static void awaitBeginning(RoleProcess process) throws InterruptedException {
    RunRegister register = process.register();
    if (!register.started().isDone()) {
      process.frame.console().line("waiting for the run to begin");
      while (!register.await(
          () -> register.started().isDone() || process.ending(), LEAVING_LIMIT)) {
        LOG.debug("the run has not begun yet");
      }
    }
  }

  /** Removes the run's topics once all other roles have left. */
  private static void removeTopics(RoleProcess process, RoleJoined own)
      throws InterruptedException {
    RunFrame frame = process.frame;
    Set<String> left = process.register().awaitOthersLeft(Set.of(own.instance()), LEAVING_LIMIT);
    if (!left.isEmpty()) {
      LOG.warn("not left {} s after the run's end: {}", LEAVING_LIMIT.toSeconds(), left);
    }
    process.closeParts(); // the topic that says so is removed next
    try {
      RunTopics.remove(frame.topics(), process.kafka.clients());
    } catch (ExecutionException e) {
      LOG.warn("the run's topics stay behind", e);
      frame
          .console()
          .line(
              "The run's topics stay behind; ./sluice topics prune --bootstrap %s %s takes them away."
                  .formatted(process.kafka.bootstrapServers(), frame.runId()));
    }
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

  public @Nullable String lost() {
    return early.why();
  }

  public LiveSnapshot snapshot() {
    return reader.snapshot();
  }

  /** Shows how the run goes until it ends, and reads its log to the end. */
  public RunEnded follow(Host host)
      throws RoleFailedException, StoppedException, InterruptedException {
    try (var progress = new ProgressLine(frame.console(), reader, frame.experiment(), host::fail)) {
      RunEnded ended = host.awaitEnd();
      if (ended.failure() == null) {
        awaitWholeLog();
      }
      progress.draw();
      return ended;
    }
  }

  /** Waits until the log is read to the run's end, which is in the log already. */
  private void awaitWholeLog() throws RoleFailedException, InterruptedException {
    if (!reader.awaitRunEnd(READ_LIMIT)) {
      throw new RoleFailedException("the event log could not be read to its end in time", null);
    }
  }

  /**
   * Makes the folder of a run from the events read so far, and returns the exit status. Of a run
   * that was ended early, the folder says why, and has no figures; of one that was given up
   * otherwise, it holds what the log holds, and the status is that of a bug.
   *
   * @param recorded true if the folder gets a recording of the run's topics
   * @param failure why the run was given up; null: it was not
   * @param meanwhile what is done beside the writing of tables and pictures, on the caller's
   *     thread, once those who read the run's topics know how it came out
   * @throws RoleFailedException if reading has failed
   */
  public int finish(
      Environment environment,
      String requestDigest,
      RunFolder folder,
      boolean recorded,
      @Nullable String failure,
      ParallelTasks.Task meanwhile)
      throws RoleFailedException, IOException {
    if (failure != null && lost() != null) {
      return finishEarly(String.valueOf(lost()), folder, meanwhile);
    }
    RunReport report;
    try {
      report = report(environment, recorded ? folder : null);
    } catch (IllegalStateException e) {
      if (DiskSpace.isFull(e)) {
        throw e; // the caller says which disk
      }
      throw new RoleFailedException(e.getMessage(), e);
    }
    String json = report.summary().toJson();
    report.write(
        folder.path(),
        () -> {
          reader.summarize(
              new RunSummarized(frame.runId(), failure == null ? json : null, failure));
          meanwhile.run();
        });
    Conclusion.writeConfig(frame.parsed(), report, environment, requestDigest, folder.path());
    Conclusion.writePage(report, folder.path(), frame.console());
    if (failure != null) {
      return ExitStatus.BUG;
    }
    summaryJson = json;
    return Conclusion.of(report, folder, frame.console());
  }

  private int finishEarly(String why, RunFolder folder, ParallelTasks.Task meanwhile)
      throws IOException {
    reader.summarize(new RunSummarized(frame.runId(), null, why));
    meanwhile.run();
    String said = String.valueOf(lost()); // the reader has stopped: nothing else is lost from here
    boolean harness = early.isHarness();
    Conclusion.early(
        said,
        harness
            ? "Maybe a lower rate is meant, or a machine with more processors, or ./sluice"
                + " simulate, which no machine limits."
            : null,
        folder,
        frame.console());
    return harness ? ExitStatus.INCONCLUSIVE : ExitStatus.MISSED;
  }

  private RunReport report(Environment environment, @Nullable RunFolder recorded) {
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
    var header = Conclusion.header(frame.experiment(), frame.runId(), reader.started());
    try (var recording = new RunRecording(recorded.path().resolve(FolderFiles.LOG), header)) {
      RunReport report = reader.report(context, recording);
      Conclusion.tellFailure(recording, frame.console());
      return report;
    }
  }

  /** The finished run's summary.json; null: there is none. */
  @Nullable
  public String summaryJson() {
    return summaryJson;
  }

  @Override
  public void close() {
    reader.close();
  }
}
