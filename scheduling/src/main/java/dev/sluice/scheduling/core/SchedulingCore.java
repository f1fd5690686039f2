package dev.sluice.scheduling.core;

import dev.sluice.scheduling.fact.CoreEntity;
import dev.sluice.scheduling.fact.CoreEntity.LostBatch;
import dev.sluice.scheduling.fact.CoreEntity.Progress;
import dev.sluice.scheduling.fact.CoreEntity.RunningBatch;
import dev.sluice.scheduling.fact.CoreFact;
import dev.sluice.scheduling.fact.CoreFact.ArrivalsEnded;
import dev.sluice.scheduling.fact.CoreFact.BatchCompleted;
import dev.sluice.scheduling.fact.CoreFact.ExecutorReported;
import dev.sluice.scheduling.fact.CoreFact.JobArrived;
import dev.sluice.scheduling.fact.CoreFact.PredictionsPublished;
import dev.sluice.scheduling.fact.CoreFact.RunStarted;
import dev.sluice.scheduling.fact.CoreFact.Together;
import dev.sluice.scheduling.fact.CoreFact.WorkflowArrived;
import dev.sluice.scheduling.fact.CoreListener;
import dev.sluice.scheduling.fact.CoreSettings;
import dev.sluice.scheduling.fact.CoreSettings.Admission;
import dev.sluice.scheduling.fact.Dispatch;
import dev.sluice.scheduling.fact.DispatchName;
import dev.sluice.scheduling.fact.JobEnd;
import dev.sluice.scheduling.fact.JobEnd.Status;
import dev.sluice.scheduling.job.JobSpec;
import dev.sluice.scheduling.job.WorkflowSpec;
import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.prediction.ServiceTimes;
import dev.sluice.scheduling.state.Batch;
import dev.sluice.scheduling.state.CoreState;
import dev.sluice.scheduling.state.ExecutorLanes;
import dev.sluice.scheduling.state.ExecutorLanes.Lane;
import dev.sluice.scheduling.state.JobGroup;
import dev.sluice.scheduling.state.JobList;
import dev.sluice.scheduling.state.QueuedJob;
import dev.sluice.scheduling.state.RunningWorkflow;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
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
  /** So long after the last intended arrival the run ends without its sources' word. */
  static final long ARRIVALS_OVERDUE_NS = 10_000_000_000L;

  private static final long BLOCKED_NS_MIN = 1_000_000;

  private final CoreState state;
  private final SchedulingPolicy policy;
  private final DecisionCheck check;
  private final LeaseClock leases;

  private int running;

  /** Lost batches that were not answered yet, while one of their jobs or a lane is left. */
  private final Map<DispatchName, Batch> lost = new HashMap<>();

  /** By key, while the core is restored: later a job knows its own. */
  private final Map<String, RunningWorkflow> workflows = new HashMap<>();

  private final Map<Integer, Source> sourceByNumber = new HashMap<>();
  private @Nullable Source lastSource;
  private final TreeSet<Integer> sourcesEnded = new TreeSet<>();
  private int sources;
  private long arrivalsEndAtNsMax = Long.MAX_VALUE;
  private long nextEntry;
  private long policyWakeAtNs = Long.MAX_VALUE;
  private long blockedSinceNs;
  private @Nullable Cause blockedCause;

  /** Waiting jobs by entry, as far as they may wait too long; some of them have left since. */
  private final PriorityQueue<QueuedJob> mayExpire = new PriorityQueue<>(JobOrder.ENTRY);

  /** Whether a job that came back, or a change of the executors, may be over every budget. */
  private boolean budgetsMatter;

  /** Whether the listener keeps the state's entities. */
  private boolean keepsState;

  /** Jobs that came, or came back, with the present fact, for who keeps them. */
  private final List<QueuedJob> arrived = new ArrayList<>();

  /** Executors that changed with the present fact, as they joined. */
  private final TreeSet<ExecutorLanes> changedExecutors =
      new TreeSet<>(Comparator.comparingInt((ExecutorLanes executor) -> executor.order));

  private final List<Lane> changedLanes = new ArrayList<>();

  /** A generator, by the highest index seen from it. */
  private static final class Source {
    private final int number;
    private long highestIndex;

    Source(int number, long highestIndex) {
      this.number = number;
      this.highestIndex = highestIndex;
    }
  }

  public SchedulingCore(CoreSettings settings, SchedulingPolicy policy) {
    this.policy = policy;
    this.state = new CoreState(settings, policy.needs());
    this.check = new DecisionCheck(state, policy.getClass().getSimpleName());
    this.leases = new LeaseClock(settings.leases(), state.executors());
  }

  /**
   * A core that goes on where another stopped.
   *
   * @param entities all that the other's listener was told to keep, in any order
   */
  public static SchedulingCore restore(
      CoreSettings settings, SchedulingPolicy policy, Collection<CoreEntity> entities) {
    SchedulingCore core = new SchedulingCore(settings, policy);
    core.restore(entities);
    return core;
  }

  private void restore(Collection<CoreEntity> entities) {
    entitiesOf(CoreEntity.Executor.class, entities).stream()
        .sorted(Comparator.comparingInt(CoreEntity.Executor::order))
        .forEach(executor -> state.add(ExecutorLanes.restore(executor, state.settings.ahead())));
    entitiesOf(CoreEntity.Lane.class, entities).stream()
        .sorted(Comparator.comparingInt(CoreEntity.Lane::index))
        .forEach(lane -> executorOf(lane.executorId()).restore(lane));
    state.executorsChanged();
    state.serviceTimes.restore(entities);
    entitiesOf(CoreEntity.Workflow.class, entities)
        .forEach(entity -> workflows.put(entity.key(), RunningWorkflow.restore(entity)));
    Map<String, QueuedJob> jobById = new HashMap<>();
    entitiesOf(CoreEntity.WaitingJob.class, entities).stream()
        .sorted(Comparator.comparingLong(CoreEntity.WaitingJob::entry))
        .forEach(
            entity -> {
              QueuedJob job = toQueued(entity);
              job.kept = true;
              queue(job);
              jobById.put(entity.spec().id(), job);
            });
    List<Batch> held = new ArrayList<>();
    for (RunningBatch entity : entitiesOf(RunningBatch.class, entities)) {
      Batch batch = restore(entity);
      batch.jobs.forEach(job -> jobById.put(job.spec.id(), job));
      held.add(batch);
    }
    entitiesOf(LostBatch.class, entities).stream()
        .sorted(Comparator.comparing(entity -> entity.dispatch().name()))
        .forEach(
            entity -> {
              Batch batch = restore(entity, jobById);
              if (entity.held()) {
                held.add(batch);
              }
            });
    held.sort(Comparator.comparing(batch -> batch.dispatch.name()));
    held.forEach(batch -> batch.lane.executor().hold(batch));
    workflows.clear();
    entitiesOf(CoreEntity.PassedOver.class, entities).forEach(state::restore);
    entitiesOf(Progress.class, entities).forEach(this::restore);
  }

  private static <E extends CoreEntity> List<E> entitiesOf(
      Class<E> kind, Collection<CoreEntity> entities) {
    return entities.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  private QueuedJob toQueued(CoreEntity.WaitingJob job) {
    QueuedJob queued = state.newJob(job.spec(), job.entry(), job.appendedAtNs(), job.attempts());
    JobSpec.Node node = job.spec().node();
    if (node != null) {
      queued.workflow =
          workflows.get(CoreEntity.Workflow.key(job.spec().source(), node.workflow()));
    }
    return queued;
  }

  private ExecutorLanes executorOf(String executorId) {
    ExecutorLanes executor = state.executor(executorId);
    if (executor == null) {
      throw new IllegalArgumentException(
          "executor (%s) has lanes or batches, and is not among the entities"
              .formatted(executorId));
    }
    return executor;
  }

  private Lane laneOf(Dispatch dispatch) {
    return executorOf(dispatch.executorId()).lane(dispatch.lanes().get(0));
  }

  private Batch restore(RunningBatch entity) {
    List<QueuedJob> jobs = entity.jobs().stream().map(this::toQueued).toList();
    Dispatch dispatch = entity.dispatch();
    Batch batch = new Batch(dispatch, jobs, laneOf(dispatch), entity.decidedAtLeaseNs());
    for (QueuedJob job : jobs) {
      job.phase = QueuedJob.Phase.RUNNING;
      job.batch = batch;
    }
    running++;
    return batch;
  }

  private Batch restore(LostBatch entity, Map<String, QueuedJob> jobById) {
    List<QueuedJob> jobs = new ArrayList<>();
    for (JobSpec spec : entity.dispatch().jobs()) {
      QueuedJob job = jobById.get(spec.id());
      if (job != null) {
        jobs.add(job);
      }
    }
    Batch batch = new Batch(entity.dispatch(), jobs, laneOf(entity.dispatch()), 0);
    batch.lost = true;
    jobs.forEach(job -> rememberLostIn(job, batch));
    lost.put(entity.dispatch().name(), batch);
    return batch;
  }

  private void restore(Progress progress) {
    state.advanceTo(progress.nowNs());
    leases.restore(
        progress.leaseNs(), progress.reportedAtLeaseNs(), progress.overdueCheckAtLeaseNs());
    nextEntry = progress.nextEntry();
    sources = progress.sources();
    arrivalsEndAtNsMax = progress.arrivalsEndAtNsMax();
    progress
        .indexBySource()
        .forEach((number, index) -> sourceByNumber.put(number, new Source(number, index)));
    sourcesEnded.addAll(progress.sourcesEnded());
    policyWakeAtNs = progress.policyWakeAtNs();
    blockedSinceNs = progress.blockedSinceNs();
    blockedCause = progress.blockedCause();
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
    if (hasStarted()) {
      leases.advance(Math.max(0, nowNs - state.nowNs()));
      state.advanceTo(nowNs);
    } else if (fact instanceof RunStarted) {
      state.advanceTo(nowNs);
    }
    budgetsMatter = false;
    keepsState = listener.keepsState();
    take(fact, listener);
    if (hasStarted()) {
      checkLeases(listener);
      if (hasEnded()) {
        drop(state.waitingIn(group -> true), "run_ended", listener);
      }
      if (budgetsMatter && !state.settings.cpuFallback()) {
        drop(state.waitingIn(group -> group.overBudget), "over_budget", listener);
      }
      expire(listener);
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
    if (running > 0) {
      long untilLeaseNs = leases.untilNextCheckNs();
      wakeAtNs =
          Math.min(
              wakeAtNs,
              untilLeaseNs == Long.MAX_VALUE ? untilLeaseNs : state.nowNs() + untilLeaseNs);
    }
    if (waiting() == 0) {
      return wakeAtNs;
    }
    wakeAtNs = Math.min(wakeAtNs, Math.min(nextExpiryAtNs(), endsAtNs()));
    return state.settings.microbatch().enabled() && state.hasFreeLane()
        ? Math.min(wakeAtNs, state.nextRipeAtNs())
        : wakeAtNs;
  }

  /** How many jobs wait. */
  public int waiting() {
    return state.waiting();
  }

  /** How many batches run. */
  public int running() {
    return running;
  }

  private boolean hasStarted() {
    return sources > 0;
  }

  private boolean hasEnded() {
    return hasStarted() && (state.nowNs() >= endsAtNs() || sourcesEnded.size() >= sources);
  }

  /** From when on the run has ended even if a source has not said so. */
  private long endsAtNs() {
    return arrivalsEndAtNsMax >= Long.MAX_VALUE - ARRIVALS_OVERDUE_NS
        ? Long.MAX_VALUE
        : arrivalsEndAtNsMax + ARRIVALS_OVERDUE_NS + 1;
  }

  // --- facts

  private void take(CoreFact fact, CoreListener listener) {
    if (fact instanceof JobArrived arrival) {
      if (isNew(arrival.job().source(), arrival.job().index())) {
        queueNew(arrival.job(), null, listener);
      }
    } else if (fact instanceof WorkflowArrived arrival) {
      takeWorkflow(arrival.workflow(), listener);
    } else if (fact instanceof BatchCompleted completion) {
      takeCompletion(completion, listener);
    } else if (fact instanceof ExecutorReported report) {
      takeReport(report, listener);
    } else if (fact instanceof PredictionsPublished table) {
      String refusal = state.serviceTimes.publish(table, state.reports(), listener);
      if (refusal != null) {
        listener.refused(table, refusal);
      }
    } else if (fact instanceof RunStarted start) {
      if (!hasStarted()) {
        sources = Math.max(1, start.sources());
        arrivalsEndAtNsMax = start.arrivalsEndAtNsMax();
        budgetsMatter = true;
      }
    } else if (fact instanceof ArrivalsEnded end) {
      sourcesEnded.add(end.source());
    } else if (fact instanceof Together together) {
      for (int i = 0; i < together.facts().size(); i++) {
        take(together.facts().get(i), listener);
      }
    }
  }

  private void takeWorkflow(WorkflowSpec spec, CoreListener listener) {
    if (isNew(spec.source(), spec.index())) {
      RunningWorkflow workflow = new RunningWorkflow(spec);
      tellKept(workflow, listener);
      release(workflow, workflow.first(), listener);
    }
  }

  private void release(RunningWorkflow workflow, List<Integer> nodes, CoreListener listener) {
    for (int node : nodes) {
      queueNew(workflow.job(node, nextEntry, state.nowNs()), workflow, listener);
    }
  }

  private void queueNew(JobSpec spec, @Nullable RunningWorkflow workflow, CoreListener listener) {
    long entry = nextEntry++;
    JobGroup group = state.groupOf(spec);
    String reason = group == null ? "unrunnable" : reasonToTurnAway(group);
    if (group == null || reason != null) {
      tellDropped(spec.id(), 0, reason, listener);
      endNode(spec, workflow, false, listener);
      return;
    }
    QueuedJob job = new QueuedJob(spec, group, entry, state.nowNs(), 0);
    job.workflow = workflow;
    queue(job);
    noteArrived(job);
  }

  private void noteArrived(QueuedJob job) {
    if (keepsState) {
      arrived.add(job);
    }
  }

  /** What follows for its workflow from the end of a job: others begin, or end with it. */
  private void endNode(
      JobSpec spec, @Nullable RunningWorkflow workflow, boolean done, CoreListener listener) {
    JobSpec.Node node = spec.node();
    if (workflow == null || node == null) {
      return;
    }
    if (done) {
      release(workflow, workflow.end(node.place()), listener);
    } else {
      for (int undone : workflow.endUndone(node.place())) {
        tellDropped(workflow.jobId(undone), 0, "input_not_done", listener);
      }
    }
    tellKept(workflow, listener);
  }

  private void tellKept(RunningWorkflow workflow, CoreListener listener) {
    if (!keepsState) {
      return;
    }
    if (!workflow.isOver()) {
      workflow.kept = true;
      listener.changed(workflow.toEntity());
    } else if (workflow.kept) {
      workflow.kept = false;
      listener.removed(workflow.key());
    }
  }

  /** Whether its source sent nothing of its index or a higher one before. */
  private boolean isNew(int number, long index) {
    Source source = lastSource;
    if (source == null || source.number != number) {
      source = sourceByNumber.computeIfAbsent(number, n -> new Source(n, -1));
      lastSource = source;
    }
    boolean isNew = index > source.highestIndex;
    source.highestIndex = Math.max(source.highestIndex, index);
    return isNew;
  }

  /** Why an arriving job of the group does not join the queue; null: it does. */
  private @Nullable String reasonToTurnAway(JobGroup group) {
    if (group.tokens > Integer.MAX_VALUE) {
      return "over_budget";
    }
    if (hasEnded()) {
      return null; // run_ended is the better reason
    }
    if (hasStarted() && group.overBudget && !state.settings.cpuFallback()) {
      return "over_budget";
    }
    return waiting() >= state.settings.bounds().maxWaiting() ? "queue_full" : null;
  }

  private void queue(QueuedJob job) {
    state.add(job);
    if (!job.mayExpire && state.settings.bounds().expireAfterNs() < Long.MAX_VALUE) {
      job.mayExpire = true;
      mayExpire.add(job);
    }
  }

  private void takeCompletion(BatchCompleted completion, CoreListener listener) {
    Lane lane = laneNamedIn(completion);
    Batch batch = heldBatch(completion.dispatch(), lane);
    if (batch != null) {
      running--;
      completeRunning(batch, completion, listener);
    } else {
      batch = lost.get(completion.dispatch());
      if (batch != null) {
        completeLost(batch, completion, listener);
      }
    }
    if (lane != null && lane.executor().report.incarnation() == completion.incarnation()) {
      noteWhetherItRefuses(lane, completion, batch != null);
    }
  }

  private @Nullable Lane laneNamedIn(BatchCompleted completion) {
    ExecutorLanes executor = state.executor(completion.executorId());
    return executor != null && executor.hasLane(completion.lane())
        ? executor.lane(completion.lane())
        : null;
  }

  /** The batch of that name, if it runs: most likely on that lane. */
  private @Nullable Batch heldBatch(DispatchName name, @Nullable Lane likely) {
    Batch batch = likely == null ? null : likely.runningBatch(name);
    for (int i = 0; batch == null && i < state.executors().size(); i++) {
      List<Lane> lanes = state.executors().get(i).allLanes();
      for (int j = 0; batch == null && j < lanes.size(); j++) {
        batch = lanes.get(j).runningBatch(name);
      }
    }
    return batch;
  }

  private void completeRunning(Batch batch, BatchCompleted completion, CoreListener listener) {
    finish(batch);
    switch (completion.result()) {
      case DONE -> {
        if (batch.hasUnendedJob()) {
          learn(batch, completion.serviceNs(), listener);
        }
        endAll(batch, Status.DONE, null, listener);
      }
      case FAILED -> {
        String cause = completion.cause();
        endAll(batch, Status.FAILED, cause == null ? "failed" : cause, listener);
      }
      case REFUSED -> {
        for (QueuedJob job : batch.jobs) {
          if (job.phase == QueuedJob.Phase.RUNNING) {
            putBack(job);
          }
        }
      }
    }
    if (keepsState) {
      listener.removed(RunningBatch.key(batch.dispatch.name()));
    }
  }

  /**
   * A batch that was given up is answered after all: what it did is done. Its service time teaches
   * nothing, since its executor may have stood still in it.
   */
  private void completeLost(Batch batch, BatchCompleted completion, CoreListener listener) {
    if (completion.result() == CoreFact.Result.DONE) {
      endAll(batch, Status.DONE, null, listener);
    }
    if (batch.lane.holds(batch)) {
      finish(batch);
    }
    forget(batch, listener);
  }

  private void finish(Batch batch) {
    ExecutorLanes executor = batch.lane.executor();
    executor.finish(batch, state.nowNs(), leases.nowNs());
    for (int i = 0; i < batch.lanes; i++) {
      changed(executor.laneOf(batch, i));
    }
  }

  private void noteWhetherItRefuses(Lane lane, BatchCompleted completion, boolean isKnown) {
    boolean refused = completion.result() == CoreFact.Result.REFUSED;
    boolean busy = refused && isKnown && BatchCompleted.BUSY.equals(completion.cause());
    if ((busy && !lane.refuses()) || (!refused && lane.refuses())) {
      lane.refuses(busy);
      changed(lane);
    }
  }

  private void learn(Batch batch, long serviceNs, CoreListener listener) {
    ServiceTimes.Model model = batch.jobs.get(0).group.modelOn(batch.lane.executor());
    if (model != null && serviceNs > 0) {
      model.completed(batch.dispatch.prediction(), batch.dispatch.samples(), serviceNs, listener);
    }
  }

  /** Ends those of the batch's jobs that have not ended. */
  private void endAll(Batch batch, Status status, @Nullable String reason, CoreListener listener) {
    for (int i = 0; i < batch.jobs.size(); i++) {
      QueuedJob job = batch.jobs.get(i);
      if (job.phase != QueuedJob.Phase.ENDED) {
        end(job, batch, status, reason, listener);
      }
    }
  }

  private void end(
      QueuedJob job, Batch by, Status status, @Nullable String reason, CoreListener listener) {
    int attempts = job.attempts;
    Batch runsIn = job.batch;
    if (job.phase == QueuedJob.Phase.WAITING) {
      leaveQueue(job, QueuedJob.Phase.ENDED, listener);
    } else if (runsIn != null) {
      attempts++;
    }
    job.phase = QueuedJob.Phase.ENDED;
    job.batch = null;
    if (runsIn != null && runsIn != by && keepsState) {
      listener.changed(runsIn.toEntity());
    }
    listener.ended(
        new JobEnd(job.spec.id(), status, reason, by.dispatch.name(), attempts, state.nowNs()));
    forgetWhereLost(job, listener);
    endNode(job.spec, job.workflow, status == Status.DONE, listener);
  }

  private void putBack(QueuedJob job) {
    job.batch = null;
    queue(job);
    noteArrived(job);
    budgetsMatter |= job.group.overBudget;
  }

  private void takeReport(ExecutorReported report, CoreListener listener) {
    ExecutorLanes known = state.executor(report.executorId());
    if (known == null) {
      if (!report.leaving()) {
        ExecutorLanes joined =
            new ExecutorLanes(state.executors().size(), report, state.settings.ahead());
        state.add(joined);
        leases.reported(joined);
        update(joined, report);
      }
      return;
    }
    long incarnation = known.report.incarnation();
    if (report.incarnation() < incarnation
        || (report.incarnation() == incarnation && known.report.leaving())) {
      return;
    }
    leases.reported(known);
    if (known.lost()) {
      known.lost(false);
      changedExecutors.add(known);
      leases.executorsChanged();
    }
    if (report.incarnation() > incarnation || report.leaving()) {
      release(known, listener);
      update(known, report);
    } else if (!report.withoutMoment().equals(known.report)) {
      update(known, report);
    }
    for (int index : report.emptyLanes()) {
      if (known.hasLane(index) && known.lane(index).refuses()) {
        known.lane(index).refuses(false);
        changed(known.lane(index));
      }
    }
  }

  /** The executor's process is gone, and with it all that its lanes held. */
  private void release(ExecutorLanes executor, CoreListener listener) {
    loseAll(executor, listener);
    List<Batch> answeredByNobody = new ArrayList<>();
    for (Lane lane : executor.allLanes()) {
      for (Batch batch : lane.held()) {
        if (batch.lane == lane) {
          answeredByNobody.add(batch);
        }
      }
    }
    executor.release(state.nowNs(), leases.nowNs());
    executor.allLanes().forEach(this::changed);
    for (Batch batch : answeredByNobody) {
      if (!batch.hasUnendedJob()) {
        forget(batch, listener);
      } else if (keepsState) {
        listener.changed(batch.toLostEntity());
      }
    }
  }

  private void update(ExecutorLanes executor, ExecutorReported report) {
    executor.update(report, state.nowNs(), leases.nowNs());
    executor.allLanes().forEach(this::changed);
    state.executorsChanged();
    leases.executorsChanged();
    changedExecutors.add(executor);
    budgetsMatter = true;
  }

  private void changed(Lane lane) {
    if (keepsState && !lane.changed) {
      lane.changed = true;
      changedLanes.add(lane);
    }
  }

  // --- losses

  private void checkLeases(CoreListener listener) {
    if (leases.anyExpired()) {
      for (ExecutorLanes executor : state.executors()) {
        if (leases.hasExpired(executor)) {
          executor.lost(true);
          changedExecutors.add(executor);
          loseAll(executor, listener);
        }
      }
      leases.executorsChanged();
    }
    if (leases.anyMayBeOverdue()) {
      loseOverdue(listener);
    }
  }

  /** A lane whose first batch is overdue hangs, so that all that it holds is lost. */
  private void loseOverdue(CoreListener listener) {
    List<Lane> hanging = new ArrayList<>();
    for (ExecutorLanes executor : state.executors()) {
      for (Lane lane : executor.allLanes()) {
        List<Batch> held = lane.held();
        if (!held.isEmpty() && !held.get(0).lost && lane.overdueAtLeaseNs() <= leases.nowNs()) {
          hanging.add(lane);
        }
      }
    }
    for (Lane lane : hanging) { // a gang hangs on several
      loseAll(lane, listener);
    }
    leases.checkedOverdue();
  }

  private void loseAll(ExecutorLanes executor, CoreListener listener) {
    for (Lane lane : executor.allLanes()) {
      loseAll(lane, listener);
    }
  }

  private void loseAll(Lane lane, CoreListener listener) {
    for (Batch batch : lane.held()) {
      if (!batch.lost) {
        lose(batch, listener);
      }
    }
  }

  private void lose(Batch batch, CoreListener listener) {
    DispatchName name = batch.dispatch.name();
    running--;
    lost.put(name, batch);
    batch.lane.executor().lose(batch);
    if (keepsState) {
      listener.removed(RunningBatch.key(name));
      listener.changed(batch.toLostEntity());
    }
    for (QueuedJob job : batch.jobs) {
      if (job.phase == QueuedJob.Phase.ENDED) {
        continue;
      }
      if (job.attempts + 1 >= state.settings.leases().maxAttempts()) {
        end(job, batch, Status.FAILED, "lane_lost", listener);
      } else {
        job.attempts++;
        rememberLostIn(job, batch);
        putBack(job);
      }
    }
  }

  private static void rememberLostIn(QueuedJob job, Batch batch) {
    if (job.lostIn == null) {
      job.lostIn = new ArrayList<>(1);
    }
    job.lostIn.add(batch);
  }

  /**
   * The job has ended: lost batches that wait for no other job, and hold no lane, are forgotten.
   */
  private void forgetWhereLost(QueuedJob job, CoreListener listener) {
    if (job.lostIn != null) {
      for (Batch batch : job.lostIn) {
        if (!batch.lane.holds(batch) && !batch.hasUnendedJob()) {
          forget(batch, listener);
        }
      }
      job.lostIn = null;
    }
  }

  private void forget(Batch batch, CoreListener listener) {
    if (lost.remove(batch.dispatch.name()) != null && keepsState) {
      listener.removed(LostBatch.key(batch.dispatch.name()));
    }
  }

  // --- drops

  private void expire(CoreListener listener) {
    if (nextExpiryAtNs() > state.nowNs()) {
      return;
    }
    List<QueuedJob> old = new ArrayList<>();
    while (nextExpiryAtNs() <= state.nowNs()) {
      QueuedJob job = mayExpire.remove();
      job.mayExpire = false;
      old.add(job);
    }
    drop(old, "waited_too_long", listener);
  }

  /** When the oldest waiting job will have waited too long; {@link Long#MAX_VALUE}: none will. */
  private long nextExpiryAtNs() {
    QueuedJob oldest = mayExpire.peek();
    while (oldest != null && oldest.phase != QueuedJob.Phase.WAITING) {
      mayExpire.remove().mayExpire = false;
      oldest = mayExpire.peek();
    }
    long afterNs = state.settings.bounds().expireAfterNs();
    return oldest == null || oldest.appendedAtNs >= Long.MAX_VALUE - afterNs
        ? Long.MAX_VALUE
        : oldest.appendedAtNs + afterNs + 1;
  }

  private void admit(CoreListener listener) {
    if (state.settings.admission() == Admission.NONE) {
      return;
    }
    List<QueuedJob> late = new ArrayList<>();
    for (JobGroup group : state.groups()) {
      long latestStartNs = state.nowNs() + neededNs(group);
      JobList.Walk byDeadline = group.list(JobOrder.DEADLINE).walk();
      QueuedJob job = byDeadline.next();
      while (job != null && job.deadlineNs < latestStartNs) {
        late.add(job);
        job = byDeadline.next();
      }
    }
    late.sort(JobOrder.ENTRY);
    boolean hopeless = state.settings.admission() == Admission.HOPELESS;
    drop(late, hopeless ? "hopeless" : "expired", listener);
  }

  /** How long before its deadline a job must start not to be dropped. */
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
      forgetWhereLost(job, listener);
      endNode(job.spec, job.workflow, false, listener);
    }
  }

  private void tellDropped(
      String jobId, int attempts, @Nullable String reason, CoreListener listener) {
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

  /** Asks the policy, which is spared the question while nothing waits or no lane takes a batch. */
  private void decide(long factId, CoreListener listener) {
    for (int index = 0; ; index++) {
      if (waiting() == 0 || !state.hasFreeLane()) {
        policyWakeAtNs = Long.MAX_VALUE;
        noteBlocked(Cause.LANE, listener);
        return;
      }
      state.deciding(factId, index);
      Choice choice = policy.choose(state);
      if (choice instanceof Choice.Start start) {
        start(new DispatchName(factId, index), start, listener);
      } else if (choice instanceof Choice.Nothing nothing) {
        check.check(nothing);
        policyWakeAtNs = nothing.untilNs();
        noteBlocked(nothing.cause(), listener);
        return;
      } else {
        throw check.unsupported(choice);
      }
    }
  }

  private void noteBlocked(Cause answered, CoreListener listener) {
    boolean blocked = answered != Cause.LANE && waiting() > 0 && state.hasIdleLane();
    Cause cause = blocked ? answered : null;
    if (cause != blockedCause) {
      if (blockedCause != null && state.nowNs() - blockedSinceNs >= BLOCKED_NS_MIN) {
        listener.blocked(blockedSinceNs, state.nowNs(), blockedCause);
      }
      blockedCause = cause;
      blockedSinceNs = cause == null ? 0 : state.nowNs();
    }
  }

  private void start(DispatchName name, Choice.Start start, CoreListener listener) {
    DecisionCheck.Checked checked = check.check(start);
    ExecutorLanes.Lane lane = checked.lane();
    List<QueuedJob> jobs = checked.jobs();
    int attempt = 0;
    for (int i = 0; i < jobs.size(); i++) {
      QueuedJob job = jobs.get(i);
      attempt = Math.max(attempt, job.attempts + 1);
      leaveQueue(job, QueuedJob.Phase.RUNNING, listener);
    }
    Dispatch dispatch =
        new Dispatch(
            name,
            lane.executorId(),
            lane.executor().report.incarnation(),
            lane.indexes(jobs.get(0).group.lanesNeeded()),
            specsOf(jobs),
            checked.samples(),
            checked.tokens(),
            attempt,
            state.nowNs(),
            start.notAfterNs(),
            state.prediction(jobs.get(0).group, checked.samples(), lane),
            start.scoreTerms());
    Batch batch = new Batch(dispatch, jobs, lane, leases.nowNs());
    for (int i = 0; i < jobs.size(); i++) {
      jobs.get(i).batch = batch;
    }
    lane.executor().hold(batch);
    load(batch);
    running++;
    leases.started(batch);
    state.started(jobs, lane.executor());
    listener.started(dispatch);
    if (keepsState) {
      listener.changed(batch.toEntity());
    }
  }

  /** Its lanes hold its model from now on. */
  private void load(Batch batch) {
    String workload = batch.jobs.get(0).group.workload();
    for (int i = 0; i < batch.lanes; i++) {
      Lane lane = batch.lane.executor().laneOf(batch, i);
      if (!workload.equals(lane.resident())) {
        lane.load(workload);
        changed(lane);
      }
    }
  }

  private static List<JobSpec> specsOf(List<QueuedJob> jobs) {
    if (jobs.size() == 1) {
      return List.of(jobs.get(0).spec);
    }
    JobSpec[] specs = new JobSpec[jobs.size()];
    for (int i = 0; i < specs.length; i++) {
      specs[i] = jobs.get(i).spec;
    }
    return List.of(specs);
  }

  // --- what a driver keeps

  private void tellChanges(CoreListener listener) {
    if (keepsState) {
      tellKeeper(listener);
      arrived.clear();
      changedLanes.forEach(lane -> lane.changed = false);
      changedLanes.clear();
    }
    state.tellPassedOver(listener);
    if (!changedExecutors.isEmpty()) {
      changedExecutors.clear();
    }
  }

  private Map<Integer, Long> indexBySource() {
    Map<Integer, Long> indexes = new HashMap<>();
    sourceByNumber.forEach((number, source) -> indexes.put(number, source.highestIndex));
    return indexes;
  }

  private void tellKeeper(CoreListener listener) {
    for (QueuedJob job : arrived) {
      if (job.phase == QueuedJob.Phase.WAITING && !job.kept) {
        job.kept = true;
        listener.changed(job.toEntity());
      }
    }
    for (ExecutorLanes executor : changedExecutors) {
      listener.changed(executor.toEntity());
    }
    for (Lane lane : changedLanes) {
      listener.changed(lane.toEntity());
    }
    listener.changed(
        new Progress(
            state.nowNs(),
            leases.nowNs(),
            nextEntry,
            sources,
            arrivalsEndAtNsMax,
            indexBySource(),
            List.copyOf(sourcesEnded),
            policyWakeAtNs,
            leases.reportedAtNs(),
            leases.overdueCheckAtNs(),
            blockedSinceNs,
            blockedCause));
  }
}
