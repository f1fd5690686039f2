package dev.sluice.scheduling.state;

import dev.sluice.scheduling.driver.CoreEntity;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The groups that starts on one executor have passed over for want of tokens. The first group that
 * has been passed over for the length of its latency promise holds the executor's one reservation:
 * as many tokens as one of its jobs needs are kept from all other groups.
 */
final class Reservations {
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
