package dev.sluice.executor.dispatch;

import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.time.Pacer;
import dev.sluice.contract.time.ProcessClock;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.lane.Device;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.executor.lane.Lane;
import dev.sluice.executor.lane.LaneWork;
import dev.sluice.executor.lane.WarmUpException;
import dev.sluice.executor.lane.WarmUpProgress;
import dev.sluice.executor.lane.WarmUpSamples;
import dev.sluice.executor.lane.WarmedLanes;
import dev.sluice.executor.network.WorkloadInfo;
import dev.sluice.executor.profile.LatencyKey;
import dev.sluice.executor.profile.ProfilePlan;
import dev.sluice.executor.profile.ProfilePlan.Round;
import dev.sluice.executor.profile.ProfileRow;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Measures service times on the lanes of an executor, as an executor does: around joining the
 * batch, inference and copying back, after the inputs were made.
 *
 * <p>A round's keys are dealt to as many lanes as it keeps busy, each lane taking the next; a lane
 * that finds none left runs batches drawn from the same keys, which are not measured, until the
 * last measured one has ended. So the other lanes' work is the mix of all keys, and each row is
 * measured beside exactly that number of busy lanes but for the moments in which a lane makes its
 * inputs.
 */
public final class Profiler implements AutoCloseable {
  private final ExecutorSettings settings;
  private final String deviceKind;
  private final ProcessClock clock;
  private final Device device;
  private final WarmedLanes warmed;

  /** Hears of a profile while it goes on. */
  public interface Listener {
    /** Lanes and what surrounds them are warm: measuring begins. On the caller's thread. */
    void settled();

    /**
     * A batch has ended, measured or not. On its lane's thread, between two batches.
     *
     * @param jobId of the one job in it
     * @param measured whether it makes a row
     */
    void batchEnded(LatencyKey key, String jobId, int lane, long serviceNs, boolean measured);

    /** Share of the processors that others took lately; null: unknown. On a lane's thread. */
    @Nullable Double foreignLoad();

    /** Rows of a round, the last or a part of it. On the caller's thread. */
    void measured(List<ProfileRow> rows);

    /** Whether to measure more. On any thread. */
    boolean goesOn();
  }

  private Profiler(
      ExecutorSettings settings,
      String deviceKind,
      ProcessClock clock,
      Device device,
      WarmedLanes warmed) {
    this.settings = settings;
    this.deviceKind = deviceKind;
    this.clock = clock;
    this.device = device;
    this.warmed = warmed;
  }

  /**
   * What lanes are told that run whatever this experiment's jobs can ask for, alone or joined,
   * whichever policy decides.
   */
  public static ExecutorSettings settings(Experiment experiment) {
    var settings = ExecutorSettings.of(experiment, "profile", 0, 0);
    return settings.withWarmUpSamples(
        WarmUpSamples.of(
            experiment.jobs().batchSizes(),
            experiment.scheduling().microbatch().enabled(),
            experiment.scheduling().microbatch().maxBatch()));
  }

  /** Every key that these lanes can be asked for. */
  public static List<LatencyKey> keys(ExecutorSettings settings) {
    List<LatencyKey> keys = new ArrayList<>();
    for (ModelKey model : settings.models()) {
      for (int samples : settings.warmUpSamples()) {
        for (int busyLanes : ProfilePlan.busyLanes(settings.lanes())) {
          keys.add(
              new LatencyKey(
                  model.workload(),
                  model.backend(),
                  model.precision(),
                  settings.threadsPerLane(),
                  samples,
                  busyLanes));
        }
      }
    }
    return keys;
  }

  /**
   * Starts the lanes' threads, opens their sessions and warms them up.
   *
   * @throws WarmUpException if a lane cannot be opened or a model cannot run; nothing stays open
   */
  public static Profiler warmUp(
      ExecutorSettings settings,
      LaneBackend backend,
      ProcessClock clock,
      Pacer pacer,
      WarmUpProgress progress)
      throws WarmUpException, InterruptedException {
    Device device = backend.open(settings, clock, pacer);
    try {
      var warmed = WarmedLanes.begin(settings, device, progress);
      warmed.await();
      return new Profiler(settings, backend.deviceKind(), clock, device, warmed);
    } catch (WarmUpException | InterruptedException | RuntimeException e) {
      device.close();
      throw e;
    }
  }

  /** What each lane can run, with its times when it was warmed up alone. */
  public List<Capability> capabilities() {
    return warmed.capabilities();
  }

  /** What a person should know before the profile; often empty. */
  public List<String> warnings() {
    return warmed.warnings();
  }

  /**
   * Measures what the plan says and was not measured yet.
   *
   * @param infos of the workloads, by name, as far as they are known
   * @param beganEpochNs when the profile was begun
   * @return whether all was measured; otherwise the listener wanted no more
   * @throws WarmUpException if a batch failed; what was measured before it was told
   */
  public boolean measure(
      ProfilePlan plan,
      Set<ProfileRow.Slot> measured,
      Map<String, WorkloadInfo> infos,
      long beganEpochNs,
      Listener listener)
      throws WarmUpException, InterruptedException {
    boolean settled = false;
    for (int pass = 1; pass <= plan.passes(); pass++) {
      for (Round round : plan.rounds(pass)) {
        List<LatencyKey> missing =
            round.keys().stream().filter(key -> !measured.contains(slot(round, key))).toList();
        if (missing.isEmpty()) {
          continue;
        }
        if (!settled) {
          settled = true;
          settle(plan, infos, listener);
          listener.settled();
        }
        var running = new Running(round, missing, true, infos, beganEpochNs, listener);
        try {
          running.run();
        } finally {
          listener.measured(running.rows());
        }
        if (!listener.goesOn()) {
          return false;
        }
      }
    }
    return true;
  }

