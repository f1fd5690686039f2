package dev.sluice.scheduling.state;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The executors with a lane that takes a batch, as one choice finds them, and the tokens that they
 * have for it. Often there is one, of which the last batch has just ended.
 */
final class OpenExecutors {
  /** Executors, in the first {@link #count} places. */
  private @Nullable ExecutorLanes[] executors = new ExecutorLanes[4];

  /** Free tokens of each that are reserved for no group. */
  private long[] unreserved = new long[4];

  private int count;

  /** Number of searches; values that a set remembers of an earlier search are stale. */
  private long finds;

  private boolean anyReserves;
  private long freeTokensMax;

  void find(ExecutorLanes[] all, long nowNs) {
    count = 0;
    finds++;
    anyReserves = false;
    freeTokensMax = Long.MIN_VALUE;
    for (ExecutorLanes executor : all) {
      if (executor.takesBatch()) {
        add(executor, nowNs);
      }
    }
  }

  private void add(ExecutorLanes executor, long nowNs) {
    if (count == executors.length) {
      executors = Arrays.copyOf(executors, 2 * count);
      unreserved = Arrays.copyOf(unreserved, 2 * count);
    }
    executors[count] = executor;
    unreserved[count] = executor.unreservedTokens(nowNs);
    anyReserves |= unreserved[count] < executor.freeTokens();
    freeTokensMax = Math.max(freeTokensMax, executor.freeTokens());
    count++;
  }

  /** Returns the most tokens that are free on one of them, be they reserved or not. */
  long freeTokensMax() {
    return freeTokensMax;
  }

  /**
   * Returns the most tokens for jobs of the set that hold no reservation; {@link Long#MIN_VALUE}:
   * none of the executors can run it.
   */
  long tokensFor(JobSet set) {
    if (set.openFinds != finds) {
      set.openFinds = finds;
      set.openTokens = findTokensFor(set);
    }
    return set.openTokens;
  }

  private long findTokensFor(JobSet set) {
    long most = Long.MIN_VALUE;
    for (int i = 0; i < count; i++) {
      if (unreserved[i] > most
          && set.modelOn(executor(i)) != null
          && executor(i).takes(set.lanesNeeded())) {
        most = unreserved[i];
      }
    }
    return most;
  }

  /** Returns whether a job of the set's group that holds a reservation can start on it. */
  boolean reserveEnoughFor(JobSet set, long nowNs) {
    for (int i = 0; anyReserves && i < count; i++) {
      ExecutorLanes executor = executor(i);
      if (executor.reservesEnoughFor(set, nowNs)
          && set.modelOn(executor) != null
          && executor.takes(set.lanesNeeded())) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns whether a job of the group, which holds a reservation or not, can start on one of them.
   */
  boolean haveRoomFor(JobGroup group, long nowNs) {
    for (int i = 0; i < count; i++) {
      ExecutorLanes executor = executor(i);
      if (group.tokensNeeded <= executor.freeTokens(group, nowNs)
          && group.modelOn(executor) != null
          && executor.takes(group.lanesNeeded())) {
        return true;
      }
    }
    return false;
  }

  @SuppressWarnings("NullAway") // one stands at each place below count
  private ExecutorLanes executor(int place) {
    return executors[place];
  }
}
