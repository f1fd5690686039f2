package dev.sluice.harness.profile;

import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.dispatch.LaneBackend;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.executor.dispatch.Profiler;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.executor.lane.LatencyTable;
import dev.sluice.executor.lane.WarmedLanes.WarmUpException;
import dev.sluice.executor.latency.ProfileFile;
import dev.sluice.executor.latency.ProfilePlan;
import dev.sluice.executor.latency.ProfileRow;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.frame.RunFrame;
import dev.sluice.harness.frame.SluiceVersion;
import dev.sluice.harness.kafka.Opened;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.process.LogFile;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.harness.process.Secrets;
import dev.sluice.harness.process.Signals;
import dev.sluice.harness.process.StoppedException;
import dev.sluice.harness.process.TemporaryFolder;
import dev.sluice.harness.role.ExecuteRole;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
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

  private final Options options;
  private final Console console;
  private final Opened opened = new Opened();
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

  public ProfileRun(Options options, Console console) {
    this.options = options;
    this.console = console;
  }

  /** Measures, and returns the exit status. */
  public int execute() throws UserMistakeException, IOException, InterruptedException {
    ParsedExperiment parsed =
        ExperimentFile.read(options.config(), options.allOverrides(), Registries.vocabulary());
    ExecutorSettings settings = Profiler.settings(parsed.experiment());
    LaneSource lanes = opened.add(LaneSource.of(parsed));
    ProfileRows rows = ProfileRows.open(options.profiles(), console);
    RunFrame frame = RunFrame.of(parsed, "profile", console);
    Path temporary = makeFolders();
    try (var lock = locked(temporary);
        var log = LogFile.open(temporary.resolve(LOG_NAME), Secrets.NONE);
        var signals = Signals.listen(this::stop, () -> TemporaryFolder.remove(temporary))) {
      console.line("Sluice " + SluiceVersion.current() + ", profile of " + options.config());
      try {
        int status = execute(frame, settings, lanes, rows, temporary);
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
      throw new UserMistakeException(
          "--results",
          "the folder cannot be written (%s: %s)"
              .formatted(options.results(), UserMistakeException.reason(e)),
          "you want another --results, or lack the right to write there");
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

  private int execute(
      RunFrame frame, ExecutorSettings settings, LaneSource lanes, ProfileRows rows, Path temporary)
      throws UserMistakeException,
          RoleFailedException,
          WarmUpException,
          StoppedException,
          IOException,
          InterruptedException {
    LaneBackend backend = ExecuteRole.loadModels(frame, lanes, frame.experiment().lanes().speed());
    rows.checkSameLanes(backend.deviceKind());
    if (stopped) {
      throw new StoppedException();
    }
    var plan =
        new ProfilePlan(
            Profiler.keys(settings), options.passes(), options.repeats(), settings.seed());
    if (rows.missing(plan, backend.deviceKind()) > 0) {
      new ProfileMeasurement(frame, settings, options, rows, opened, () -> stopped)
          .measure(lanes, backend, plan, temporary);
    } else {
      console.item("measured", "all " + plan.rows() + " repeats were there already");
      console.item("", "--passes " + (options.passes() + 1) + " would measure them once more");
    }
    opened.close();
    ProfileFile.Contents all = rows.all();
    if (all == null) {
      throw new StoppedException();
    }
    writeTable(all, backend.deviceKind(), settings);
    new MemoryMeasurement(frame, settings, options, () -> stopped).measure(lanes);
    console.line("");
    console.line("Profile   " + options.profiles());
    Path table = options.results().resolve("latency_table.csv");
    console.line("Table     " + table);
    console.line("Next      ./sluice train " + options.profiles());
    console.line("          or simulate, and capacity --simulate, with --profile " + table);
    return ExitStatus.DONE;
  }

  private void writeTable(
      ProfileFile.Contents profile, String deviceKind, ExecutorSettings settings)
      throws IOException {
    List<ProfileRow> rows =
        profile.rows().stream()
            .filter(row -> row.key().threads() == settings.threadsPerLane())
            .toList();
    List<String> source =
        new ArrayList<>(
            List.of(
                "Measured by ./sluice profile on %s, from %s single times."
                    .formatted(ProfileRows.machineOf(profile), rows.size()),
                "Begun %s, %s thread(s) a lane, other lanes with the same mix, beside an embedded Kafka."
                    .formatted(ProfileRows.beganOf(profile), settings.threadsPerLane())));
    String disturbance = ProfileRow.disturbance(rows);
    if (disturbance != null) {
      console.item("", "warning: " + disturbance);
      source.add(LatencyTable.WARNING + " " + disturbance + ".");
    }
    LatencyTable.write(
        options.results().resolve("latency_table.csv"),
        deviceKind.startsWith("emulated") ? deviceKind : "emulated-" + deviceKind,
        source,
        rows);
  }

  /** Obeys a person's wish that the profile end. Called from any thread. */
  private void stop() {
    stopped = true;
    console.line("Stopping after the batches at hand; what was measured is kept.");
  }
}
