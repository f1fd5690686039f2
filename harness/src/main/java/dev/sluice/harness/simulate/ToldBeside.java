package dev.sluice.harness.simulate;

import dev.sluice.scheduling.fact.CoreFact;
import dev.sluice.scheduling.fact.Dispatch;
import dev.sluice.scheduling.fact.DispatchName;
import dev.sluice.scheduling.fact.JobEnd;
import dev.sluice.scheduling.job.JobSpec;
import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.simulation.SimulationListener;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * Tells a listener in a thread of its own, in the same order, what a simulation tells: rows are
 * made while the simulation goes on. What is told must not change afterwards.
 */
final class ToldBeside implements SimulationListener, AutoCloseable {
  /** Calls that are handed over at once. */
  private static final int CALLS = 4096;

  /** Hand-overs that may wait: the simulation is at most so much ahead. */
  private static final int AHEAD = 8;

  /** How long a hand-over waits before it looks whether the listener has failed. */
  private static final long LOOK_MS = 100;

  private static final List<Call> END = List.of();

  private final BlockingQueue<List<Call>> handedOver = new ArrayBlockingQueue<>(AHEAD);
  private final CompletableFuture<Void> end = new CompletableFuture<>();
  private final Thread thread;
  private List<Call> calls = new ArrayList<>(CALLS);

  /**
   * One call of the listener. Those of each job are records, not lambdas: the quick compiler makes
   * a lambda that holds variables through a call into the virtual machine.
   */
  private interface Call {
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
    thread = new Thread(() -> tellAll(listener), "simulation-rows");
    thread.setDaemon(true);
    thread.start();
  }

  private void tellAll(SimulationListener listener) {
    try {
      for (var some = handedOver.take(); some != END; some = handedOver.take()) {
        for (Call call : some) {
          call.tell(listener);
        }
      }
      end.complete(null);
    } catch (InterruptedException | RuntimeException | Error e) {
      end.completeExceptionally(e);
    }
  }

  private void tell(Call call) {
    calls.add(call);
    if (calls.size() == CALLS) {
      handOver(calls);
      calls = new ArrayList<>(CALLS);
    }
  }

  private void handOver(List<Call> some) {
    try {
      while (!handedOver.offer(some, LOOK_MS, TimeUnit.MILLISECONDS)) {
        if (end.isDone() || !thread.isAlive()) {
          throwFailure();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CancellationException("interrupted");
    }
  }

  /** Waits until the listener was told all, and throws what the listener threw. */
  void await() {
    handOver(calls);
    handOver(END);
    throwFailure();
  }

  private void throwFailure() {
    try {
      while (!end.isDone()) {
        thread.join(LOOK_MS);
        if (!thread.isAlive() && !end.isDone()) { // memory may lack even to say why
          throw new IllegalStateException("the thread that makes rows has died");
        }
      }
      end.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CancellationException("interrupted");
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  /** Ends the thread, wherever it is. */
  @Override
  public void close() {
    thread.interrupt();
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
