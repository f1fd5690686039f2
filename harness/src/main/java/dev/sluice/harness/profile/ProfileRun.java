package dev.sluice.harness.profile;

import static java.util.Objects.requireNonNullElse;

import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.WarmUp;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RunTopics;
import dev.sluice.executor.dispatch.Executor;
import dev.sluice.executor.dispatch.LaneBackend;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.executor.dispatch.Profiler;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.executor.lane.LatencyTable;
import dev.sluice.executor.lane.WarmedLanes.WarmUpException;
import dev.sluice.executor.latency.LatencyKey;
import dev.sluice.executor.latency.ProfileFile;
import dev.sluice.executor.latency.ProfilePlan;
import dev.sluice.executor.latency.ProfileRow;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.frame.RunFrame;
import dev.sluice.harness.frame.SluiceVersion;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.kafka.Opened;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.ForeignLoad;
import dev.sluice.harness.machine.ProfileBar;
import dev.sluice.harness.process.LogFile;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.harness.process.Secrets;
import dev.sluice.harness.process.Signals;
import dev.sluice.harness.process.StoppedException;
import dev.sluice.harness.process.TemporaryFolder;
import dev.sluice.harness.role.ExecuteRole;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A profile, from its experiment to its files. While lanes are measured, an embedded Kafka carries
 * the records of a run ({@link LoopTraffic}), so that service times are those beside the loop.
 */
public final class ProfileRun {
  private static final Logger LOG = LoggerFactory.getLogger(ProfileRun.class);

  /** Keys that a run needs, and of which a profile uses no value. */
  private static final List<String> UNUSED_KEYS =
      List.of(
          "duration_seconds=1",
          "warmup_seconds=0",
          "tail_seconds=0",
          "arrival_rate_jobs_per_sec=1");

  private static final String LOG_NAME = "profile.log";

  /** Inputs are made between batches, and the machine can be slower than at warm-up. */
  private static final double OVERHEAD = 1.15;

  private final Options options;
  private final Console console;
  private final ExecutorSettings settings;
  private final Opened opened = new Opened();
  private final LaneSource lanes;
  private final ProfileRows rows;
  private final RunFrame frame;
  private volatile boolean stopped;

  /** Minutes limit the time to measure; repeats are those of each key in each pass. */
  public record Options(
      Path config,
      List<String> overrides,
      Path results,
      @Nullable Double minutes,
      int passes,
      int repeats) {
    List<String> allOverrides() {
      List<String> all = new ArrayList<>(overrides);
      all.addAll(UNUSED_KEYS);
      return all;
    }

    Path profiles() {
      return results.resolve("profiles.csv");
    }
  }

  /** Reads the experiment, and the rows that earlier commands left. */
  public ProfileRun(Options options, Console console) throws UserMistakeException, IOException {
    this.options = options;
    this.console = console;
    ParsedExperiment parsed =
        ExperimentFile.read(options.config(), options.allOverrides(), Registries.vocabulary());
    settings = Profiler.settings(parsed.experiment());
    lanes = opened.add(LaneSource.of(parsed));
    rows = ProfileRows.open(options.profiles(), console);
    frame = RunFrame.of(parsed, "profile", console);
  }

  /** Measures, and returns the exit status. */
  public int execute() throws UserMistakeException, IOException, InterruptedException {
    Path temporary = makeFolders();
    try (var lock = locked(temporary);
        var log = LogFile.open(temporary.resolve(LOG_NAME), Secrets.NONE);
        var signals = Signals.listen(this::stop, () -> TemporaryFolder.remove(temporary))) {
      console.line("Sluice " + SluiceVersion.current() + ", profile of " + options.config());
      try {
        int status = execute(temporary);
        return signals.received() ? signals.exitStatus() : status;
      } catch (StoppedException e) {
        console.line("Stopped before the first measurement: nothing is kept.");
        return signals.received() ? signals.exitStatus() : ExitStatus.DONE;
      } catch (WarmUpException | RoleFailedException e) {
        LOG.error("the profile failed", e);
        console.line("sluice: error: the profile failed: " + e.getMessage() + ".");
        console.line("  Maybe its log says more: " + kept(temporary) + "; its rows are kept.");
        return ExitStatus.BUG;
      } catch (RuntimeException e) {
        LOG.error("a bug ended the profile", e);
        Path unused = kept(temporary);
        throw e;
      } finally {
        opened.close();
        TemporaryFolder.remove(temporary);
        removeIfEmpty(options.results());
      }
    }
  }

