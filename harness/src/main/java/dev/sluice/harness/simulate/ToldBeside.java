package dev.sluice.harness.simulate;

import dev.sluice.scheduling.fact.CoreFact;
import dev.sluice.scheduling.fact.Dispatch;
import dev.sluice.scheduling.fact.DispatchName;
import dev.sluice.scheduling.fact.JobEnd;
import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.simulation.SimulationListener;
import java.util.ArrayList;
import java.util.List;

/**
 * Tells a listener in a thread of its own, in the same order, what a simulation tells: rows are
 * made while the simulation goes on. What is told must not change afterwards.
 */
final class ToldBeside implements SimulationListener, AutoCloseable {
  /** Calls that are handed over at once. */
  private static final int CALLS = 4096;

  private final HandOver<List<Call>> handOver;
  private List<Call> calls = new ArrayList<>(CALLS);

  /**
   * One call of the listener. Those of each job are records, not lambdas: the quick compiler makes
   * a lambda that holds variables through a call into the virtual machine.
   */
  interface Call {
    void tell(SimulationListener to);
  }

  private record Requested(int shard, long appendedAtNs, JobSpec job, long sentAtNs)
      implements Call {
    @Override
    public void tell(SimulationListener to) {
      to.requested(shard, appendedAtNs, job, sentAtNs);
    }
  }

  private record Completed(int shard, long appendedAtNs, CoreFact.BatchCompleted fact, Ran ran)
      implements Call {
    @Override
    public void tell(SimulationListener to) {
      to.completed(shard, appendedAtNs, fact, ran);
    }
  }

  private record Started(int shard, long appendedAtNs, Dispatch dispatch) implements Call {
    @Override
    public void tell(SimulationListener to) {
      to.started(shard, appendedAtNs, dispatch);
    }
  }

  private record Ended(int shard, long appendedAtNs, JobEnd end) implements Call {
    @Override
    public void tell(SimulationListener to) {
      to.ended(shard, appendedAtNs, end);
    }
  }

  ToldBeside(SimulationListener listener) {
    handOver = new HandOver<>(some -> some.forEach(call -> call.tell(listener)));
  }

  private void tell(Call call) {
    calls.add(call);
    if (calls.size() == CALLS) {
      handOver.give(calls);
      calls = new ArrayList<>(CALLS);
    }
  }

  /** Waits until the listener was told all, and throws what the listener threw. */
  void await() {
    handOver.give(calls);
    handOver.await();
  }

  /** Ends the thread, wherever it is. */
  @Override
  public void close() {
    handOver.close();
  }

  @Override
  public void requested(int shard, long appendedAtNs, JobSpec job, long sentAtNs) {
    tell(new Requested(shard, appendedAtNs, job, sentAtNs));
  }

  @Override
  public void completed(int shard, long appendedAtNs, CoreFact.BatchCompleted fact, Ran ran) {
    tell(new Completed(shard, appendedAtNs, fact, ran));
  }

  @Override
  public void reported(
      int shard,
      long appendedAtNs,
      CoreFact.ExecutorReported report,
      List<List<DispatchName>> held) {
    tell(to -> to.reported(shard, appendedAtNs, report, held));
  }

  @Override
  public void appended(int shard, long appendedAtNs, CoreFact fact) {
    tell(to -> to.appended(shard, appendedAtNs, fact));
  }

  @Override
  public void started(int shard, long appendedAtNs, Dispatch dispatch) {
    tell(new Started(shard, appendedAtNs, dispatch));
  }

  @Override
  public void ended(int shard, long appendedAtNs, JobEnd jobEnd) {
    tell(new Ended(shard, appendedAtNs, jobEnd));
  }

  @Override
  public void blocked(int shard, long appendedAtNs, long fromNs, long toNs, Cause cause) {
    tell(to -> to.blocked(shard, appendedAtNs, fromNs, toNs, cause));
  }
}
