package dev.sluice.scheduler.translation;

import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.Ticked;
import dev.sluice.scheduling.fact.CoreFact;
import dev.sluice.scheduling.fact.Dispatch;
import dev.sluice.scheduling.fact.DispatchName;
import dev.sluice.scheduling.fact.JobEnd;
import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.simulation.SimulationListener;
import java.util.List;

/**
 * Event records of a simulation, in the form that a live run would have left in its topics. Times
 * count from {@link #TIME_ZERO_EPOCH_MS} in every simulation, so that equal runs leave equal bytes.
 */
public final class SimulatedLog implements SimulationListener {
  /** Time zero of every simulated run. */
  public static final long TIME_ZERO_EPOCH_MS = 1_000_000_000_000L;

  private static final long NS_PER_MS = 1_000_000;

  private final RunStarted started;
  private final boolean emulated;
  private final Reader reader;

  /** Takes each shard's records in the order of its partitions. */
  public interface Reader {
    void onFact(Fact fact, int shard, long appendedAtEpochMs);

    void onDispatch(BatchDispatched dispatch, int shard, long appendedAtEpochMs);

    void onOutcome(Outcome outcome, int shard, long appendedAtEpochMs);
  }

  /**
   * @param started the run's beginning
   * @param emulated whether completions hold the intended duration of their batches
   */
  public SimulatedLog(RunStarted started, boolean emulated, Reader reader) {
    if (started.timeZeroEpochMs() != TIME_ZERO_EPOCH_MS) {
      throw new IllegalArgumentException("a simulation begins at " + TIME_ZERO_EPOCH_MS);
    }
    this.started = started;
    this.emulated = emulated;
    this.reader = reader;
  }

  private static long epochMs(long appendedAtNs) {
    return TIME_ZERO_EPOCH_MS + appendedAtNs / NS_PER_MS;
  }

  @Override
  public void requested(int shard, long appendedAtNs, JobSpec job, long sentAtNs) {
    reader.onFact(
        new JobRequested(
            job.id(),
            job.source(),
            job.index(),
            job.classType(),
            job.workload(),
            job.backend(),
            job.precision(),
            job.samples(),
            job.sloNs(),
            job.intendedAtNs(),
            sentAtNs),
        shard,
        epochMs(appendedAtNs));
  }

  @Override
  public void completed(int shard, long appendedAtNs, CoreFact.BatchCompleted fact, Ran ran) {
    boolean refused = fact.result() == CoreFact.Result.REFUSED;
    reader.onFact(
        new BatchCompleted(
            Translation.toEvent(fact.dispatch()),
            fact.executorId(),
            fact.incarnation(),
            fact.lane(),
            refused ? null : ran.startedAtNs(),
            refused ? null : ran.endedAtNs(),
            fact.serviceNs(),
            0,
            switch (fact.result()) {
              case DONE -> BatchCompleted.Result.DONE;
              case FAILED -> BatchCompleted.Result.FAILED;
              case REFUSED -> BatchCompleted.Result.REFUSED;
            },
            fact.cause(),
            List.of(),
            refused || !emulated ? null : ran.workNs(),
            refused ? null : ran.busyLanes()),
        shard,
        epochMs(appendedAtNs));
  }

  @Override
  public void reported(
      int shard,
      long appendedAtNs,
      CoreFact.ExecutorReported report,
      List<List<DispatchName>> held) {
    reader.onFact(Translation.toEvent(report, held), shard, epochMs(appendedAtNs));
  }

  @Override
  public void appended(int shard, long appendedAtNs, CoreFact fact) {
    reader.onFact(toEvent(fact), shard, epochMs(appendedAtNs));
  }

  private Fact toEvent(CoreFact fact) {
    if (fact instanceof CoreFact.RunStarted) {
      return started;
    }
    if (fact instanceof CoreFact.ArrivalsEnded end) {
      return ArrivalsEnded.punctual(end.source(), end.jobsSent());
    }
    if (fact instanceof CoreFact.PredictionsPublished table) {
      return Translation.toEvent(table);
    }
    if (fact instanceof CoreFact.Ticked) {
      return new Ticked();
    }
    throw new IllegalStateException("a fact that has a method of its own: " + fact);
  }

  @Override
  public void started(int shard, long appendedAtNs, Dispatch dispatch) {
    reader.onDispatch(Translation.toEvent(dispatch), shard, epochMs(appendedAtNs));
  }

  @Override
  public void ended(int shard, long appendedAtNs, JobEnd end) {
    reader.onOutcome(Translation.toEvent(end), shard, epochMs(appendedAtNs));
  }

  @Override
  public void blocked(int shard, long appendedAtNs, long fromNs, long toNs, Cause cause) {
    reader.onOutcome(Translation.toEvent(fromNs, toNs, cause), shard, epochMs(appendedAtNs));
  }
}