  /** Keeps the log of a profile that failed, and returns its path. */
  private Path kept(Path temporary) throws IOException {
    opened.close();
    return Files.copy(
        temporary.resolve(LOG_NAME),
        options.results().resolve(LOG_NAME),
        StandardCopyOption.REPLACE_EXISTING);
  }

  /** Removes an empty folder, so that a mistake leaves none. */
  private static void removeIfEmpty(Path folder) throws IOException {
    try {
      Files.delete(folder);
    } catch (DirectoryNotEmptyException e) {
      // the folder holds measurements, or was not empty before
    }
  }

  private Path makeFolders() throws UserMistakeException {
    Path temporary = options.results().resolve("profile.running");
    try {
      Files.createDirectories(temporary);
      return temporary;
    } catch (IOException e) {
      throw RunFolder.notWritable("--results", options.results(), e);
    }
  }

  private FileChannel locked(Path temporary) throws UserMistakeException, IOException {
    FileChannel channel =
        FileChannel.open(
            temporary.resolve(".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (channel.tryLock() == null) {
      channel.close();
      throw new UserMistakeException(
          "--results",
          "another profile is at work in this folder (" + options.results() + ")",
          "you want to wait for it: two at once would measure each other");
    }
    return channel;
  }

  private int execute(Path temporary)
      throws UserMistakeException,
          RoleFailedException,
          WarmUpException,
          StoppedException,
          IOException,
          InterruptedException {
    LaneBackend backend = ExecuteRole.loadModels(frame, lanes, frame.experiment().lanes().speed());
    rows.checkSameLanes(backend.deviceKind());
    heedAWishToStop();
    var plan =
        new ProfilePlan(
            Profiler.keys(settings), options.passes(), options.repeats(), settings.seed());
    if (rows.missing(plan, backend.deviceKind()) > 0) {
      measure(backend, plan, temporary);
    } else {
      console.item("measured", "all " + plan.rows() + " repeats were there already");
      console.item("", "--passes " + (options.passes() + 1) + " would measure them once more");
    }
    opened.close();
    ProfileFile.Contents all = rows.all();
    if (all == null) {
      throw new StoppedException();
    }
    Path table = options.results().resolve("latency_table.csv");
    writeTable(table, all, backend.deviceKind());
    new MemoryMeasurement(frame, settings, options, () -> stopped).measure(lanes);
    console.line("");
    console.line("Profile   " + options.profiles());
    console.line("Table     " + table);
    console.line("Next      ./sluice train " + options.profiles());
    console.line("          or simulate, and capacity --simulate, with --profile " + table);
    return ExitStatus.DONE;
  }

  /** Measures until all repeats are there, the time has run out or a person stops it. */
  private void measure(LaneBackend backend, ProfilePlan whole, Path temporary)
      throws UserMistakeException,
          RoleFailedException,
          WarmUpException,
          StoppedException,
          IOException,
          InterruptedException {
    long startedNs = frame.clock().monotonicNs();
    LoopTraffic traffic = traffic(temporary);
    heedAWishToStop();
    Executor executor = opened.add(warmedUp(backend));
    heedAWishToStop();
    traffic.reportEach(
        settings.heartbeatMs(),
        backend.deviceKind(),
        settings.lanes(),
        frame.experiment().resources().totalTokens(),
        executor.capabilities());

    double wholeMinutes = estimateMinutes(whole, executor.capabilities());
    ProfilePlan plan = fitting(whole, wholeMinutes);
    long missing = rows.missing(plan, backend.deviceKind());
    double minutes = wholeMinutes * missing / whole.rows();
    console.item(
        "plan",
        String.format(
            Locale.ROOT,
            "%d keys × %d repeats in %d passes%s, about %s",
            plan.keys().size(),
            plan.passes() * plan.repeats(),
            plan.passes(),
            missing == plan.rows() ? "" : ", " + (plan.rows() - missing) + " there already",
            minutes < 1
                ? String.format(Locale.ROOT, "%.0f s", Math.ceil(60 * minutes))
                : String.format(Locale.ROOT, "%.1f min", minutes)));
    if (plan.repeats() != whole.repeats()) {
      console.item(
          "",
          "--minutes %s leaves time for %s of %s repeats of each key in each pass"
              .formatted(minutesMaxText(), plan.repeats(), whole.repeats()));
    }
    long beganEpochNs =
        rows.began(frame.clock().epochNs(), plan, options.repeats(), options.config());
    Recorder recorder;
    boolean all;
    try (var bar = new ProfileBar(console, missing)) {
      recorder = new Recorder(traffic, bar, beganEpochNs);
      all =
          new Profiler(executor)
              .measure(plan, rows.measured(), lanes.workloadInfos(), beganEpochNs, recorder);
    }
    recorder.failIfTrafficStands();
    long left = rows.missing(whole, backend.deviceKind()) - recorder.measuredCount;
    report(recorder, all && plan.equals(whole), left, whole, startedNs);
  }

  /** All passes with as many repeats as there is time for, at least one. */
  private ProfilePlan fitting(ProfilePlan whole, double wholeMinutes) {
    if (options.minutes() == null || wholeMinutes <= options.minutes()) {
      return whole;
    }
    int repeats = (int) Math.max(1, whole.repeats() * options.minutes() / wholeMinutes);
    return new ProfilePlan(whole.keys(), whole.passes(), repeats, whole.seed());
  }

  /** Goes by the times at warm-up; lanes that slow each other down make the real time longer. */
  private static double estimateMinutes(ProfilePlan plan, List<Capability> capabilities) {
    double ns = 0;
    for (LatencyKey key : plan.keys()) {
      for (Capability capability : capabilities) {
        if (capability.model().equals(key.model())) {
          ns +=
              capability.warmUps().stream()
                      .filter(warmUp -> warmUp.samples() == key.samples())
                      .mapToLong(WarmUp::serviceNs)
                      .sum()
                  / (double) key.busyLanes();
        }
      }
    }
    return OVERHEAD * ns * plan.passes() * plan.repeats() / 60e9;
  }

  private String minutesMaxText() {
    return options.minutes() == null ? "" : Numbers.text(options.minutes());
  }

  private void heedAWishToStop() throws StoppedException {
    if (stopped) {
      throw new StoppedException();
    }
  }

  private LoopTraffic traffic(Path temporary)
      throws RoleFailedException, UserMistakeException, InterruptedException {
    long startedNs = frame.clock().monotonicNs();
    KafkaAccess kafka = KafkaAccess.startEmbedded(opened, temporary);
    RunTopics.create(frame.topics(), 1, kafka.clients());
    var traffic = opened.add(LoopTraffic.begin(frame.topics(), kafka.clients()));
    console.item(
        "traffic",
        "embedded Kafka with the records that a run's batches cause, "
            + frame.secondsSince(startedNs));
    return traffic;
  }

  private Executor warmedUp(LaneBackend backend) throws WarmUpException, InterruptedException {
    long startedNs = frame.clock().monotonicNs();
    Executor executor =
        new Executor(
                settings,
                backend,
                frame.clock(),
                frame.pacer(),
                (done, total, what) ->
                    console.progress("warm-up", done + " of " + total + ": " + what))
            .awaitWarm();
    console.clearLiveLine();
    console.item(
        "warm-up",
        settings.lanes()
            + (settings.lanes() == 1 ? " lane, " : " lanes, ")
            + frame.secondsSince(startedNs));
    executor.warnings().forEach(warning -> console.item("", "warning: " + warning));
    return executor;
  }

  private void report(
      Recorder recorder, boolean isWhole, long left, ProfilePlan plan, long startedNs)
      throws IOException {
    Double foreign = recorder.foreignLoad.shareOfAll();
    console.item(
        "measured",
        recorder.measuredCount
            + " repeats, "
            + frame.secondsSince(startedNs)
            + (foreign == null
                ? ""
                : String.format(
                    Locale.ROOT, ", others took %.0f %% of the processors", 100 * foreign)));
    if (isWhole) {
      return;
    }
    String why = stopped ? "stopped by Ctrl-C" : "--minutes " + minutesMaxText() + " ran out";
    String said = why + ": " + (plan.rows() - left) + " of " + plan.rows() + " repeats are there";
    rows.comment(said);
    boolean rowsAreThere = left < plan.rows();
    console.item("", said + (rowsAreThere ? "; the same command goes on" : ""));
  }

  /** Recorder of each measured batch in the file, on the bar and in the broker. */
  private final class Recorder implements Profiler.Listener {
    private final LoopTraffic traffic;
    private final ProfileBar bar;
    private final long beganEpochNs;
    private final ForeignLoad foreignLoad = new ForeignLoad();

    /** Monotonic time when {@code --minutes} will have run out. */
    private volatile long endNs = Long.MAX_VALUE;

    /** Number of measured repeats; used by the measuring thread alone. */
    private long measuredCount;

    Recorder(LoopTraffic traffic, ProfileBar bar, long beganEpochNs) throws IOException {
      this.traffic = traffic;
      this.bar = bar;
      this.beganEpochNs = beganEpochNs;
    }

    @Override
    public void settled() {
      if (options.minutes() != null) {
        endNs = frame.clock().monotonicNs() + (long) (options.minutes() * 60e9);
      }
    }

    @Override
    public void batchEnded(
        LatencyKey key, String jobId, int lane, long serviceNs, boolean measured) {
      traffic.batchEnded(key, jobId, lane, frame.clock().epochNs() - beganEpochNs, serviceNs);
      if (measured) {
        bar.measured();
      }
    }

    @Override
    public @Nullable Double foreignLoad() {
      return foreignLoad.share();
    }

    @Override
    public void measured(List<ProfileRow> rows) {
      try {
        ProfileRun.this.rows.append(rows);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      measuredCount += rows.size();
    }

    @Override
    public boolean goesOn() {
      return !stopped && traffic.failure() == null && frame.clock().monotonicNs() < endNs;
    }

    void failIfTrafficStands() throws RoleFailedException {
      Throwable failure = traffic.failure();
      if (failure != null) {
        throw new RoleFailedException(
            "the records of the loop came to a stop: " + failure, failure);
      }
    }
  }

  private void writeTable(Path table, ProfileFile.Contents profile, String deviceKind)
      throws IOException {
    List<ProfileRow> ofThreads =
        profile.rows().stream()
            .filter(row -> row.key().threads() == settings.threadsPerLane())
            .toList();
    List<String> source =
        new ArrayList<>(
            List.of(
                "Measured by ./sluice profile on %s, from %s single times."
                    .formatted(
                        requireNonNullElse(profile.said(ProfileRows.MACHINE), "an unknown machine"),
                        ofThreads.size()),
                "Begun %s, %s thread(s) a lane, other lanes with the same mix, beside an embedded Kafka."
                    .formatted(
                        requireNonNullElse(profile.said(ProfileRows.BEGAN), "at an unknown time"),
                        settings.threadsPerLane())));
    String disturbance = ProfileRow.disturbance(ofThreads);
    if (disturbance != null) {
      console.item("", "warning: " + disturbance);
      source.add(LatencyTable.WARNING + " " + disturbance + ".");
    }
    LatencyTable.write(
        table,
        deviceKind.startsWith("emulated") ? deviceKind : "emulated-" + deviceKind,
        source,
        ofThreads);
  }

  /** Obeys a person's wish that the profile end. Called from any thread. */
  private void stop() {
    stopped = true;
    console.line("Stopping after the batches at hand; what was measured is kept.");
  }
}
