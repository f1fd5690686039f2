package dev.sluice.scheduling.simulation;

import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.BatchDispatched.Work;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.Lane;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.LogFold;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.scheduling.simulation.Hops.Hop;
import dev.sluice.scheduling.simulation.Hops.Kind;
import dev.sluice.scheduling.simulation.Timeline.Slots;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One experiment in virtual time: generators, facts in log order, the core, its ticks, the
 * executors' heartbeats and their lanes.
 *
 * <p>What is due at the same nanosecond happens in this order: batches end, lanes let go of what
 * has ended, completions are appended, jobs are appended, dispatches reach their lanes, ticks are
 * appended, ticks fall due, executors report, models are loaded; within one of these by shard, then
 * lane or generator. What takes no time happens at once, within what it follows from. So equal
 * settings give equal runs.
 *
 * <p>Parts of the live loop that are left out: processes that die or stand still, retraining of
 * latency models, and the delay with which generators learn of outcomes, at their commit (so that
 * they send slightly fewer jobs of the tail here).
 */
public final class Simulation {
  /** Time zero of every simulated run. */
  public static final long TIME_ZERO_EPOCH_MS = 1_000_000_000_000L;

  private static final long NS_PER_MS = 1_000_000;

  /** Time at which executors join and publish, and at which the run's beginning is written. */
  private static final long JOINED_AT_NS = -500_000_000;

  private static final long BEGUN_AT_NS = -300_000_000;
  private static final long INCARNATION = 1;

  final SimulationSettings settings;
  final ServiceModel service;
  final Hops hops;
  final SimulatedShard[] shards;

  /** Times to load models, by model. */
  final Map<ModelKey, Long> loadNs = new HashMap<>();

  private final Requests requests;

  /** Next job of each generator; null: none. */
  private final @Nullable JobRequested[] nextJob;

  private final long[] nextSentNs;

  private final Timeline timeline = new Timeline();
  final Slots ends;
  final Slots releases;
  final Slots completions;
  private final Slots arrivals;
  final Slots dispatches;
  private final Slots ticks;
  private final Slots ticksDue;
  private final Slots reports;
  private final Slots end;
  final Slots loads;

  long nowNs;

  long logTimeNs;

  long batchesStarted;

  long batchesEnded;

  private long jobsSent;
  private long jobsEnded;
  private long measuredOpen;
  private long lastEndNs;
  private boolean arrivalsEnding;
  private boolean arrivalsEnded;
  private boolean tailLimitReached;

  /** Whether the only job under way has just ended, and the next one may follow. */
  private boolean streamGoesOn;

  Simulation(
      SimulationSettings settings, ServiceModel service, Requests requests, LogFold listener) {
    this.settings = settings;
    this.requests = requests;
    this.service = service;
    hops = settings.hops();
    shards = new SimulatedShard[settings.shards()];
    for (int i = 0; i < shards.length; i++) {
      shards[i] = new SimulatedShard(this, i, settings, listener);
    }
    nextJob = new JobRequested[settings.generators()];
    nextSentNs = new long[settings.generators()];
    for (Capability capability : settings.capabilities()) {
      Long ns = capability.loadNs();
      loadNs.put(capability.model(), ns == null ? 0 : ns);
    }
    int all = shards.length;
    int lanes = all * settings.lanes();
    ends = timeline.add(all, shard -> shards[shard].endBatches());
    releases = timeline.add(lanes, lane -> lane(lane).releaseDue());
    completions = timeline.add(lanes, lane -> lane(lane).appendCompletion());
    arrivals = timeline.add(settings.generators(), this::appendJob);
    dispatches = timeline.add(lanes, lane -> lane(lane).reach());
    ticks = timeline.add(all, shard -> appendTick(shards[shard]));
    ticksDue = timeline.add(all, shard -> tickIfDue(shards[shard]));
    reports = timeline.add(all, shard -> report(shards[shard]));
    end = timeline.add(1, slot -> endSlotDue());
    int memories = settings.core().placing().laneBytes() > 0 ? lanes : 0;
    loads = timeline.add(memories, lane -> lane(lane).endLoad());
  }

  /**
   * Runs an experiment to its end.
   *
   * @param listener is told times from {@link #TIME_ZERO_EPOCH_MS} on, so that equal runs leave
   *     equal bytes
   * @throws IllegalStateException if a job was lost or ended twice, or a lane was given two batches
   * @throws dev.sluice.scheduling.core.InvalidChoiceException if an answer of the policy breaks a
   *     rule
   */
  public static SimulationEnd run(
      SimulationSettings settings, ServiceModel service, Requests requests, LogFold listener) {
    return new Simulation(settings, service, requests, listener).run();
  }

