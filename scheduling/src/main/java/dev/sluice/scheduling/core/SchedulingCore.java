package dev.sluice.scheduling.core;

import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.ModelLoaded;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.Ticked;
import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.scheduling.driver.CoreEntity;
import dev.sluice.scheduling.driver.CoreEntity.Progress;
import dev.sluice.scheduling.driver.CoreListener;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.policy.SchedulingPolicy.Happening;
import dev.sluice.scheduling.policy.SchedulingPolicy.Need;
import dev.sluice.scheduling.state.CoreState;
import java.util.Collection;
import java.util.List;

/**
 * The state machine that schedules one shard: facts in, decisions out. Equal facts in equal order
 * give equal decisions, also after the core was cut and restored from its entities.
 *
 * <p>After each fact the core drops what must be dropped, some hundred jobs at most. Once nothing
 * is left to drop, it asks the policy until the policy has nothing to start, and checks each
 * answer. A core must be used by one thread only, and discarded after an exception.
 */
public final class SchedulingCore {
  /**
   * Version of the core's decisions, noted in each recording. It is raised by each change after
   * which equal facts may lead to other decisions.
   */
  public static final String DECISIONS_VERSION = "2";

  /** Grain of the times at which a broker appends facts. */
  private static final long APPEND_GRAIN_NS = 1_000_000;

  final CoreState state;
  final JobQueue queue;
  final Batches batches;
  private final LeaseClock leases;
  final Arrivals arrivals;
  private final Completions completions;
  private final Reports reports;
  private final Drops drops;
  private final Choices choices;
  final Remembering remembering;
  private final SchedulingPolicy policy;
  private final boolean hasFineTime;

  public SchedulingCore(CoreSettings settings, SchedulingPolicy policy) {
    state = new CoreState(settings, policy.needs());
    leases = new LeaseClock(settings.leases(), state.executors.all);
    queue = new JobQueue(state);
    batches = new Batches(state);
    arrivals = new Arrivals(state, queue);
    remembering = new Remembering(state, policy);
    completions = new Completions(state, leases, queue, batches, arrivals, remembering);
    reports = new Reports(state, leases, queue, batches, completions);
    drops = new Drops(state, queue, batches, arrivals);
    choices = new Choices(state, policy, leases, queue, batches, drops, remembering);
    this.policy = policy;
    hasFineTime = policy.needs().has(Need.JOINING);
  }

  /**
   * Returns a core that goes on where another stopped.
   *
   * @param entities {@link #entities} of the other core, in any order
   */
  public static SchedulingCore restore(
      CoreSettings settings, SchedulingPolicy policy, Collection<CoreEntity> entities) {
    SchedulingCore core = new SchedulingCore(settings, policy);
    Snapshot.Restore.into(core, entities);
    return core;
  }

  void restore(Progress progress) {
    state.advanceTo(progress.nowNs());
    leases.nowNs = progress.leaseNs();
    leases.reportedAtNs.addAll(progress.reportedAtLeaseNs());
    leases.overdueCheckAtNs = progress.overdueCheckAtLeaseNs();
    queue.nextEntry = progress.nextEntry();
    arrivals.restoreSources(
        progress.sources(),
        progress.arrivalsEndAtNsMax(),
        progress.indexBySource(),
        progress.sourcesEnded());
    choices.wakeAtNs = progress.policyWakeAtNs();
    choices.blockedSinceNs = progress.blockedSinceNs();
    choices.blockedCause = progress.blockedCause();
    drops.restore();
  }

  /**
   * Takes in one fact, and tells the listener its consequences. Before {@link RunStarted} facts
   * move no clock and nothing starts.
   *
   * @param factId number that names the dispatches which follow from the fact; rises from fact to
   *     fact
   * @param nowNs log time of the fact; a time before the last fact counts as the last fact's, a
   *     time before zero as zero
   * @throws InvalidChoiceException if an answer of the policy breaks a rule
   */
  public void apply(long factId, long nowNs, Fact fact, CoreListener listener) {
    advance(timeNs(nowNs, fact), fact instanceof RunStarted);
    take(fact, listener);
    decide(factId, listener);
  }

  /**
   * Takes in a completion and decides nothing: its lanes are free, and the jobs that wait for its
   * job are released by {@link #release}. In virtual time several jobs may end at one instant, and
   * the lanes of all of them are free before the first of these ends is decided on. The core must
   * not be cut before all of these ends are released.
   */
  public void free(long nowNs, BatchCompleted completion, CoreListener listener) {
    advance(nowNs, false);
    arrivals.holdBack(() -> completions.take(completion, listener));
  }

  /**
   * Releases the jobs that waited for the first completion of {@link #free} that is not released
   * yet, and decides.
   *
   * @param factId as of a fact
   */
  public void release(long factId, long nowNs, CoreListener listener) {
    advance(nowNs, false);
    arrivals.releaseHeldBack();
    decide(factId, listener);
  }

