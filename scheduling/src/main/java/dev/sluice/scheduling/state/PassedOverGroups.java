package dev.sluice.scheduling.state;

import dev.sluice.scheduling.driver.CoreEntity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

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

  /**
   * Whether a group is passed over on an executor, and from when on it then holds a reservation.
   * There is one of each group and executor that it ever happened to: it begins and ends with
   * almost every start.
   */
  static final class PassedOver {
    final ExecutorLanes executor;
    final JobGroup group;
    boolean lasts;
    long sinceNs;
    long dueNs;

    /** Index of this record in its executor's list. */
    int place;

    PassedOver(ExecutorLanes executor, JobGroup group) {
      this.executor = executor;
      this.group = group;
    }

    /** Returns whether it holds a reservation before another one that is due as well. */
    boolean isBefore(PassedOver that) {
      if (dueNs != that.dueNs) {
        return dueNs < that.dueNs;
      }
      return sinceNs != that.sinceNs ? sinceNs < that.sinceNs : group.rank < that.group.rank;
    }

    CoreEntity.PassedOver toEntity() {
      JobGroup.Key key = group.key;
      return new CoreEntity.PassedOver(
          executor.report.executorId(),
          key.classType(),
          key.workload(),
          key.backend(),
          key.precision(),
          key.samples(),
          key.lanesNeeded(),
          sinceNs,
          dueNs);
    }
  }

  /**
   * The groups that starts on one executor have passed over for want of tokens. The first group
   * that has been passed over for the length of its latency promise holds the executor's one
   * reservation: as many tokens as one of its jobs needs are kept from all other groups.
   */
  static final class Reservations {
    private final ExecutorLanes executor;

    /**
     * Passed-over groups in no order, since they come and go with almost every start, and the first
     * is rarely asked for.
     */
    private final List<PassedOver> passedOver = new ArrayList<>();

    /**
     * Holder of the reservation. It stays until it goes or usable tokens change, since groups that
     * fall due later come after it.
     */
    private @Nullable PassedOver holder;

    private boolean holderIsStale;
    private long usableTokens;
    private long nextDueNs = Long.MAX_VALUE;

    Reservations(ExecutorLanes executor) {
      this.executor = executor;
    }

    void addTo(List<CoreEntity> entities) {
      passedOver.forEach(passed -> entities.add(passed.toEntity()));
    }

    void add(PassedOver passed) {
      passed.place = passedOver.size();
      passedOver.add(passed);
      nextDueNs = Math.min(nextDueNs, passed.dueNs);
      holderIsStale |= holder != null && passed.isBefore(holder);
    }

    void remove(PassedOver passed) {
      PassedOver last = passedOver.remove(passedOver.size() - 1);
      if (last != passed) {
        last.place = passed.place;
        passedOver.set(passed.place, last);
      }
      holderIsStale |= passed == holder;
    }

    /** Tokens that the group must leave free for the one that holds the reservation. */
    long reservedForOthers(JobGroup group, long nowNs) {
      JobGroup holds = holder(nowNs);
      return holds == null || holds == group ? 0 : holds.tokens;
    }

    /**
     * Returns the group that holds the reservation; a group that lost batches keep out holds none.
     */
    @Nullable JobGroup holder(long nowNs) {
      if (holderIsStale
          || (holder == null && nowNs >= nextDueNs)
          || usableTokens != executor.usableTokens()) {
        findHolder(nowNs);
      }
      return holder == null ? null : holder.group;
    }

    private void findHolder(long nowNs) {
      holder = null;
      holderIsStale = false;
      usableTokens = executor.usableTokens();
      nextDueNs = Long.MAX_VALUE;
      for (int i = 0; i < passedOver.size(); i++) {
        PassedOver passed = passedOver.get(i);
        if (passed.dueNs > nowNs) {
          nextDueNs = Math.min(nextDueNs, passed.dueNs);
        } else if (passed.group.tokens <= usableTokens
            && (holder == null || passed.isBefore(holder))) {
          holder = passed;
        }
      }
    }
  }
}