  private SimulationEnd run() {
    join();
    while (!arrivalsEnded || jobsEnded < jobsSent) {
      long atNs = timeline.nextNs();
      if (atNs == Timeline.NEVER) {
        throw new IllegalStateException("nothing is due, and the run has not ended");
      }
      moveTo(Math.max(nowNs, atNs));
      timeline.happen();
    }
    long facts = 0;
    for (SimulatedShard shard : shards) {
      facts += shard.facts;
    }
    return new SimulationEnd(
        jobsSent, facts + batchesStarted + batchesEnded, lastEndNs, tailLimitReached);
  }

  /** Append time of a record that is written at a log time. */
  static long epochMs(long logTimeNs) {
    return TIME_ZERO_EPOCH_MS + logTimeNs / NS_PER_MS;
  }

  private void moveTo(long atNs) {
    nowNs = atNs;
    logTimeNs = SimulatedShard.logTimeNs(atNs);
  }

  /** Returns a lane by its place among those of all shards. */
  private SimulatedLane lane(int place) {
    return shards[place / settings.lanes()].lanes[place % settings.lanes()];
  }

  // --- the run's beginning and end

  private void join() {
    long heartbeatNs = settings.core().leases().heartbeatNs();
    moveTo(JOINED_AT_NS);
    for (SimulatedShard shard : shards) {
      appendReport(shard);
      publish(shard);
      if (heartbeatNs < Timeline.NEVER / 2) {
        reports.set(shard.number, nowNs + heartbeatNs);
      }
    }
    moveTo(BEGUN_AT_NS);
    for (SimulatedShard shard : shards) {
      apply(shard, settings.started(), hops.at(Kind.REQUEST, nowNs));
    }
    for (int generator = 0; generator < nextJob.length; generator++) {
      takeNextJob(generator);
    }
    end.set(0, Math.max(0, settings.durationNs()));
  }

  private void publish(SimulatedShard shard) {
    PredictionsPublished table = settings.predictions();
    if (table != null) {
      var own =
          new PredictionsPublished(
              SimulationSettings.executorId(shard.number),
              table.deviceKind(),
              table.modelVersion(),
              table.tableVersion(),
              table.services(),
              table.calibrations());
      apply(shard, own, hops.at(Kind.REQUEST, nowNs));
    }
  }

  /** Handles the end of the duration or tail, or the arrivals' end that reaches the log. */
  private void endSlotDue() {
    end.set(0, Timeline.NEVER);
    if (arrivalsEnding) {
      writeArrivalsEnded();
      return;
    }
    if (nowNs < settings.tailEndNs()) {
      end.set(0, settings.tailEndNs());
    }
    endArrivalsIfOver();
  }

  private void endArrivalsIfOver() {
    if (arrivalsEnding || nowNs < 0) {
      return;
    }
    boolean measuredOver = nowNs >= settings.durationNs() && measuredOpen == 0;
    boolean tailOver = nowNs >= settings.tailEndNs() && isListSent();
    if (measuredOver || tailOver) {
      arrivalsEnding = true;
      tailLimitReached = !measuredOver;
      long atNs = nowNs + hops.at(Kind.REQUEST, nowNs).appendNs();
      for (int generator = 0; generator < nextJob.length; generator++) {
        if (nextJob[generator] != null && nextSentNs[generator] > nowNs) {
          nextJob[generator] = null;
          arrivals.set(generator, Timeline.NEVER);
        } else if (nextJob[generator] != null) { // sent, and on its way
          atNs = Math.max(atNs, arrivals.dueNs(generator));
        }
      }
      end.set(0, atNs);
    }
  }

  private boolean isListSent() {
    for (JobRequested job : nextJob) {
      if (job != null) {
        return false;
      }
    }
    return true;
  }

  private void writeArrivalsEnded() {
    arrivalsEnded = true;
    for (SimulatedShard shard : shards) {
      for (int generator = 0; generator < nextJob.length; generator++) {
        var fact = ArrivalsEnded.punctual(generator, jobsSent);
        apply(shard, fact, hops.at(Kind.REQUEST, nowNs));
      }
    }
  }

  void jobEnded(JobEnded end) {
    jobsEnded++;
    lastEndNs = nowNs;
    streamGoesOn = requests.oneAtATime();
    if (requests.isMeasured(end.jobId())) {
      measuredOpen--;
    }
  }

  // --- generators

  private void takeNextJob(int generator) {
    takeJob(generator, arrivalsEnding ? null : requests.next(generator));
  }

  private void takeJob(int generator, @Nullable JobRequested job) {
    nextJob[generator] = job;
    if (job == null) {
      arrivals.set(generator, Timeline.NEVER);
      return;
    }
    if (requests.isMeasured(job.jobId())) {
      measuredOpen++;
    }
    Hop hop = hops.at(Kind.REQUEST, job.intendedAtNs());
    long sentNs =
        requests.oneAtATime()
            ? job.intendedAtNs()
            : Math.max(nextSentNs[generator], job.intendedAtNs() + hop.lateNs());
    nextSentNs[generator] = sentNs;
    long appendedNs = Math.max(nowNs, sentNs + hop.appendNs());
    arrivals.set(generator, appendedNs);
  }