  /** A round beside all lanes that makes no rows: what surrounds the lanes must warm up as well. */
  private void settle(ProfilePlan plan, Map<String, WorkloadInfo> infos, Listener listener)
      throws WarmUpException, InterruptedException {
    List<LatencyKey> keys =
        plan.keys().stream().filter(key -> key.busyLanes() == settings.lanes()).toList();
    new Running(new Round(0, 0, settings.lanes(), keys), keys, false, infos, 0, listener).run();
  }

  private ProfileRow.Slot slot(Round round, LatencyKey key) {
    return new ProfileRow.Slot(deviceKind, key, round.pass(), round.repeat());
  }

  /** A round at work. */
  private final class Running {
    private final Round round;
    private final boolean kept;
    private final Map<String, WorkloadInfo> infos;
    private final long beganEpochNs;
    private final Listener listener;
    private final CountDownLatch begun;
    private final Random fillers;

    // guarded by this, as all below
    private final Queue<LatencyKey> queue;
    private final List<ProfileRow> rows = new ArrayList<>();
    private int unfinished;
    private int fillersBegun;

    /** What a lane does next. */
    private record Turn(LatencyKey key, String jobId, boolean measured) {}

    /**
     * @param kept whether its batches make rows
     */
    Running(
        Round round,
        Collection<LatencyKey> missing,
        boolean kept,
        Map<String, WorkloadInfo> infos,
        long beganEpochNs,
        Listener listener) {
      this.round = round;
      this.kept = kept;
      this.infos = infos;
      this.beganEpochNs = beganEpochNs;
      this.listener = listener;
      this.begun = new CountDownLatch(round.busyLanes());
      this.fillers = new Random(settings.seed() + 31L * round.pass() + round.repeat());
      this.queue = new ArrayDeque<>(missing);
      this.unfinished = missing.size();
    }

    void run() throws WarmUpException, InterruptedException {
      List<Future<?>> lanes = new ArrayList<>();
      for (Lane lane : warmed.lanes().subList(0, round.busyLanes())) {
        lanes.add(lane.submit(work -> run(work, lane.index())));
      }
      for (Future<?> lane : lanes) {
        try {
          lane.get();
        } catch (ExecutionException e) {
          giveUp();
          Throwable cause = e.getCause() == null ? e : e.getCause();
          throw new WarmUpException("a batch failed: " + cause.getMessage(), cause);
        }
      }
    }

    /** How many batches it ran. */
    private int run(LaneWork work, int lane) throws Exception {
      int batches = 0;
      begun.countDown();
      begun.await();
      for (Turn turn = next(); turn != null; turn = next()) {
        LatencyKey key = turn.key();
        var model = new ModelKey(key.workload(), key.backend(), key.precision());
        try {
          var batch =
              work.prepare(model, List.of(new DispatchedJob(turn.jobId(), key.samples())), 1);
          long startedNs = clock.monotonicNs();
          batch.run();
          long serviceNs = Math.max(1, clock.monotonicNs() - startedNs);
          batch.results();
          batches++;
          if (turn.measured()) {
            finished(key, serviceNs);
          }
          listener.batchEnded(key, turn.jobId(), lane, serviceNs, turn.measured() && kept);
        } catch (Exception e) {
          giveUp();
          throw e;
        }
      }
      return batches;
    }

    /** Null: the round is over. */
    private synchronized @Nullable Turn next() {
      if (!listener.goesOn()) {
        unfinished -= queue.size();
        queue.clear();
      }
      if (unfinished <= 0) {
        return null;
      }
      LatencyKey key = queue.poll();
      if (key == null) {
        LatencyKey filler = round.keys().get(fillers.nextInt(round.keys().size()));
        return new Turn(filler, jobId("filler-" + fillersBegun++, filler), false);
      }
      return new Turn(key, jobId("measured", key), true);
    }

    private String jobId(String kind, LatencyKey key) {
      return "%s-%d-%d-%s-%s-%s-%d-%d"
          .formatted(
              kind,
              round.pass(),
              round.repeat(),
              key.workload(),
              key.backend(),
              key.precision(),
              key.samples(),
              key.busyLanes());
    }

    private void finished(LatencyKey key, long serviceNs) {
      ProfileRow row = kept ? row(key, serviceNs) : null;
      synchronized (this) {
        if (row != null) {
          rows.add(row);
        }
        unfinished--;
      }
    }

    private ProfileRow row(LatencyKey key, long serviceNs) {
      WorkloadInfo info = infos.get(key.workload());
      return new ProfileRow(
          deviceKind,
          key,
          round.pass(),
          round.repeat(),
          Math.max(0, clock.epochNs() - beganEpochNs),
          serviceNs,
          listener.foreignLoad(),
          info == null ? 0 : info.flopsPerSample(),
          info == null ? 0 : info.parameters());
    }

    private synchronized void giveUp() {
      queue.clear();
      unfinished = 0;
    }

    synchronized List<ProfileRow> rows() {
      return List.copyOf(rows);
    }
  }

  /** Closes the lanes once they have ended what they run. */
  @Override
  public void close() {
    warmed.lanes().forEach(Lane::beginToClose);
    warmed.lanes().forEach(lane -> lane.awaitEnd(() -> false));
    device.close();
  }
}
