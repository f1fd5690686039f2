package dev.sluice.scheduling.core;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobEnded.Status;
import dev.sluice.contract.value.Reason;
import dev.sluice.scheduling.driver.CoreListener;
import dev.sluice.scheduling.policy.SchedulingPolicy.Happening;
import dev.sluice.scheduling.prediction.ModelTimes;
import dev.sluice.scheduling.state.Batch;
import dev.sluice.scheduling.state.CoreState;
import dev.sluice.scheduling.state.ExecutorLane;
import dev.sluice.scheduling.state.QueuedJob;
import org.jspecify.annotations.Nullable;

/** Completions of batches, and the ends of their jobs. */
record Completions(
    CoreState state,
    LeaseClock leases,
    JobQueue queue,
    Batches batches,
    Arrivals arrivals,
    Remembering remembering) {
  void take(BatchCompleted completion, CoreListener listener) {
    ExecutorLane lane = state.executors.lane(completion.executorId(), completion.lane());
    Batch batch = batches.running(completion.dispatchId(), lane);
    if (batch != null) {
      batches.running--;
      completeRunning(batch, completion, listener);
    } else {
      batch = batches.lost.get(completion.dispatchId());
      if (batch != null) {
        completeLost(batch, completion, listener);
      }
    }
    if (lane != null && lane.executor.report.incarnation() == completion.incarnation()) {
      noteWhetherItRefuses(lane, completion, batch != null);
    }
  }

  private void completeRunning(Batch batch, BatchCompleted completion, CoreListener listener) {
    finish(batch);
    switch (completion.result()) {
      case DONE -> {
        if (batch.hasUnendedJob()) {
          learn(batch, completion.serviceNs());
          remember(batch, completion);
        }
        endAll(batch, Status.DONE, null, listener);
      }
      case FAILED -> {
        String cause = completion.cause();
        endAll(batch, Status.FAILED, cause == null ? "failed" : cause, listener);
      }
      case REFUSED, CANCELLED -> {
        for (QueuedJob job : batch.jobs) {
          if (job.phase == QueuedJob.Phase.RUNNING) {
            queue.putBack(job);
          }
        }
      }
    }
  }

  /**
   * Takes in the completion of a batch that was given up: jobs that it ran are done. Its service
   * time is not learnt from, since its executor may have stood still meanwhile.
   */
  private void completeLost(Batch batch, BatchCompleted completion, CoreListener listener) {
    if (completion.result() == BatchCompleted.Result.DONE) {
      endAll(batch, Status.DONE, null, listener);
    }
    if (batch.lane.held.contains(batch)) {
      finish(batch);
    }
    batches.forget(batch);
  }

  private void finish(Batch batch) {
    batch.lane.executor.finish(batch, state.nowNs(), leases.nowNs);
  }

  private void noteWhetherItRefuses(ExecutorLane lane, BatchCompleted completion, boolean isKnown) {
    boolean refused = completion.result() == BatchCompleted.Result.REFUSED;
    boolean busy = refused && isKnown && Reason.BUSY.is(completion.cause());
    if ((busy && !lane.refuses) || (!refused && lane.refuses)) {
      lane.refuses(busy);
    }
  }

  private void learn(Batch batch, long serviceNs) {
    ModelTimes model = batch.jobs.get(0).group.set.modelOn(batch.lane.executor);
    if (model != null && serviceNs > 0) {
      model.completed(batch.dispatch.prediction(), batch.dispatch.samples(), serviceNs);
    }
  }

  private void remember(Batch batch, BatchCompleted completion) {
    QueuedJob first = null;
    long sloNs = Long.MAX_VALUE;
    for (int i = 0; i < batch.jobs.size(); i++) {
      QueuedJob job = batch.jobs.get(i);
      if (job.phase != QueuedJob.Phase.ENDED) {
        first = first == null ? job : first;
        sloNs = Math.min(sloNs, job.spec.sloNs());
      }
    }
    if (first != null && remembering.remembers) {
      int samples = batch.dispatch.samples();
      remembering.take(
          new Happening.Completed(
              batch.lane,
              first.group.set.name(),
              samples,
              completion.serviceNs(),
              hopNs(batch, completion),
              sloNs));
    }
  }

  private static long hopNs(Batch batch, BatchCompleted completion) {
    Long startedAtNs = completion.startedAtNs();
    return startedAtNs == null
        ? 0
        : Math.max(0, startedAtNs - batch.dispatch.decidedAtNs() - completion.switchNs());
  }

  private void endAll(Batch batch, Status status, @Nullable String reason, CoreListener listener) {
    for (int i = 0; i < batch.jobs.size(); i++) {
      QueuedJob job = batch.jobs.get(i);
      if (job.phase != QueuedJob.Phase.ENDED) {
        end(job, batch, status, reason, listener);
      }
    }
  }

  void end(QueuedJob job, Batch by, Status status, @Nullable String reason, CoreListener listener) {
    int attempts = job.attempts;
    Batch runsIn = job.batch;
    if (job.phase == QueuedJob.Phase.WAITING) {
      queue.remove(job, QueuedJob.Phase.ENDED);
      attempts += by.cancelled ? 1 : 0; // it ended before it could be cancelled
    } else if (runsIn != null) {
      attempts++;
    }
    job.phase = QueuedJob.Phase.ENDED;
    job.batch = null;
    listener.ended(
        new JobEnded(
            job.spec.id(), status, reason, by.dispatch.dispatchId(), attempts, state.nowNs()));
    batches.forgetWhereLost(job);
    arrivals.endNode(job.spec, job.workflow, status == Status.DONE, listener);
  }
}