  private void appendJob(int generator) {
    JobRequested job = nextJob[generator];
    if (job == null) {
      throw new IllegalStateException("generator " + generator + " has no job to send");
    }
    SimulatedShard shard = shards[(int) (job.index() % shards.length)];
    jobsSent++;
    JobRequested sent = job.sentAt(nextSentNs[generator]);
    if (requests.oneAtATime()) {
      takeJob(generator, null); // until this one has ended
    } else {
      takeNextJob(generator);
    }
    apply(shard, sent, hops.at(Kind.REQUEST, job.intendedAtNs()));
  }

  // --- the core

  void apply(SimulatedShard shard, Fact fact, Hop hop) {
    shard.apply(fact, logTimeNs);
    shard.send(nowNs + hop.startNs());
    if (streamGoesOn) { // an outcome reaches its reader as a dispatch reaches a lane
      streamGoesOn = false;
      takeJob(0, arrivalsEnding ? null : requests.nextAt(nowNs + hop.startNs()));
    }
    askForTick(shard);
    endArrivalsIfOver();
  }

  /** Asks for a tick as a live timer does: while one is on its way, none for a heartbeat. */
  private void askForTick(SimulatedShard shard) {
    long heartbeatNs = settings.core().leases().heartbeatNs();
    long heartbeatAtNs =
        nowNs > Timeline.NEVER - heartbeatNs ? Timeline.NEVER : nowNs + heartbeatNs;
    long dueNs = Math.min(heartbeatAtNs, shard.wakeAtNs());
    if (shard.tickSentNs != Timeline.NEVER) {
      dueNs = Math.max(dueNs, shard.tickSentNs + Math.min(heartbeatNs, Timeline.NEVER / 2));
    }
    shard.tickDueNs = dueNs;
    if (dueNs < ticksDue.dueNs(shard.number)) { // nearly every fact only puts the heartbeat off
      ticksDue.set(shard.number, dueNs);
    }
  }

  private void tickIfDue(SimulatedShard shard) {
    if (shard.tickDueNs > nowNs) {
      ticksDue.set(shard.number, shard.tickDueNs);
      return;
    }
    if (arrivalsEnded && shard.isAtRest()) {
      ticksDue.set(shard.number, Timeline.NEVER);
      return;
    }
    long heartbeatNs = settings.core().leases().heartbeatNs();
    shard.tickDueNs = nowNs > Timeline.NEVER - heartbeatNs ? Timeline.NEVER : nowNs + heartbeatNs;
    ticksDue.set(shard.number, shard.tickDueNs);
    shard.tickSentNs = nowNs;
    ticks.set(shard.number, nowNs + hops.at(Kind.REQUEST, nowNs).appendNs());
  }

  private void appendTick(SimulatedShard shard) {
    ticks.set(shard.number, Timeline.NEVER);
    long sentNs = shard.tickSentNs;
    shard.tickSentNs = Timeline.NEVER;
    apply(shard, shard.tick(sentNs), hops.at(Kind.REQUEST, sentNs));
  }

  // --- the executor

  private void report(SimulatedShard shard) {
    reports.set(
        shard.number,
        arrivalsEnded && shard.isAtRest()
            ? Timeline.NEVER
            : nowNs + settings.core().leases().heartbeatNs());
    appendReport(shard);
  }

  private void appendReport(SimulatedShard shard) {
    List<Lane> lanes = new ArrayList<>();
    for (int lane = 0; lane < shard.lanes.length; lane++) {
      lanes.add(new Lane(lane, shard.lanes[lane].held()));
    }
    var report =
        new ExecutorReported(
            SimulationSettings.executorId(shard.number),
            INCARNATION,
            false,
            settings.deviceKind(),
            settings.tokens(),
            lanes,
            settings.capabilities(),
            0,
            null,
            0L);
    apply(shard, report, hops.at(Kind.REQUEST, nowNs));
  }

  /** A model of service times on the lanes of one executor. */
  public interface ServiceModel {
    /**
     * Returns the typical service times of a batch by the number of busy lanes, in nanoseconds and
     * above 0. Index 0 is for one busy lane, which is the batch's own; the last entry holds for any
     * larger number. An array of one entry means that other lanes do not matter. Callers must not
     * change the array.
     */
    double[] nsByBusyLanes(Work batch);

    /** Returns the factor on a batch's typical service times if it starts then; above 0. */
    double factor(Work batch, long startsAtNs);
  }

  /**
   * How a simulation ended.
   *
   * @param jobs number of jobs sent, each of which has one outcome
   * @param events facts that cores took in, batches that started, and batches that ended
   * @param endedAtNs when the last outcome stood in the log
   * @param tailLimitReached whether measured jobs still waited when the tail was over
   */
  public record SimulationEnd(long jobs, long events, long endedAtNs, boolean tailLimitReached) {}
}
