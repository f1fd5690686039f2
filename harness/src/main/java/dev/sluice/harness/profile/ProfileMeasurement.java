package dev.sluice.harness.profile;

import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.WarmUp;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RunTopics;
import dev.sluice.executor.dispatch.LaneBackend;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.executor.dispatch.Profiler;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.executor.lane.WarmedLanes.WarmUpException;
import dev.sluice.executor.latency.LatencyKey;
import dev.sluice.executor.latency.ProfilePlan;
import dev.sluice.executor.latency.ProfileRow;
import dev.sluice.harness.frame.RunFrame;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.kafka.Opened;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.ForeignLoad;
import dev.sluice.harness.machine.ProfileBar;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.harness.process.StoppedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Measurement of a profile's missing repeats: warm lanes run batches one after the other, beside
 * the records of a run ({@link LoopTraffic}) through an embedded Kafka.
 */
record ProfileMeasurement(
    RunFrame frame,
    ExecutorSettings settings,
    ProfileRun.Options options,
    ProfileRows rows,
    Opened opened,
    BooleanSupplier stopped) {
  /** Inputs are made between batches, and the machine can be slower than at warm-up. */
  private static final double OVERHEAD = 1.15;

  /** Measures until all repeats are there, the time has run out or a person stops it. */
  void measure(LaneSource lanes, LaneBackend backend, ProfilePlan whole, Path temporary)
      throws UserMistakeException,
          RoleFailedException,
          WarmUpException,
          StoppedException,
          IOException,
          InterruptedException {
    long startedNs = frame.clock().monotonicNs();
    LoopTraffic traffic = traffic(temporary);
    heedAWishToStop();
    Profiler profiler = opened.add(warmedUp(backend));
    heedAWishToStop();
    traffic.reportEach(
        settings.heartbeatMs(),
        backend.deviceKind(),
        settings.lanes(),
        frame.experiment().resources().totalTokens(),
        profiler.warmed().capabilities());

    double wholeMinutes = estimateMinutes(whole, profiler.warmed().capabilities());
    ProfilePlan plan = fitting(whole, wholeMinutes);
    long missing = rows.missing(plan, backend.deviceKind());
    double minutes = wholeMinutes * missing / whole.rows();
    console()
        .item(
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
      console()
          .item(
              "",
              "--minutes %s leaves time for %s of %s repeats of each key in each pass"
                  .formatted(minutesMaxText(), plan.repeats(), whole.repeats()));
    }
    long beganEpochNs =
        rows.began(frame.clock().epochNs(), plan, options.repeats(), options.config());
    try (var bar = new ProfileBar(console(), missing)) {
      var recorder = new Recorder(traffic, bar, beganEpochNs);
      boolean all;
      try {
        all =
            profiler.measure(plan, rows.measured(), lanes.workloadInfos(), beganEpochNs, recorder);
      } finally {
        bar.close();
      }
      recorder.failIfTrafficStands();
      long left = rows.missing(whole, backend.deviceKind()) - recorder.measuredCount;
      report(recorder, all && plan.equals(whole), left, whole, startedNs);
    }
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

  private String minutesMaxText() {
    return options.minutes() == null ? "" : Numbers.text(options.minutes());
  }

  private Console console() {
    return frame.console();
  }

  private void heedAWishToStop() throws StoppedException {
    if (stopped.getAsBoolean()) {
      throw new StoppedException();
    }
  }

  private LoopTraffic traffic(Path temporary)
      throws RoleFailedException, UserMistakeException, InterruptedException {
    long startedNs = frame.clock().monotonicNs();
    KafkaAccess kafka = KafkaAccess.startEmbedded(opened, temporary);
    RunTopics.create(frame.topics(), 1, kafka.clients());
    var traffic = opened.add(LoopTraffic.begin(frame.topics(), kafka.clients()));
    console()
        .item(
            "traffic",
            "embedded Kafka with the records that a run's batches cause, "
                + frame.secondsSince(startedNs));
    return traffic;
  }

  private Profiler warmedUp(LaneBackend backend) throws WarmUpException, InterruptedException {
    long startedNs = frame.clock().monotonicNs();
    Profiler profiler =
        Profiler.warmUp(
            settings,
            backend,
            frame.clock(),
            frame.pacer(),
            (done, total, what) ->
                console().progress("warm-up", done + " of " + total + ": " + what));
    console().clearLiveLine();
    console()
        .item(
            "warm-up",
            settings.lanes()
                + (settings.lanes() == 1 ? " lane, " : " lanes, ")
                + frame.secondsSince(startedNs));
    profiler.warmed().warnings().forEach(warning -> console().item("", "warning: " + warning));
    return profiler;
  }

  private void report(
      Recorder recorder, boolean isWhole, long left, ProfilePlan plan, long startedNs)
      throws IOException {
    Double foreign = recorder.foreignLoad.shareOfAll();
    console()
        .item(
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
    String why =
        stopped.getAsBoolean() ? "stopped by Ctrl-C" : "--minutes " + minutesMaxText() + " ran out";
    String said = why + ": " + (plan.rows() - left) + " of " + plan.rows() + " repeats are there";
    rows.comment(said);
    boolean rowsAreThere = left < plan.rows();
    console().item("", said + (rowsAreThere ? "; the same command goes on" : ""));
  }

  /** Recorder of each measured batch in the file, on the bar and in the broker. */
  private final class Recorder implements Profiler.Listener {
    private final LoopTraffic traffic;
    private final ProfileBar bar;
    private final long beganEpochNs;
    private final ForeignLoad foreignLoad;

    /** Monotonic time when {@code --minutes} will have run out. */
    private volatile long endNs = Long.MAX_VALUE;

    /** Number of measured repeats; used by the measuring thread alone. */
    private long measuredCount;

    Recorder(LoopTraffic traffic, ProfileBar bar, long beganEpochNs) throws IOException {
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
        ProfileMeasurement.this.rows.append(rows);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      measuredCount += rows.size();
    }

    @Override
    public boolean goesOn() {
      return !stopped.getAsBoolean()
          && traffic.failure() == null
          && frame.clock().monotonicNs() < endNs;
    }

    void failIfTrafficStands() throws RoleFailedException {
      Throwable failure = traffic.failure();
      if (failure != null) {
        throw new RoleFailedException(
            "the records of the loop came to a stop: " + failure, failure);
      }
    }
  }
}
