package dev.sluice.harness.profile;

import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.WarmUp;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RunTopics;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.dispatch.LaneBackend;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.executor.dispatch.Profiler;
import dev.sluice.executor.emulation.LatencyTable;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.executor.lane.WarmUpException;
import dev.sluice.executor.profile.LatencyKey;
import dev.sluice.executor.profile.ProfileFile;
import dev.sluice.executor.profile.ProfilePlan;
import dev.sluice.executor.profile.ProfileRow;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.frame.RunFrame;
import dev.sluice.harness.frame.SluiceVersion;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.kafka.Opened;
import dev.sluice.harness.machine.ForeignLoad;
import dev.sluice.harness.machine.HostLoad;
import dev.sluice.harness.process.LogFile;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.harness.process.Secrets;
import dev.sluice.harness.process.Signals;
import dev.sluice.harness.process.StoppedException;
import dev.sluice.harness.process.TemporaryFolder;
import dev.sluice.harness.role.ExecuteRole;
import dev.sluice.harness.terminal.Console;
import dev.sluice.harness.terminal.ProfileBar;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A profile, from its experiment to its files. While lanes are measured, an embedded Kafka takes
 * and gives the records of a run ({@link LoopTraffic}): what a service time is beside the loop.
 */
public final class ProfileRun {
  private static final Logger LOG = LoggerFactory.getLogger(ProfileRun.class);

  /**
   * What a run needs and a profile does not: a file without these will do, and they do not count.
   */
  private static final List<String> UNUSED_KEYS =
      List.of(
          "duration_seconds=1",
          "warmup_seconds=0",
          "tail_seconds=0",
          "arrival_rate_jobs_per_sec=1");

  /** Inputs are made between the batches, and the machine is not always as quick as at warm-up. */
  private static final double OVERHEAD = 1.15;

  private static final String LOG_NAME = "profile.log";
  private static final String BEGAN = "began";
  private static final String MACHINE = "machine";

  private final Options options;
  private final Console console;
  private final Opened opened = new Opened();
  private volatile boolean stopped;

  /**
   * What the command line said.
   *
   * @param results the folder of the files
   * @param minutes how long to measure at most; null: as long as it takes
   * @param passes at least 1
   * @param repeats of each key in each pass; at least 1
   */
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

  public ProfileRun(Options options, Console console) {
    this.options = options;
    this.console = console;
  }

