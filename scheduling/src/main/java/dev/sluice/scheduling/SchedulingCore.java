package dev.sluice.scheduling;

import dev.sluice.scheduling.CoreEntity.Progress;
import dev.sluice.scheduling.CoreEntity.RunningBatch;
import dev.sluice.scheduling.CoreFact.ArrivalsEnded;
import dev.sluice.scheduling.CoreFact.BatchCompleted;
import dev.sluice.scheduling.CoreFact.ExecutorReported;
import dev.sluice.scheduling.CoreFact.JobArrived;
import dev.sluice.scheduling.CoreFact.RunStarted;
import dev.sluice.scheduling.CoreSettings.Admission;
import dev.sluice.scheduling.ExecutorLanes.Batch;
import dev.sluice.scheduling.JobEnd.Status;
import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The state machine that schedules one shard: facts in, decisions out. Equal facts in equal order
 * give equal decisions, also after it was cut and restored from its entities.
 *
 * <p>After each fact it drops what must be dropped, then asks the policy until that has nothing,
 * and checks each answer. Not for use by several threads. After an exception it must be discarded.
 */
public final class SchedulingCore {
  private final CoreState state;
  private final SchedulingPolicy policy;
  private final DecisionCheck check;

  private final Map<DispatchName, Batch> running = new HashMap<>();
  private final Map<Integer, Long> indexBySource = new HashMap<>();
  private final TreeSet<Integer> sourcesEnded = new TreeSet<>();
  private int sources;
  private long nextEntry;
  private long policyWakeAtNs = Long.MAX_VALUE;

  /** Jobs that came, or came back, with the present fact. */
  private final List<QueuedJob> arrived = new ArrayList<>();

  /** Executors that changed with the present fact, as they joined. */
  private final TreeSet<ExecutorLanes> changedExecutors =
      new TreeSet<>(Comparator.comparingInt((ExecutorLanes executor) -> executor.order));

  public SchedulingCore(CoreSettings settings, SchedulingPolicy policy) {
    this.policy = policy;
    this.state = new CoreState(settings, policy.needs().orders());
    this.check = new DecisionCheck(state, policy.getClass().getSimpleName());
  }

  /**
   * A core that goes on where another stopped.
   *
   * @param entities all that the other's listener was told to keep, in any order
   */
  public static SchedulingCore restore(
      CoreSettings settings, SchedulingPolicy policy, Collection<CoreEntity> entities) {
    SchedulingCore core = new SchedulingCore(settings, policy);
    entitiesOf(CoreEntity.Executor.class, entities).stream()
        .sorted(Comparator.comparingInt(CoreEntity.Executor::order))
        .forEach(executor -> core.state.add(ExecutorLanes.restore(executor)));
    core.state.executorsChanged();
    entitiesOf(CoreEntity.RunningMean.class, entities).forEach(core.state.serviceTimes::restore);
    entitiesOf(CoreEntity.WaitingJob.class, entities).stream()
        .sorted(Comparator.comparingLong(CoreEntity.WaitingJob::entry))
        .forEach(
            job -> {
              QueuedJob queued = core.toQueued(job);
              queued.kept = true;
              core.state.add(queued);
            });
    entitiesOf(RunningBatch.class, entities).forEach(core::restoreRunning);
    entitiesOf(Progress.class, entities).forEach(core::restoreProgress);
    return core;
  }

