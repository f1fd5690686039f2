package dev.sluice.scheduling.state;

import dev.sluice.scheduling.state.Reservations.PassedOver;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Finds the groups that a start passes over: those with a waiting job that the executor could run,
 * but has too few tokens left for. Groups stand in the order of their tokens, as bits of words, so
 * that a start costs next to nothing while nothing that waits is too large.
 */
final class PassedOverGroups {
  private final List<JobGroup> byTokens = new ArrayList<>();
  private long[] waiting = new long[0];

  /** Groups to skip, by executor order: they are passed over already, or never can be. */
  private final List<long[]> skipped = new ArrayList<>();

  /** Takes in a new group, in which nothing waits. */
  void add(JobGroup group, List<ExecutorLanes> executors) {
    byTokens.add(group);
    byTokens.sort(Comparator.comparingLong((JobGroup g) -> g.tokens).thenComparingInt(g -> g.rank));
    executorsChanged(executors);
  }

  /** Reads anew what can run where, and forgets groups where they can no longer start. */
  void executorsChanged(List<ExecutorLanes> executors) {
    int words = (byTokens.size() + Long.SIZE - 1) / Long.SIZE;
    waiting = new long[words];
    skipped.clear();
    for (int i = 0; i < executors.size(); i++) {
      skipped.add(new long[words]);
    }
    for (int place = 0; place < byTokens.size(); place++) {
      JobGroup group = byTokens.get(place);
      group.tokenPlace = place;
      if (group.waiting() > 0) {
        set(waiting, place);
      }
      for (ExecutorLanes executor : executors) {
        boolean couldStart =
            executor.joined()
                && group.tokens <= executor.budgetTokens()
                && group.modelOn(executor) != null;
        PassedOver passed = group.passedOverOn(executor);
        if (!couldStart && passed.lasts) {
          end(passed);
        }
        if (!couldStart || passed.lasts) {
          set(skipped.get(executor.order), place);
        }
      }
    }
  }

  void occupied(JobGroup group) {
    set(waiting, group.tokenPlace);
  }

  void emptied(JobGroup group) {
    clear(waiting, group.tokenPlace);
    jobStarted(group);
  }

  /**
   * Notes that a job of the group started, or that none of its jobs waits: no executor passes over
   * the group.
   */
  void jobStarted(JobGroup group) {
    for (int i = 0; group.passedOverCount > 0; i++) {
      PassedOver passed = group.passedOver[i];
      if (passed != null && passed.lasts) {
        end(passed);
        clear(skipped.get(i), group.tokenPlace);
      }
    }
  }

  /**
   * Notes that a batch started on the executor, which now passes over the waiting groups that are
   * too large for it.
   */
  void started(ExecutorLanes executor, long nowNs) {
    long freeTokens = executor.freeTokens();
    long[] skip = skipped.get(executor.order);
    for (int word = waiting.length - 1; word >= 0; word--) {
      long found = waiting[word] & ~skip[word];
      while (found != 0) {
        int bit = Long.SIZE - 1 - Long.numberOfLeadingZeros(found);
        found &= ~(1L << bit);
        JobGroup group = byTokens.get(word * Long.SIZE + bit);
        if (group.tokens <= freeTokens) {
          return; // so do all smaller ones
        }
        long sloNs = group.anyJob().spec.sloNs();
        long dueNs = sloNs > Long.MAX_VALUE - nowNs ? Long.MAX_VALUE : nowNs + sloNs;
        begin(group.passedOverOn(executor), nowNs, dueNs);
      }
    }
  }

  void restore(ExecutorLanes executor, JobGroup group, long sinceNs, long dueNs) {
    PassedOver passed = group.passedOverOn(executor);
    begin(passed, sinceNs, dueNs);
  }

  private void begin(PassedOver passed, long sinceNs, long dueNs) {
    passed.lasts = true;
    passed.sinceNs = sinceNs;
    passed.dueNs = dueNs;
    passed.group.passedOverCount++;
    set(skipped.get(passed.executor.order), passed.group.tokenPlace);
    passed.executor.reservations.add(passed);
  }

  private void end(PassedOver passed) {
    passed.lasts = false;
    passed.group.passedOverCount--;
    passed.executor.reservations.remove(passed);
  }

  private static void set(long[] words, int place) {
    words[place / Long.SIZE] |= 1L << (place % Long.SIZE);
  }

  private static void clear(long[] words, int place) {
    words[place / Long.SIZE] &= ~(1L << (place % Long.SIZE));
  }
}