  /**
   * Measures, and returns the exit status.
   *
   * @throws IOException if the files can not be written any more
   */
  public int execute() throws UserMistakeException, IOException, InterruptedException {
    ParsedExperiment parsed =
        ExperimentFile.read(options.config(), options.allOverrides(), Registries.vocabulary());
    ExecutorSettings settings = Profiler.settings(parsed.experiment());
    LaneSource lanes = opened.add(LaneSource.of(parsed));
    ProfileFile.@Nullable Contents before = contents();
    RunFrame frame = RunFrame.of(parsed, "profile", console);
    Path temporary = makeFolders();
    try (var lock = locked(temporary);
        var log = LogFile.open(temporary.resolve(LOG_NAME), Secrets.NONE);
        var signals = Signals.listen(this::stop, () -> TemporaryFolder.remove(temporary))) {
      console.line("Sluice " + SluiceVersion.current() + ", profile of " + options.config());
      try {
        int status = execute(frame, settings, lanes, before, temporary);
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

  /** The log of a profile that failed outlives its temporary files. */
  private Path kept(Path temporary) throws IOException {
    opened.close();
    return Files.copy(
        temporary.resolve(LOG_NAME),
        options.results().resolve(LOG_NAME),
        StandardCopyOption.REPLACE_EXISTING);
  }

  /** A mistake leaves no folder that was not there. */
  private static void removeIfEmpty(Path folder) throws IOException {
    try {
      Files.delete(folder);
    } catch (DirectoryNotEmptyException e) {
      // it holds what was measured, or what was there
    }
  }

  /** The rows of earlier commands; null: there are none. */
  private ProfileFile.@Nullable Contents contents() throws UserMistakeException, IOException {
    Path file = options.profiles();
    if (!Files.exists(file)) {
      return null;
    }
    if (Files.isRegularFile(file) && Files.isWritable(file) && ProfileFile.mend(file)) {
      console.line("A line at the end of " + file + " was cut off; it is measured again.");
    }
    return ProfileFile.hasRows(file) ? ProfileFile.read(file) : null;
  }

  private Path makeFolders() throws UserMistakeException {
    Path temporary = options.results().resolve("profile.running");
    try {
      Files.createDirectories(temporary);
      return temporary;
    } catch (IOException e) {
      throw new UserMistakeException(
          "--results",
          "the folder can not be written ("
              + options.results()
              + ": "
              + UserMistakeException.reason(e)
              + ")",
          "you want another --results, or have to give yourself the right to write there");
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

  public int execute(
      RunFrame frame,
      ExecutorSettings settings,
      LaneSource lanes,
      ProfileFile.@Nullable Contents before,
      Path temporary)
      throws UserMistakeException,
          RoleFailedException,
          WarmUpException,
          StoppedException,
          IOException,
          InterruptedException {
    LaneBackend backend = ExecuteRole.loadModels(frame, lanes, frame.experiment().lanes().speed());
    checkSameLanes(before, backend.deviceKind());
    heedAWishToStop();
    var plan =
        new ProfilePlan(
            Profiler.keys(settings), options.passes(), options.repeats(), settings.seed());
    Set<ProfileRow.Slot> measured = new HashSet<>();
    if (before != null) {
      before.rows().forEach(row -> measured.add(row.slot()));
    }
    if (missing(plan, measured, backend.deviceKind()) > 0) {
      measure(frame, settings, lanes, backend, plan, before, temporary);
    } else {
      console.item("measured", "all " + plan.rows() + " repeats were there already");
      console.item("", "--passes " + (options.passes() + 1) + " would measure them once more");
    }
    opened.close();
    if (!ProfileFile.hasRows(options.profiles())) {
      Files.delete(options.profiles());
      throw new StoppedException();
    }
    ProfileFile.Contents all = ProfileFile.read(options.profiles());
    writeTable(all, backend.deviceKind(), settings);
    measureMemory(frame, settings, lanes);
    console.line("");
    console.line("Profile   " + options.profiles());
    console.line("Table     " + options.results().resolve("latency_table.csv"));
    console.line("Next      ./sluice train " + options.profiles());
    return ExitStatus.DONE;
  }

  private static long missing(ProfilePlan plan, Set<ProfileRow.Slot> measured, String deviceKind) {
    long there =
        measured.stream()
            .filter(
                slot ->
                    slot.deviceKind().equals(deviceKind)
                        && slot.pass() <= plan.passes()
                        && slot.repeat() <= plan.repeats()
                        && plan.keys().contains(slot.key()))
            .count();
    return plan.rows() - there;
  }

  /** Rows of other lanes beside these would make a profile of nothing. */
  private void checkSameLanes(ProfileFile.@Nullable Contents before, String deviceKind)
      throws UserMistakeException, IOException {
    if (before == null) {
      return;
    }
    String other =
        before.rows().stream()
            .map(ProfileRow::deviceKind)
            .filter(kind -> !kind.equals(deviceKind))
            .findFirst()
            .orElse(null);
    String machine = before.said(MACHINE);
    if (other == null && (machine == null || machine.equals(machine()))) {
      return;
    }
    throw new UserMistakeException(
        options.profiles().toString(),
        other != null
            ? "the profile there is of device kind ("
                + other
                + "), and these lanes are of ("
                + deviceKind
                + ")"
            : "the profile there was measured on ("
                + machine
                + "), and this is ("
                + machine()
                + ")",
        "you want another --results, or to move that file away");
  }

  private static String machine() throws IOException {
    return HostLoad.processorName().orElse("unknown processor")
        + ", "
        + Runtime.getRuntime().availableProcessors()
        + " processors, "
        + System.getProperty("os.name")
        + " "
        + System.getProperty("os.arch")
        + ", Java "
        + Runtime.version().feature();
  }

  private void measure(
      RunFrame frame,
      ExecutorSettings settings,
      LaneSource lanes,
      LaneBackend backend,
      ProfilePlan whole,
      ProfileFile.@Nullable Contents before,
      Path temporary)
      throws UserMistakeException,
          RoleFailedException,
          WarmUpException,
          StoppedException,
          IOException,
          InterruptedException {
    long startedNs = frame.clock().monotonicNs();
    LoopTraffic traffic = traffic(frame, temporary);
    heedAWishToStop();
    Profiler profiler = opened.add(warmedUp(frame, settings, backend));
    heedAWishToStop();
    traffic.reportEach(
        settings.heartbeatMs(),
        backend.deviceKind(),
        settings.lanes(),
        frame.experiment().resources().totalTokens(),
        profiler.capabilities());

    double minutes = estimateMinutes(whole, profiler.capabilities());
    ProfilePlan plan = within(whole, minutes);
    Set<ProfileRow.Slot> measured = new HashSet<>();
    if (before != null) {
      before.rows().forEach(row -> measured.add(row.slot()));
    }
    long missing = missing(plan, measured, backend.deviceKind());
    console.item(
        "plan",
        String.format(
            Locale.ROOT,
            "%d keys × %d repeats in %d passes%s, about %s",
            plan.keys().size(),
            plan.passes() * plan.repeats(),
            plan.passes(),
            missing == plan.rows() ? "" : ", " + (plan.rows() - missing) + " there already",
            duration(minutes * missing / whole.rows())));
    if (plan.repeats() < whole.repeats()) {
      console.item(
          "",
          String.format(
              Locale.ROOT,
              "--minutes %s leaves time for %d of %d repeats of each key in each pass",
              trimmed(options.minutes()),
              plan.repeats(),
              whole.repeats()));
    }
    long beganEpochNs = began(frame, plan, before);
    try (var bar = new ProfileBar(console, missing)) {
      var recorder = new Recorder(frame, traffic, bar, beganEpochNs);
      boolean all;
      try {
        all = profiler.measure(plan, measured, lanes.workloadInfos(), beganEpochNs, recorder);
      } finally {
        bar.close();
      }
      recorder.failIfTrafficStands();
      long left = missing(whole, measured, backend.deviceKind()) - recorder.measuredCount;
      report(frame, recorder, all && plan.equals(whole), left, whole, startedNs);
    }
  }

  private void report(
      RunFrame frame, Recorder recorder, boolean whole, long left, ProfilePlan plan, long startedNs)
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
    if (whole) {
      return;
    }
    String why =
        stopped ? "stopped by Ctrl-C" : "--minutes " + trimmed(options.minutes()) + " ran out";
    String said = why + ": " + (plan.rows() - left) + " of " + plan.rows() + " repeats are there";
    ProfileFile.comment(options.profiles(), said);
    console.item("", said + (rowsAreThere(plan, left) ? "; the same command goes on" : ""));
  }

  private static boolean rowsAreThere(ProfilePlan plan, long left) {
    return left < plan.rows();
  }

  private LoopTraffic traffic(RunFrame frame, Path temporary)
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

  private Profiler warmedUp(RunFrame frame, ExecutorSettings settings, LaneBackend backend)
      throws WarmUpException, InterruptedException {
    long startedNs = frame.clock().monotonicNs();
    Profiler profiler =
        Profiler.warmUp(
            settings,
            backend,
            frame.clock(),
            frame.pacer(),
            (done, total, what) -> {
              if (console.isTerminal()) {
                console.live(
                    String.format(
                        Locale.ROOT, "  %-14s %d of %d: %s", "warm-up", done, total, what));
              }
            });
    console.clearLiveLine();
    console.item(
        "warm-up",
        settings.lanes()
            + (settings.lanes() == 1 ? " lane, " : " lanes, ")
            + frame.secondsSince(startedNs));
    profiler.warnings().forEach(warning -> console.item("", "warning: " + warning));
    return profiler;
  }

  /** From the times at warm-up; lanes that slow each other down make it longer. */
  private static double estimateMinutes(ProfilePlan plan, List<Capability> capabilities) {
    double ns = 0;
    for (LatencyKey key : plan.keys()) {
      for (Capability capability : capabilities) {
        if (capability.workload().equals(key.workload())
            && capability.backend().equals(key.backend())
            && capability.precision().equals(key.precision())) {
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

  /** All passes, with as many repeats as there is time for, one at least. */
  private ProfilePlan within(ProfilePlan whole, double minutes) {
    if (options.minutes() == null || minutes <= options.minutes()) {
      return whole;
    }
    int repeats = (int) Math.max(1, whole.repeats() * options.minutes() / minutes);
    return new ProfilePlan(whole.keys(), whole.passes(), repeats, whole.seed());
  }

  /** When the profile was begun; makes its file if there is none. */
  private long began(RunFrame frame, ProfilePlan plan, ProfileFile.@Nullable Contents before)
      throws IOException, UserMistakeException {
    long nowEpochNs = frame.clock().epochNs();
    if (before != null) {
      String said = before.said(BEGAN);
      try {
        return said == null ? nowEpochNs : Instant.parse(said).toEpochMilli() * 1_000_000;
      } catch (DateTimeParseException e) {
        throw new UserMistakeException(
            options.profiles().toString(),
            "the comment began (" + said + ") is no time",
            "it was edited; you want another --results",
            e);
      }
    }
    Files.deleteIfExists(options.profiles()); // it has no row
    ProfileFile.create(
        options.profiles(),
        List.of(
            "Service times, a row for each repeat. Passes were apart in time, each in an order drawn"
                + " from seed "
                + plan.seed()
                + ".",
            "busy_lanes - 1 other lanes ran batches of the same keys meanwhile, and an embedded Kafka"
                + " took and gave the records of such batches.",
            BEGAN + ": " + Instant.ofEpochMilli(nowEpochNs / 1_000_000),
            MACHINE + ": " + machine(),
            "experiment: " + options.config().getFileName(),
            "planned: %d keys, %d repeats of each in %d passes"
                .formatted(plan.keys().size(), plan.passes() * options.repeats(), plan.passes())));
    return nowEpochNs / 1_000_000 * 1_000_000;
  }

  /** Takes what is measured to the file, the bar and the broker. */
  private final class Recorder implements Profiler.Listener {
    private final RunFrame frame;
    private final LoopTraffic traffic;
    private final ProfileBar bar;
    private final long beganEpochNs;
    private final ForeignLoad foreignLoad;

    /** When the minutes given will have run out. */
    private volatile long endNs = Long.MAX_VALUE;

    /** Used by the measuring thread alone. */
    private long measuredCount;

    Recorder(RunFrame frame, LoopTraffic traffic, ProfileBar bar, long beganEpochNs)
        throws IOException {
      this.frame = frame;
      this.traffic = traffic;
      this.bar = bar;
      this.beganEpochNs = beganEpochNs;
      this.foreignLoad = ForeignLoad.begin(frame.clock()::monotonicNs);
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
        ProfileFile.append(options.profiles(), rows);
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

  private void writeTable(
      ProfileFile.Contents profile, String deviceKind, ExecutorSettings settings)
      throws IOException {
    List<ProfileRow> rows =
        profile.rows().stream()
            .filter(row -> row.key().threads() == settings.threadsPerLane())
            .toList();
    LatencyTable.write(
        options.results().resolve("latency_table.csv"),
        deviceKind.startsWith("emulated") ? deviceKind : "emulated-" + deviceKind,
        List.of(
            "Measured by ./sluice profile on "
                + Objects.requireNonNullElse(profile.said(MACHINE), "an unknown machine")
                + ", from "
                + rows.size()
                + " single times.",
            "Begun "
                + Objects.requireNonNullElse(profile.said(BEGAN), "at an unknown time")
                + ", "
                + settings.threadsPerLane()
                + " thread(s) a lane, other lanes with the same mix, beside an embedded Kafka."),
        rows);
  }

  private void measureMemory(RunFrame frame, ExecutorSettings settings, LaneSource lanes)
      throws InterruptedException, IOException {
    Experiment experiment = frame.experiment();
    Path file = options.results().resolve("memory.csv");
    if (stopped) {
      return;
    }
    if (experiment.lanes().emulated() || !MemoryProbe.isPossible()) {
      console.item(
          "memory",
          experiment.lanes().emulated()
              ? "not measured: emulated lanes hold no model"
              : "not measured: this system does not tell a process's peak");
      return;
    }
    if (lanes.devices().stream().anyMatch(devices -> !devices.kind().equals("cpu"))) {
      console.item("memory", "not measured: the models are not in the memory of the processor");
      return;
    }
    if (Files.exists(file) && MemoryTable.holds(file, settings.models())) {
      console.item("memory", "measured already: " + file);
      return;
    }
    long startedNs = frame.clock().monotonicNs();
    List<MemoryTable.Row> rows = new ArrayList<>();
    for (ModelKey model : settings.models()) {
      if (stopped) {
        return;
      }
      if (console.isTerminal()) {
        console.live(String.format(Locale.ROOT, "  %-14s %s", "memory", model));
      }
      rows.addAll(
          MemoryTable.measure(
              options.config(),
              options.allOverrides(),
              experiment,
              model,
              settings.warmUpSamples()));
    }
    console.clearLiveLine();
    var table = new MemoryTable(rows);
    table.write(file);
    console.item(
        "memory",
        String.format(
            Locale.ROOT,
            "each model in a process of its own, %s; 1 token is %.2f MiB",
            frame.secondsSince(startedNs),
            table.mibPerToken()));
    table.lines().forEach(line -> console.item("", line));
  }

  /** A person wants the profile to end. From any thread. */
  private void stop() {
    stopped = true;
    console.line("Stopping after the batches at hand; what was measured is kept.");
  }

  private void heedAWishToStop() throws StoppedException {
    if (stopped) {
      throw new StoppedException();
    }
  }

  private static String duration(double minutes) {
    return minutes < 1
        ? String.format(Locale.ROOT, "%.0f s", Math.ceil(60 * minutes))
        : String.format(Locale.ROOT, "%.1f min", minutes);
  }

  private static String trimmed(@Nullable Double number) {
    return number == null
        ? ""
        : number == Math.rint(number) ? Long.toString(number.longValue()) : number.toString();
  }
}
