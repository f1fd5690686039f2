package dev.sluice.scheduling.core;

import dev.sluice.scheduling.fact.CoreEntity;
import dev.sluice.scheduling.fact.CoreFact;
import dev.sluice.scheduling.fact.CoreListener;
import dev.sluice.scheduling.fact.CoreSettings;
import dev.sluice.scheduling.fact.Dispatch;
import dev.sluice.scheduling.fact.JobEnd;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A core with a driver that numbers the facts and keeps its state after each. */
public class Shard implements CoreListener {
  public final List<Dispatch> dispatches = new ArrayList<>();
  public final List<JobEnd> ends = new ArrayList<>();
  public final List<Blocked> blocked = new ArrayList<>();
  final List<String> refusals = new ArrayList<>();
  final Map<String, CoreEntity> kept = new LinkedHashMap<>();
  public final SchedulingCore core;
  private long nextFactId;

  /** A span that the core told. */
  public record Blocked(long fromNs, long toNs, Cause cause) {}

  /** Entities of the core after the last fact, read once more after the next. */
  private List<CoreEntity> snapshot = List.of();

  public Shard(CoreSettings settings, SchedulingPolicy policy) {
    core = new SchedulingCore(settings, policy);
  }

  public Shard(SchedulingCore core, Map<String, CoreEntity> kept, long nextFactId) {
    this.core = core;
    this.kept.putAll(kept);
    this.nextFactId = nextFactId;
  }

  /** A shard of a known policy that has learnt of these executors. */
  public static Shard of(
      String policy, CoreSettings settings, CoreFact.ExecutorReported... executors) {
    Shard shard = new Shard(settings, Policies.create(policy, Map.of()));
    for (CoreFact.ExecutorReported executor : executors) {
      shard.at(0, executor);
    }
    return shard;
  }

  /** Takes the jobs in at time zero, before the run starts, so that nothing starts yet. */
  public Shard holding(Facts.Job... jobs) {
    for (Facts.Job job : jobs) {
      at(0, job.arrives());
    }
    return this;
  }

  /** A new process that goes on from what this one kept, in the order given. */
  Shard restored(
      CoreSettings settings, SchedulingPolicy policy, Collection<CoreEntity> inAnyOrder) {
    return new Shard(SchedulingCore.restore(settings, policy, inAnyOrder), kept, nextFactId);
  }

  /** Applies the fact and returns what started. */
  public List<Dispatch> at(long nowNs, CoreFact fact) {
    int before = dispatches.size();
    core.apply(nextFactId++, nowNs, fact, this);
    keep();
    return List.copyOf(dispatches.subList(before, dispatches.size()));
  }

  /** Takes the next snapshot, before which the last one must be what it was. */
  private void keep() {
    for (CoreEntity entity : snapshot) {
      if (!entity.equals(kept.get(entity.key()))) {
        throw new AssertionError(entity + " was in a snapshot " + kept.get(entity.key()));
      }
    }
    kept.clear();
    snapshot = core.entities();
    for (CoreEntity entity : snapshot) {
      if (kept.put(entity.key(), entity) != null) {
        throw new AssertionError(entity.key() + " stands for two entities");
      }
    }
  }

  /** Applies the fact and returns the ids of the jobs of each batch that started. */
  public List<List<String>> jobsStartedAt(long nowNs, CoreFact fact) {
    return at(nowNs, fact).stream().map(Shard::jobIds).toList();
  }

  public static List<String> jobIds(Dispatch dispatch) {
    return dispatch.jobs().stream().map(JobSpec::id).toList();
  }

  @Override
  public void started(Dispatch dispatch) {
    dispatches.add(dispatch);
  }

  @Override
  public void ended(JobEnd end) {
    ends.add(end);
  }

  @Override
  public void blocked(long fromNs, long toNs, Cause cause) {
    blocked.add(new Blocked(fromNs, toNs, cause));
  }

  @Override
  public void refused(CoreFact.PredictionsPublished table, String reason) {
    refusals.add(reason);
  }
}
