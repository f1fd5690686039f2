package dev.sluice.scheduling.core;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.scheduling.driver.CoreEntity;
import dev.sluice.scheduling.driver.CoreListener;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A core with a driver that numbers the facts and keeps its state after each. */
public class Shard implements CoreListener {
  public final List<BatchDispatched> dispatches = new ArrayList<>();
  public final List<JobEnded> ends = new ArrayList<>();
  public final List<Blocked> blocked = new ArrayList<>();
  final List<String> refusals = new ArrayList<>();
  final Map<String, CoreEntity> kept = new LinkedHashMap<>();
  public final SchedulingCore core;
  private long nextFactId;

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
  public static Shard of(String policy, CoreSettings settings, ExecutorReported... executors) {
    Shard shard = new Shard(settings, Policies.create(policy, Map.of()));
    for (ExecutorReported executor : executors) {
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
  public List<BatchDispatched> at(long nowNs, Fact fact) {
    return at(nowNs, Step.of(fact));
  }

  /** Applies what comes at one moment and returns what started. */
  public List<BatchDispatched> at(long nowNs, Step step) {
    int before = dispatches.size();
    if (step.facts().size() == 1 && step.jobs().isEmpty()) {
      core.apply(nextFactId++, nowNs, step.facts().get(0), this);
    } else {
      core.advance(nowNs, step.facts().stream().anyMatch(RunStarted.class::isInstance));
      step.facts().forEach(fact -> core.take(fact, this));
      step.jobs().forEach(job -> core.arrivals.take(job, this));
      core.decide(nextFactId++, this);
    }
    keep();
    return List.copyOf(dispatches.subList(before, dispatches.size()));
  }

  /** Takes the next snapshot, before which the last one must be what it was. */
  private void keep() {
    for (CoreEntity entity : snapshot) {
      if (!entity.equals(kept.get(key(entity)))) {
        throw new AssertionError(entity + " was in a snapshot " + kept.get(key(entity)));
      }
    }
    kept.clear();
    snapshot = core.entities();
    for (CoreEntity entity : snapshot) {
      if (kept.put(key(entity), entity) != null) {
        throw new AssertionError(key(entity) + " stands for two entities");
      }
    }
  }

  /** What names an entity among all of a snapshot. */
  private static String key(CoreEntity entity) {
    if (entity instanceof CoreEntity.WaitingJob e) {
      return path("job", e.spec().id());
    } else if (entity instanceof CoreEntity.Workflow e) {
      return path("workflow", e.request().generator(), e.request().index());
    } else if (entity instanceof CoreEntity.RunningBatch e) {
      return path("batch", e.dispatch().dispatchId());
    } else if (entity instanceof CoreEntity.LostBatch e) {
      return path("lost", e.dispatch().dispatchId());
    } else if (entity instanceof CoreEntity.Executor e) {
      return path("executor", e.report().executorId());
    } else if (entity instanceof CoreEntity.Lane e) {
      return path("lane", e.executorId(), e.index());
    } else if (entity instanceof CoreEntity.PassedOver e) {
      String model = path(e.workload(), e.backend(), e.precision());
      return path("passed", e.executorId(), e.classType(), model, e.samples(), e.lanesNeeded());
    } else if (entity instanceof CoreEntity.ArrivalCounts e) {
      return path("rate", e.set());
    } else if (entity instanceof CoreEntity.RunningMean e) {
      String model = path(e.workload(), e.backend(), e.precision());
      return path("mean", e.deviceKind(), model, e.samples());
    } else if (entity instanceof CoreEntity.Published e) {
      return path("table", e.table().deviceKind());
    } else if (entity instanceof CoreEntity.DeviceCorrection e) {
      return path("device", e.deviceKind());
    } else if (entity instanceof CoreEntity.WorkloadCorrection e) {
      return path("workload", e.deviceKind(), e.workload(), e.backend());
    } else if (entity instanceof CoreEntity.SamplesCorrection e) {
      String model = path(e.workload(), e.backend(), e.precision());
      return path("samples", e.deviceKind(), model, e.samples());
    } else if (entity instanceof CoreEntity.Observed e) {
      return path("seen", e.deviceKind(), e.workload(), e.backend(), e.slot());
    }
    return entity instanceof CoreEntity.Remembered ? "memory" : "progress";
  }

  private static String path(Object... parts) {
    return Stream.of(parts).map(String::valueOf).collect(Collectors.joining("/"));
  }

  /** Applies the fact and returns the ids of the jobs of each batch that started. */
  public List<List<String>> jobsStartedAt(long nowNs, Fact fact) {
    return jobsStartedAt(nowNs, Step.of(fact));
  }

  public List<List<String>> jobsStartedAt(long nowNs, Step step) {
    return at(nowNs, step).stream().map(Shard::jobIds).toList();
  }

  public static List<String> jobIds(BatchDispatched dispatch) {
    return dispatch.jobs().stream().map(DispatchedJob::jobId).toList();
  }

  @Override
  public void started(BatchDispatched dispatch) {
    dispatches.add(dispatch);
  }

  @Override
  public void ended(JobEnded end) {
    ends.add(end);
  }

  @Override
  public void blocked(Blocked span) {
    blocked.add(span);
  }

  @Override
  public void refused(PredictionsPublished table, String reason) {
    refusals.add(reason);
  }
}
