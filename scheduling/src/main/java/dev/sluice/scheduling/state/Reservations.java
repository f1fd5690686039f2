package dev.sluice.scheduling.state;

import dev.sluice.scheduling.driver.CoreEntity;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The groups that starts on one executor have passed over: those with a waiting job that the
 * executor could run, but had too few tokens left for. The first group that has been passed over
 * for the length of its latency promise holds the executor's one reservation: as many tokens as one
 * of its jobs needs are kept from all other groups.
 */
final class Reservations {
  private final ExecutorLanes executor;

  /** Passed-over groups in no order, since they come and go with almost every start. */
  private final List<PassedOver> passedOver = new ArrayList<>();

  /** Holder, until it goes or usable tokens change: groups that fall due later come after it. */
  private @Nullable PassedOver holder;

  private boolean holderIsStale;
  private long usableTokens;
  private long nextDueNs = Long.MAX_VALUE;

  /** A passed-over group, which holds a reservation from {@code dueNs} on. */
  static final class PassedOver {
    private final ExecutorLanes executor;
    private final JobGroup group;
    private final long sinceNs;
    private final long dueNs;

    private PassedOver(ExecutorLanes executor, JobGroup group, long sinceNs, long dueNs) {
      this.executor = executor;
      this.group = group;
      this.sinceNs = sinceNs;
      this.dueNs = dueNs;
    }

    /** Returns whether it holds a reservation before another one that is due as well. */
    boolean isBefore(PassedOver that) {
      if (dueNs != that.dueNs) {
        return dueNs < that.dueNs;
      }
      return sinceNs != that.sinceNs ? sinceNs < that.sinceNs : group.rank < that.group.rank;
    }
  }

  Reservations(ExecutorLanes executor) {
    this.executor = executor;
  }

  /** Notes a start on the executor, which passes over the groups that are too large for it. */
  void started(List<JobGroup> waiting, long nowNs) {
    if (executor.budgetTokens == Long.MAX_VALUE) {
      return;
    }
    long freeTokens = executor.freeTokens();
    for (int i = 0; i < waiting.size(); i++) {
      JobGroup group = waiting.get(i);
      if (group.tokens > freeTokens && couldStart(group) && !isPassedOver(group)) {
        long sloNs = group.anyList().at(0).spec.sloNs();
        add(group, nowNs, sloNs > Long.MAX_VALUE - nowNs ? Long.MAX_VALUE : nowNs + sloNs);
      }
    }
  }

  private boolean couldStart(JobGroup group) {
    return executor.joined()
        && group.tokens <= executor.budgetTokens
        && group.set.modelOn(executor) != null;
  }

  private boolean isPassedOver(JobGroup group) {
    for (int i = 0; i < group.passedOver.size(); i++) {
      if (group.passedOver.get(i).executor == executor) {
        return true;
      }
    }
    return false;
  }

  void add(JobGroup group, long sinceNs, long dueNs) {
    PassedOver passed = new PassedOver(executor, group, sinceNs, dueNs);
    passedOver.add(passed);
    group.passedOver.add(passed);
    nextDueNs = Math.min(nextDueNs, dueNs);
    holderIsStale |= holder != null && passed.isBefore(holder);
  }

  /** Notes that a job of the group started or none waits: no executor passes over it. */
  static void end(JobGroup group) {
    for (int i = 0; i < group.passedOver.size(); i++) {
      PassedOver passed = group.passedOver.get(i);
      passed.executor.reservations.remove(passed);
    }
    group.passedOver.clear();
  }

  private void remove(PassedOver passed) {
    passedOver.remove(passed);
    holderIsStale |= passed == holder;
  }

  void executorsChanged() {
    for (PassedOver passed : List.copyOf(passedOver)) {
      if (!couldStart(passed.group)) {
        remove(passed);
        passed.group.passedOver.remove(passed);
      }
    }
  }

  /**
   * Returns the tokens that the group must leave free for the one that holds the reservation; a
   * group that lost batches keep out holds none.
   */
  long reservedForOthers(JobGroup group, long nowNs) {
    if (holderIsStale
        || (holder == null && nowNs >= nextDueNs)
        || usableTokens != executor.usableTokens()) {
      findHolder(nowNs);
    }
    return holder == null || holder.group == group ? 0 : holder.group.tokens;
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

  void addTo(List<CoreEntity> entities) {
    for (PassedOver passed : passedOver) {
      JobGroup.Key key = passed.group.key;
      entities.add(
          new CoreEntity.PassedOver(
              executor.report.executorId(),
              key.classType(),
              key.workload(),
              key.backend(),
              key.precision(),
              key.samples(),
              key.lanesNeeded(),
              passed.sinceNs,
              passed.dueNs));
    }
  }
}