  /**
   * Returns the time of a fact. For a policy that joins jobs itself this is the time at which the
   * fact's sender noted it, if that lies in the millisecond of its append; else the append time.
   */
  public long timeNs(long appendedAtNs, Fact fact) {
    if (!hasFineTime) {
      return appendedAtNs;
    }
    Long noted = null;
    if (fact instanceof JobRequested job) {
      noted = job.sentAtNs();
    } else if (fact instanceof BatchCompleted completion) {
      noted = completion.finishedAtNs();
    } else if (fact instanceof ModelLoaded loaded) {
      noted = loaded.finishedAtNs();
    } else if (fact instanceof Ticked tick) {
      noted = tick.sentAtNs();
    }
    boolean isWithin =
        noted != null && noted > appendedAtNs && noted - appendedAtNs < APPEND_GRAIN_NS;
    return isWithin ? noted : appendedAtNs;
  }

  /**
   * Returns whether time is finer than the log's milliseconds, so that a tick is wanted at the very
   * time of {@link #wakeAtNs} and must note when it was sent.
   */
  public boolean hasFineTime() {
    return hasFineTime;
  }

  void advance(long nowNs, boolean starts) {
    if (arrivals.haveStarted()) {
      leases.advance(Math.max(0, nowNs - state.nowNs()));
      state.advanceTo(nowNs);
    } else if (starts) {
      state.advanceTo(nowNs);
    }
  }

  void decide(long factId, CoreListener listener) {
    if (arrivals.haveStarted()) {
      reports.checkLeases(listener);
      remembering.take(Happening.TimePassed.INSTANCE);
      listener.deciding(state);
      drops.drop(listener);
      if (!drops.anyLeft()) {
        choices.decide(factId, listener);
      }
    }
  }

  /**
   * Returns when the core wants a {@link Ticked} if no other fact comes before; {@link
   * Long#MAX_VALUE}: never. The latest answer replaces earlier answers.
   */
  public long wakeAtNs() {
    if (!arrivals.haveStarted()) {
      return Long.MAX_VALUE;
    }
    if (drops.anyLeft()) {
      return state.nowNs() + 1;
    }
    long wakeAtNs = Math.min(choices.wakeAtNs, drops.nextAdmissionAtNs());
    if (batches.running > 0) {
      long untilLeaseNs = leases.untilNextCheckNs();
      wakeAtNs =
          Math.min(
              wakeAtNs,
              untilLeaseNs == Long.MAX_VALUE ? untilLeaseNs : state.nowNs() + untilLeaseNs);
    }
    if (waiting() == 0) {
      return wakeAtNs;
    }
    wakeAtNs = Math.min(wakeAtNs, Math.min(queue.nextExpiryAtNs(), arrivals.endAtNs));
    return state.settings.microbatch().enabled() && state.executors.hasFreeLane()
        ? Math.min(wakeAtNs, state.jobs.nextRipeAtNs(state.nowNs()))
        : wakeAtNs;
  }

  /**
   * Returns the whole state as entities, from which {@link #restore} makes an equal core. Once in
   * many facts is often enough, since the facts after it lead from it to the present state.
   */
  public List<CoreEntity> entities() {
    return Snapshot.of(this, progress());
  }

  /** Returns whether the run has begun, and each of its sources has said that it sends no more. */
  public boolean arrivalsEnded() {
    return arrivals.haveStarted() && arrivals.ended.size() >= arrivals.count;
  }

  public int waiting() {
    return state.waiting();
  }

  public int running() {
    return batches.running;
  }

  /**
   * Returns a view of the state as it is whenever the view is asked. Asking changes no decision; a
   * core whose view is not asked does nothing for it.
   */
  public Inspection inspection() {
    return new Inspection(state, policy);
  }

  void take(Fact fact, CoreListener listener) {
    if (fact instanceof JobRequested job) {
      arrivals.take(JobSpec.of(job), listener);
    } else if (fact instanceof WorkflowRequested workflow) {
      arrivals.take(workflow, listener);
    } else if (fact instanceof BatchCompleted completion) {
      completions.take(completion, listener);
    } else if (fact instanceof ExecutorReported report) {
      reports.take(report, listener);
    } else if (fact instanceof ModelLoaded loaded) {
      reports.take(loaded);
    } else if (fact instanceof PredictionsPublished table) {
      String refusal = state.serviceTimes.publish(table, state.executors.reports());
      if (refusal != null) {
        listener.refused(table, refusal);
      }
    } else if (fact instanceof RunStarted start) {
      if (!arrivals.haveStarted()) {
        arrivals.start(start);
        queue.budgetsChanged();
      }
    } else if (fact instanceof ArrivalsEnded end) {
      arrivals.ended.add(end.generator());
    }
  }

  private Progress progress() {
    return new Progress(
        state.nowNs(),
        leases.nowNs,
        queue.nextEntry,
        arrivals.count,
        arrivals.arrivalsEndAtNsMax,
        arrivals.indexBySource,
        List.copyOf(arrivals.ended),
        choices.wakeAtNs,
        leases.reportedAtNs,
        leases.overdueCheckAtNs,
        choices.blockedSinceNs,
        choices.blockedCause);
  }
}
