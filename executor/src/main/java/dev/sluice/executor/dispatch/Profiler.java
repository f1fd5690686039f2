package dev.sluice.executor.dispatch;

import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.executor.lane.Lane;
import dev.sluice.executor.lane.LaneWork;
import dev.sluice.executor.lane.WarmedLanes.WarmUpException;
import dev.sluice.executor.latency.LatencyKey;
import dev.sluice.executor.latency.ProfilePlan;
import dev.sluice.executor.latency.ProfilePlan.Round;
import dev.sluice.executor.latency.ProfileRow;
import dev.sluice.executor.network.Workloads.WorkloadInfo;
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
 * Measures service times on the lanes of an executor, as an executor does: a service time spans
 * joining the batch, inference and copying back, and begins after the inputs were made.
 *
 * <p>A round keeps a fixed number of lanes busy, and each of these lanes takes the round's next
 * key. A lane that finds no key left runs batches drawn from the same keys, which are not measured,
 * until the last measured batch has ended. So the other lanes' work is the mix of all keys, and
 * each row is measured beside exactly that number of busy lanes, except for the moments in which a
 * lane makes its inputs.
 */
public record Profiler(Executor executor) {
  public interface Listener {
    /** Called on the caller's thread when all is warm and measuring begins. */
    void settled();

    /**
     * Called when a batch has ended. On its lane's thread, between two batches.
     *
     * @param measured whether the batch makes a row
     */
    void batchEnded(LatencyKey key, String jobId, int lane, long serviceNs, boolean measured);

    /** Share of the processors that others took lately; null: unknown. On a lane's thread. */
    @Nullable Double foreignLoad();

    /** Receives rows of a round: its last rows or a part of them. On the caller's thread. */
    void measured(List<ProfileRow> rows);

    /** Returns whether to measure more. On any thread. */
    boolean goesOn();
  }

  /** Returns settings of lanes that run any batch of the experiment, whichever policy decides. */
  public static ExecutorSettings settings(Experiment experiment) {
    return ExecutorSettings.of(
        experiment, "profile", 0, 0, experiment.scheduling().microbatch().enabled());
  }

  public static List<LatencyKey> keys(ExecutorSettings settings) {
    List<LatencyKey> keys = new ArrayList<>();
    for (ModelKey model : settings.models()) {
      for (int samples : settings.warmUpSamples()) {
        for (int busyLanes : ProfilePlan.busyLanes(settings.lanes())) {
          keys.add(new LatencyKey(model, settings.threadsPerLane(), samples, busyLanes));
        }
      }
    }
    return keys;
  }

  /**
   * Measures those rows of the plan that were not measured yet.
   *
   * @return true if everything was measured; false if the listener wanted no more
   * @throws WarmUpException if a batch failed; the listener has received the rows measured before
   *     it
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
            round.keys().stream()
                .filter(
                    key ->
                        !measured.contains(
                            new ProfileRow.Slot(
                                executor.deviceKind(), key, round.pass(), round.repeat())))
                .toList();
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

  /** Runs a round that makes no rows, since the code around the lanes must warm up as well. */
  private void settle(ProfilePlan plan, Map<String, WorkloadInfo> infos, Listener listener)
      throws WarmUpException, InterruptedException {
    int lanes = executor.settings.lanes();
    List<LatencyKey> keys = plan.keys().stream().filter(key -> key.busyLanes() == lanes).toList();
    new Running(new Round(0, 0, lanes, keys), keys, false, infos, 0, listener).run();
  }

  /** A round that is being measured. */
  private final class Running {
    private final Round round;
    private final boolean kept;
    private final Map<String, WorkloadInfo> infos;
    private final long beganEpochNs;
    private final Listener listener;
    private final CountDownLatch begun;
    private final Random fillers;

    // this field and all fields below are guarded by this
    private final Queue<LatencyKey> queue;
    private final List<ProfileRow> rows = new ArrayList<>();
    private int unfinished;
    private int fillersBegun;

    private record Turn(LatencyKey key, String jobId, boolean measured) {}

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
      this.fillers = new Random(executor.settings.seed() + 31L * round.pass() + round.repeat());
      this.queue = new ArrayDeque<>(missing);
      this.unfinished = missing.size();
    }

    void run() throws WarmUpException, InterruptedException {
      List<Future<?>> lanes = new ArrayList<>();
      for (Lane lane : executor.warmed.lanes().subList(0, round.busyLanes())) {
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

    private int run(LaneWork work, int lane) throws Exception {
      int batches = 0;
      begun.countDown();
      begun.await();
      for (Turn turn = next(); turn != null; turn = next()) {
        LatencyKey key = turn.key();
        try {
          var batch =
              work.prepare(key.model(), List.of(new DispatchedJob(turn.jobId(), key.samples())), 1);
          long startedNs = executor.clock.monotonicNs();
          batch.run();
          long serviceNs = Math.max(1, executor.clock.monotonicNs() - startedNs);
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
          executor.deviceKind(),
          key,
          round.pass(),
          round.repeat(),
          Math.max(0, executor.clock.epochNs() - beganEpochNs),
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
}
