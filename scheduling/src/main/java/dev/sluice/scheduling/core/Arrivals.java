package dev.sluice.scheduling.core;

import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobEnded.Status;
import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.contract.value.Reason;
import dev.sluice.scheduling.driver.CoreListener;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.state.CoreState;
import dev.sluice.scheduling.state.JobGroup;
import dev.sluice.scheduling.state.QueuedJob;
import dev.sluice.scheduling.state.RunningWorkflow;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Arrivals of jobs and workflows, and of the jobs that the end of another job of their workflow
 * releases.
 */
final class Arrivals {
  private final CoreState state;
  private final Sources sources;
  private final JobQueue queue;

  /** Ends of nodes whose workflows do not go on yet. */
  private final Queue<Runnable> heldBack = new ArrayDeque<>();

  private boolean holdsBack;

  Arrivals(CoreState state, Sources sources, JobQueue queue) {
    this.state = state;
    this.sources = sources;
    this.queue = queue;
  }

  void take(JobSpec job, CoreListener listener) {
    if (sources.isNew(job.source(), job.index())) {
      queueNew(job, null, listener);
    }
  }

  void take(WorkflowRequested request, CoreListener listener) {
    if (sources.isNew(request.generator(), request.index())) {
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
    JobGroup group = state.groupOf(spec);
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
    if (sources.haveEnded()) {
      return null; // such a job is dropped as run_ended
    }
    if (sources.haveStarted() && group.overBudget && !state.settings.cpuFallback()) {
      return Reason.OVER_BUDGET.text();
    }
    return state.waiting() >= state.settings.bounds().maxWaiting()
        ? Reason.QUEUE_FULL.text()
        : null;
  }

  /**
   * Continues the workflow of an ended job: nodes that waited for it are released, or end undone.
   */
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
}