  private static <E extends CoreEntity> List<E> entitiesOf(
      Class<E> kind, Collection<CoreEntity> entities) {
    return entities.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  private QueuedJob toQueued(CoreEntity.WaitingJob job) {
    return state.newJob(job.spec(), job.entry(), job.appendedAtNs(), job.attempts());
  }

  private void restoreRunning(RunningBatch entity) {
    Dispatch dispatch = entity.dispatch();
    ExecutorLanes executor = state.executor(dispatch.executorId());
    if (executor == null) {
      throw new IllegalArgumentException(
          "dispatch (%s) runs on executor (%s), which is not among the entities"
              .formatted(dispatch.name(), dispatch.executorId()));
    }
    List<QueuedJob> jobs = entity.jobs().stream().map(this::toQueued).toList();
    jobs.forEach(job -> job.phase = QueuedJob.Phase.RUNNING);
    Batch batch = new Batch(dispatch, jobs, executor.lane(dispatch.lanes().get(0)));
    executor.start(batch);
    running.put(dispatch.name(), batch);
  }

  private void restoreProgress(Progress progress) {
    state.advanceTo(progress.nowNs());
    nextEntry = progress.nextEntry();
    sources = progress.sources();
    indexBySource.putAll(progress.indexBySource());
    sourcesEnded.addAll(progress.sourcesEnded());
    policyWakeAtNs = progress.policyWakeAtNs();
  }

  /**
   * Takes in one fact, and tells the listener what follows from it. Before {@link RunStarted} facts
   * move no clock and nothing starts.
   *
   * @param factId names the dispatches that the fact leads to; rises from fact to fact
   * @param nowNs log time of the fact; one before the last, or before time zero, counts as that
   * @throws InvalidChoiceException if an answer of the policy breaks a rule
   */
  public void apply(long factId, long nowNs, CoreFact fact, CoreListener listener) {
    if (hasStarted() || fact instanceof RunStarted) {
      state.advanceTo(nowNs);
    }
    boolean budgetsChanged = take(fact, listener);
    if (hasStarted()) {
      if (hasEnded()) {
        drop(state.waitingIn(group -> true), "run_ended", listener);
      }
      if (budgetsChanged) {
        drop(state.waitingIn(state::isOverBudget), "over_budget", listener);
      }
      admit(listener);
      decide(factId, listener);
    }
    tellChanges(listener);
  }

  /**
   * When the core wants a {@link CoreFact.Ticked} if no other fact comes before; {@link
   * Long#MAX_VALUE}: never. The last answer replaces earlier ones.
   */
  public long wakeAtNs() {
    if (!hasStarted()) {
      return Long.MAX_VALUE;
    }
    long wakeAtNs = Math.min(policyWakeAtNs, nextAdmissionAtNs());
    return state.hasIdleLane() ? Math.min(wakeAtNs, state.nextRipeAtNs()) : wakeAtNs;
  }

  /** How many jobs wait. */
  public int waiting() {
    return state.waiting();
  }

  /** How many batches run. */
  public int running() {
    return running.size();
  }

  private boolean hasStarted() {
    return sources > 0;
  }

  private boolean hasEnded() {
    return hasStarted() && sourcesEnded.size() >= sources;
  }

  // --- facts

  /** Returns whether budgets must be checked again. */
  private boolean take(CoreFact fact, CoreListener listener) {
    if (fact instanceof JobArrived arrival) {
      takeJob(arrival.job(), listener);
    } else if (fact instanceof BatchCompleted completion) {
      return takeCompletion(completion, listener);
    } else if (fact instanceof ExecutorReported report) {
      return takeReport(report);
    } else if (fact instanceof RunStarted start) {
      if (!hasStarted()) {
        sources = Math.max(1, start.sources());
        return true;
      }
    } else if (fact instanceof ArrivalsEnded end) {
      sourcesEnded.add(end.source());
    }
    return false;
  }

  private void takeJob(JobSpec spec, CoreListener listener) {
    Long highest = indexBySource.get(spec.source());
    if (highest != null && spec.index() <= highest) {
      return;
    }
    indexBySource.put(spec.source(), spec.index());
    long entry = nextEntry++;
    if (!state.isRunnable(spec)) {
      tellDropped(spec.id(), 0, "unrunnable", listener);
      return;
    }
    QueuedJob job = state.newJob(spec, entry, state.nowNs(), 0);
    boolean overBudget = hasStarted() && !hasEnded() && state.isOverBudget(job.group);
    if (overBudget || job.group.tokens > Integer.MAX_VALUE) {
      tellDropped(spec.id(), 0, "over_budget", listener);
      return;
    }
    state.add(job);
    arrived.add(job);
  }

  /** Returns whether budgets must be checked again. */
  private boolean takeCompletion(BatchCompleted completion, CoreListener listener) {
    Batch batch = running.remove(completion.dispatch());
    if (batch == null) {
      return false; // superseded
    }
    Dispatch dispatch = batch.dispatch();
    ExecutorLanes executor = batch.lane().executor();
    executor.finish(batch, state.nowNs());
    changedExecutors.add(executor);
    switch (completion.result()) {
      case DONE -> {
        learn(batch, completion.serviceNs(), listener);
        end(batch, Status.DONE, null, listener);
      }
      case FAILED -> {
        String cause = completion.cause();
        end(batch, Status.FAILED, cause == null ? "failed" : cause, listener);
      }
      case REFUSED -> batch.jobs().forEach(this::putBack);
    }
    listener.removed(new RunningBatch(dispatch, List.of()).key());
    return completion.result() == CoreFact.Result.REFUSED
        && batch.jobs().stream().anyMatch(job -> state.isOverBudget(job.group));
  }

  private void learn(Batch batch, long serviceNs, CoreListener listener) {
    ServiceTimes.Model model = batch.jobs().get(0).group.modelOn(batch.lane().executor());
    if (model != null && serviceNs > 0) {
      listener.changed(model.completed(batch.dispatch().samples(), serviceNs));
    }
  }

  private void end(Batch batch, Status status, @Nullable String reason, CoreListener listener) {
    for (QueuedJob job : batch.jobs()) {
      job.phase = QueuedJob.Phase.ENDED;
      listener.ended(
          new JobEnd(
              job.spec.id(),
              status,
              reason,
              batch.dispatch().name(),
              job.attempts + 1,
              state.nowNs()));
    }
  }

  private void putBack(QueuedJob job) {
    state.add(job);
    arrived.add(job);
  }

  private boolean takeReport(ExecutorReported report) {
    ExecutorLanes known = state.executor(report.executorId());
    if (known == null) {
      if (report.leaving()) {
        return false;
      }
      known = new ExecutorLanes(state.executors().size(), report, state.nowNs());
      state.add(known);
    } else {
      long incarnation = known.report.incarnation();
      boolean outdated =
          report.incarnation() < incarnation
              || (report.incarnation() == incarnation && known.report.leaving());
      if (outdated || report.equals(known.report)) {
        return false;
      }
      known.update(report, state.nowNs());
    }
    state.executorsChanged();
    changedExecutors.add(known);
    return true;
  }

  // --- drops

  private void admit(CoreListener listener) {
    if (state.settings.admission() == Admission.NONE) {
      return;
    }
    List<QueuedJob> late = new ArrayList<>();
    for (JobGroup group : state.groups()) {
      long latestStartNs = state.nowNs() + neededNs(group);
      JobList byDeadline = group.list(JobOrder.DEADLINE);
      QueuedJob job = byDeadline.first();
      while (job != null && job.deadlineNs < latestStartNs) {
        late.add(job);
        job = byDeadline.after(job);
      }
    }
    late.sort(JobOrder.ENTRY);
    boolean hopeless = state.settings.admission() == Admission.HOPELESS;
    drop(late, hopeless ? "hopeless" : "expired", listener);
  }

  /**
   * How long before its deadline a job must start not to be dropped. Running means have no
   * quantiles, so that hopeless jobs are judged by the predicted mean.
   */
  private long neededNs(JobGroup group) {
    return state.settings.admission() == Admission.HOPELESS ? state.fastestNs(group) : 0;
  }

  private long nextAdmissionAtNs() {
    long nextNs = Long.MAX_VALUE;
    if (state.settings.admission() != Admission.NONE) {
      for (JobGroup group : state.groups()) {
        long latestStartNs = group.first(JobOrder.DEADLINE).deadlineNs - neededNs(group);
        if (latestStartNs < Long.MAX_VALUE) {
          nextNs = Math.min(nextNs, latestStartNs + 1);
        }
      }
    }
    return nextNs;
  }

  private void drop(List<QueuedJob> jobs, String reason, CoreListener listener) {
    for (QueuedJob job : jobs) {
      leaveQueue(job, QueuedJob.Phase.ENDED, listener);
      tellDropped(job.spec.id(), job.attempts, reason, listener);
    }
  }

  private void tellDropped(String jobId, int attempts, String reason, CoreListener listener) {
    listener.ended(new JobEnd(jobId, Status.DROPPED, reason, null, attempts, state.nowNs()));
  }

  private void leaveQueue(QueuedJob job, QueuedJob.Phase to, CoreListener listener) {
    state.remove(job);
    job.phase = to;
    if (job.kept) {
      job.kept = false;
      listener.removed(job.toEntity().key());
    }
  }

  // --- choices

  private void decide(long factId, CoreListener listener) {
    for (int index = 0; ; index++) {
      state.deciding(factId, index);
      Choice choice = policy.choose(state);
      if (choice instanceof Choice.Start start) {
        start(new DispatchName(factId, index), start, listener);
      } else if (choice instanceof Choice.Nothing nothing) {
        check.check(nothing);
        policyWakeAtNs = nothing.untilNs();
        return;
      } else {
        throw check.unsupported(choice);
      }
    }
  }

  private void start(DispatchName name, Choice.Start start, CoreListener listener) {
    DecisionCheck.Checked checked = check.check(start);
    ExecutorLanes.Lane lane = checked.lane();
    List<QueuedJob> jobs = checked.jobs();
    int attempt = 0;
    List<JobSpec> specs = new ArrayList<>(jobs.size());
    List<CoreEntity.WaitingJob> entities = new ArrayList<>(jobs.size());
    for (QueuedJob job : jobs) {
      attempt = Math.max(attempt, job.attempts + 1);
      specs.add(job.spec);
      entities.add(job.toEntity());
      leaveQueue(job, QueuedJob.Phase.RUNNING, listener);
    }
    Dispatch dispatch =
        new Dispatch(
            name,
            lane.executorId(),
            lane.executor().report.incarnation(),
            List.of(lane.index()),
            List.copyOf(specs),
            checked.samples(),
            checked.tokens(),
            attempt,
            state.nowNs(),
            start.notAfterNs(),
            state.prediction(jobs.get(0).group, checked.samples(), lane),
            start.scoreTerms());
    Batch batch = new Batch(dispatch, jobs, lane);
    lane.executor().start(batch);
    running.put(name, batch);
    listener.started(dispatch);
    listener.changed(new RunningBatch(dispatch, entities));
  }

  // --- what a driver keeps

  private void tellChanges(CoreListener listener) {
    for (QueuedJob job : arrived) {
      if (job.phase == QueuedJob.Phase.WAITING && !job.kept) {
        job.kept = true;
        listener.changed(job.toEntity());
      }
    }
    arrived.clear();
    for (ExecutorLanes executor : changedExecutors) {
      listener.changed(executor.toEntity());
    }
    changedExecutors.clear();
    listener.changed(
        new Progress(
            state.nowNs(),
            nextEntry,
            sources,
            indexBySource,
            List.copyOf(sourcesEnded),
            policyWakeAtNs));
  }
}
