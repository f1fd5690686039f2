package dev.sluice.scheduling.core;

import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobEnded.Status;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.contract.value.Reason;
import dev.sluice.scheduling.driver.CoreListener;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.state.CoreState;
import dev.sluice.scheduling.state.JobGroup;
import dev.sluice.scheduling.state.QueuedJob;
import dev.sluice.scheduling.state.RunningWorkflow;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Arrivals of jobs and workflows, and of the jobs that the end of another job of their workflow
 * releases. Knows the sources (generators) of the run: the indexes that each has sent, and whether
 * the run has begun and ended.
 */
final class Arrivals {
  /** Time after the last intended arrival at which the run ends, whatever sources have said. */
  private static final long ARRIVALS_OVERDUE_NS = 10_000_000_000L;

  private final CoreState state;
  private final JobQueue queue;

  /** Highest index seen from each source (generator), by its number. */
  final Map<Integer, Long> indexBySource = new HashMap<>();

  final TreeSet<Integer> ended = new TreeSet<>();

  /** Number of sources that the run has; 0 before it started. */
  int count;

  long arrivalsEndAtNsMax = Long.MAX_VALUE;

  /** Time at which the run ends even if a source has not said so. */
  long endAtNs = Long.MAX_VALUE;

  /** Ends of nodes whose workflows do not go on yet. */
  private final Queue<Runnable> heldBack = new ArrayDeque<>();

  private boolean holdsBack;

  Arrivals(CoreState state, JobQueue queue) {
    this.state = state;
    this.queue = queue;
  }

  void take(JobSpec job, CoreListener listener) {
    if (isNew(job.source(), job.index())) {
      queueNew(job, null, listener);
    }
  }

  void take(WorkflowRequested request, CoreListener listener) {
    if (isNew(request.generator(), request.index())) {
      RunningWorkflow workflow = new RunningWorkflow(request);
      release(workflow, workflow.first(), listener);
    }
  }

  private void release(RunningWorkflow workflow, List<Integer> nodes, CoreListener listener) {
    for (int node : nodes) {
      queueNew(workflow.job(node, queue.nextEntry, state.nowNs()), workflow, listener);
    }
  }

  private void queueNew(JobSpec spec, @Nullable RunningWorkflow workflow, CoreListener listener) {
    long entry = queue.nextEntry++;
    JobGroup group = state.jobs.groupOf(spec);
    String reason = group == null ? Reason.UNRUNNABLE.text() : reasonToTurnAway(group);
    if (group == null || reason != null) {
      tellDropped(spec.id(), 0, reason, listener);
      endNode(spec, workflow, false, listener);
      return;
    }
    QueuedJob job = new QueuedJob(spec, group, entry, state.nowNs(), 0);
    job.workflow = workflow;
    state.arrived(job);
    queue.add(job);
  }

  /** Returns why an arriving job of the group does not join the queue; null if it joins. */
  private @Nullable String reasonToTurnAway(JobGroup group) {
    if (group.tokens > Integer.MAX_VALUE) {
      return Reason.OVER_BUDGET.text();
    }
    if (haveEnded()) {
      return null; // such a job is dropped as run_ended
    }
    if (haveStarted() && group.overBudget && !state.settings.placing().cpuFallback()) {
      return Reason.OVER_BUDGET.text();
    }
    return state.waiting() >= state.settings.bounds().maxWaiting()
        ? Reason.QUEUE_FULL.text()
        : null;
  }

  /** Continues an ended job's workflow: nodes that waited for it are released, or end undone. */
  void endNode(
      JobSpec spec, @Nullable RunningWorkflow workflow, boolean done, CoreListener listener) {
    JobSpec.Node node = spec.node();
    if (workflow == null || node == null) {
      return;
    }
    if (holdsBack) {
      heldBack.add(() -> endNode(spec, workflow, done, listener));
    } else if (done) {
      release(workflow, workflow.end(node.place()), listener);
    } else {
      for (int undone : workflow.endUndone(node.place())) {
        tellDropped(workflow.jobId(undone), 0, Reason.INPUT_NOT_DONE.text(), listener);
      }
    }
  }

  /** Runs an action, and holds back what the ends of nodes in it lead to. */
  void holdBack(Runnable action) {
    holdsBack = true;
    action.run();
    holdsBack = false;
  }

  /** Continues the workflow of the node whose end was held back first. */
  void releaseHeldBack() {
    heldBack.remove().run();
  }

  void tellDropped(String jobId, int attempts, @Nullable String reason, CoreListener listener) {
    listener.ended(new JobEnded(jobId, Status.DROPPED, reason, null, attempts, state.nowNs()));
  }

  void restoreSources(
      int sources, long arrivalsEndNsMax, Map<Integer, Long> indexes, List<Integer> over) {
    count = sources;
    arrivalsEndAt(arrivalsEndNsMax);
    indexBySource.putAll(indexes);
    ended.addAll(over);
  }

  void start(RunStarted start) {
    count = start.generators();
    Long endNsMax = start.arrivalsEndAtNsMax();
    arrivalsEndAt(endNsMax == null ? Long.MAX_VALUE : endNsMax);
  }

  private void arrivalsEndAt(long ns) {
    arrivalsEndAtNsMax = ns;
    endAtNs =
        ns >= Long.MAX_VALUE - ARRIVALS_OVERDUE_NS ? Long.MAX_VALUE : ns + ARRIVALS_OVERDUE_NS + 1;
  }

  boolean haveStarted() {
    return count > 0;
  }

  boolean haveEnded() {
    return count > 0 && (state.nowNs() >= endAtNs || ended.size() >= count);
  }

  /** Notes an index, and returns whether its source sent neither it nor a higher one before. */
  boolean isNew(int number, long index) {
    Long highest = indexBySource.get(number);
    boolean isNew = highest == null || index > highest;
    if (isNew) {
      indexBySource.put(number, index);
    }
    return isNew;
  }
}
