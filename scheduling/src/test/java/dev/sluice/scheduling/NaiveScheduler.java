package dev.sluice.scheduling;

import static java.util.Comparator.comparing;
import static java.util.Comparator.comparingDouble;
import static java.util.Comparator.comparingInt;
import static java.util.Comparator.comparingLong;

import dev.sluice.scheduling.CoreFact.BatchCompleted;
import dev.sluice.scheduling.CoreFact.Capability;
import dev.sluice.scheduling.CoreFact.ExecutorReported;
import dev.sluice.scheduling.CoreFact.JobArrived;
import dev.sluice.scheduling.CoreFact.WarmUp;
import dev.sluice.scheduling.CoreSettings.Admission;
import dev.sluice.scheduling.CoreSettings.JobClass;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * The rules of scheduling, applied by scanning plain lists: what the core must be equal to. A
 * random choice is not made but followed, and judged.
 */
final class NaiveScheduler {
  /** A batch that starts: lane and jobs, the chosen one first. */
  record Start(String executorId, int lane, List<String> jobIds) {}

  /** The end of a job without its times. */
  record End(String jobId, JobEnd.Status status, String reason) {}

  private record Waiting(JobSpec spec, long entry, long appendedNs) {}

  private record Held(Start start, List<Waiting> jobs, long tokens, int samples) {}

  private record ModelKey(String deviceKind, String workload, String backend, String precision) {}

  private static final class Mean {
    int count;
    double ns;
  }

  private static final Comparator<Waiting> BY_ID =
      comparingInt((Waiting w) -> w.spec.source()).thenComparingLong(w -> w.spec.index());
  private static final Comparator<Waiting> BY_DEADLINE =
      comparingLong((Waiting w) -> w.spec.deadlineNs())
          .thenComparingLong(w -> w.spec.intendedAtNs())
          .thenComparing(BY_ID);
  private static final Comparator<Waiting> BY_ARRIVAL =
      comparingLong((Waiting w) -> w.spec.intendedAtNs())
          .thenComparingLong(w -> w.spec.deadlineNs())
          .thenComparing(BY_ID);
  private static final Comparator<Waiting> BY_ENTRY = comparingLong(Waiting::entry);

  private final CoreSettings settings;
  private final String policy;
  private final List<Waiting> waiting = new ArrayList<>();
  private final List<ExecutorReported> executors = new ArrayList<>();
  private final Map<DispatchName, Held> running = new HashMap<>();
  private final Map<ModelKey, TreeMap<Integer, Mean>> means = new HashMap<>();
  private final Map<Integer, Long> highest = new HashMap<>();
  private final Set<Integer> sourcesEnded = new HashSet<>();
  private int sources;
  private long entries;
  private long nowNs;
  private final List<End> ends = new ArrayList<>();

  NaiveScheduler(CoreSettings settings, String policy) {
    this.settings = settings;
    this.policy = policy;
  }

  /**
   * Applies the fact.
   *
   * @param toFollow what the core started, whose names are taken over
   */
  List<Start> apply(long atNs, CoreFact fact, List<Dispatch> toFollow) {
    ends.clear();
    if (sources > 0 || fact instanceof CoreFact.RunStarted) {
      nowNs = Math.max(nowNs, atNs);
    }
    take(fact);
    if (sources == 0) {
      return List.of();
    }
    waiting.stream().sorted(BY_ENTRY).forEach(this::dropIfItMust);
    List<Start> starts = new ArrayList<>();
    while (true) {
      Dispatch followed = starts.size() < toFollow.size() ? toFollow.get(starts.size()) : null;
      Held chosen = choose(followed);
      if (chosen == null) {
        return starts;
      }
      starts.add(chosen.start);
      if (chosen.jobs.isEmpty()) {
        return starts;
      }
      waiting.removeAll(chosen.jobs);
      running.put(followed == null ? new DispatchName(-1, starts.size()) : followed.name(), chosen);
    }
  }

  List<End> ends() {
    return List.copyOf(ends);
  }

  /** Whether it would start or drop something if nothing but time passed. */
  boolean hasSomethingToDoAt(long atNs) {
    long before = nowNs;
    nowNs = atNs;
    boolean drops = waiting.stream().anyMatch(w -> dropReason(w) != null);
    boolean starts =
        policy.equals("random") ? waiting.stream().anyMatch(this::startable) : choose(null) != null;
    nowNs = before;
    return sources > 0 && (drops || starts);
  }

  private void take(CoreFact fact) {
    if (fact instanceof JobArrived arrival) {
      JobSpec spec = arrival.job();
      if (spec.index() > highest.getOrDefault(spec.source(), -1L)) {
        highest.put(spec.source(), spec.index());
        waiting.add(new Waiting(spec, entries++, nowNs));
      }
    } else if (fact instanceof BatchCompleted completion) {
      Held held = running.remove(completion.dispatch());
      if (held != null) {
        complete(held, completion);
      }
    } else if (fact instanceof ExecutorReported report) {
      report(report);
    } else if (fact instanceof CoreFact.RunStarted start && sources == 0) {
      sources = start.sources();
    } else if (fact instanceof CoreFact.ArrivalsEnded end) {
      sourcesEnded.add(end.source());
    }
  }

  private void complete(Held held, BatchCompleted completion) {
    switch (completion.result()) {
      case DONE -> {
        JobSpec spec = held.jobs.get(0).spec;
        Mean mean =
            means
                .computeIfAbsent(key(executor(held.start.executorId), spec), k -> new TreeMap<>())
                .computeIfAbsent(held.samples, k -> new Mean());
        mean.count++;
        mean.ns += (completion.serviceNs() - mean.ns) / mean.count;
        held.jobs.forEach(w -> ends.add(new End(w.spec.id(), JobEnd.Status.DONE, "")));
      }
      case FAILED ->
          held.jobs.forEach(
              w -> ends.add(new End(w.spec.id(), JobEnd.Status.FAILED, completion.cause())));
      case REFUSED -> waiting.addAll(held.jobs);
    }
  }

  private void report(ExecutorReported report) {
    for (int i = 0; i < executors.size(); i++) {
      ExecutorReported known = executors.get(i);
      if (known.executorId().equals(report.executorId())) {
        boolean stale = known.leaving() && known.incarnation() == report.incarnation();
        if (report.incarnation() >= known.incarnation() && !stale) {
          executors.set(i, report);
        }
        return;
      }
    }
    if (!report.leaving()) {
      executors.add(report);
    }
  }

  private void dropIfItMust(Waiting w) {
    String reason = dropReason(w);
    if (reason != null) {
      waiting.remove(w);
      ends.add(new End(w.spec.id(), JobEnd.Status.DROPPED, reason));
    }
  }

  private String dropReason(Waiting w) {
    if (sourcesEnded.size() >= sources) {
      return "run_ended";
    }
    if (joined().findAny().isPresent() && joined().allMatch(e -> tokens(w.spec) > e.tokens())) {
      return "over_budget";
    }
    if (settings.admission() == Admission.EXPIRED && nowNs > w.spec.deadlineNs()) {
      return "expired";
    }
    if (settings.admission() == Admission.HOPELESS) {
      long fastestNs =
          joined()
              .filter(e -> canRun(e, w.spec))
              .mapToLong(e -> predictedNs(e, w.spec, w.spec.samples()))
              .min()
              .orElse(0);
      return nowNs + fastestNs > w.spec.deadlineNs() ? "hopeless" : null;
    }
    return null;
  }

  private Held choose(Dispatch followed) {
    if (policy.equals("random")) {
      if (followed == null) {
        return waiting.stream().anyMatch(this::startable)
            ? new Held(new Start("nothing was drawn", 0, List.of()), List.of(), 0, 0)
            : null;
      }
      String id = followed.jobs().get(0).id();
      Waiting drawn =
          waiting.stream().filter(w -> w.spec.id().equals(id)).findFirst().orElseThrow();
      return startable(drawn) ? fill(drawn, BY_ENTRY) : null;
    }
    if (policy.equals("fifo")) {
      Waiting oldest = waiting.stream().min(BY_ARRIVAL).orElse(null);
      return oldest != null && startable(oldest) ? fill(oldest, BY_ENTRY) : null;
    }
    Comparator<Waiting> order =
        switch (policy) {
          case "priority_slo" ->
              comparing((Waiting w) -> jobClass(w.spec).priority()).thenComparing(BY_DEADLINE);
          case "batch_aware" -> highest(this::batchAwareScore);
          case "dynamic" -> highest(w -> dynamicScore(w, laneFor(w).executor));
          default -> throw new AssertionError(policy);
        };
    Waiting best = waiting.stream().filter(this::startable).min(order).orElse(null);
    if (best == null) {
      return null;
    }
    ExecutorReported executor = laneFor(best).executor;
    return fill(best, policy.equals("dynamic") ? highest(w -> dynamicScore(w, executor)) : order);
  }

  private static Comparator<Waiting> highest(ToDoubleFunction<Waiting> score) {
    return comparingDouble(score).reversed().thenComparing(BY_DEADLINE);
  }

  private double batchAwareScore(Waiting w) {
    return 0.4 * others(w, o -> o.workload())
        + 0.3 * others(w, o -> o.backend())
        + 0.2 * others(w, o -> o.precision())
        + 0.1 * others(w, o -> o.classType())
        + (jobClass(w.spec).interactive() ? 1.0 : 0.5);
  }

  private long others(Waiting w, Function<JobSpec, String> attribute) {
    return waiting.stream()
        .filter(o -> o != w && attribute.apply(o.spec).equals(attribute.apply(w.spec)))
        .count();
  }

  private double dynamicScore(Waiting w, ExecutorReported executor) {
    double msLeft = (w.spec.deadlineNs() - nowNs) / 1e6;
    double urgency = msLeft < 0 ? 10 : 1 / (msLeft + 1);
    double others = waiting.stream().filter(o -> o != w && compatible(o.spec, w.spec)).count();
    double seconds = predictedNs(executor, w.spec, w.spec.samples()) / 1e9;
    return (jobClass(w.spec).interactive() ? 10.0 : 0.0)
        + urgency
        + 5 * Math.min(others / 5, 1)
        + 2 / Math.max(seconds, 0.001)
        - 0.1 * tokens(w.spec) / 1000;
  }

  private Held fill(Waiting first, Comparator<Waiting> order) {
    LaneOf lane = laneFor(first);
    List<Waiting> batch = new ArrayList<>(List.of(first));
    int samples = first.spec.samples();
    if (shares(first.spec)) {
      for (Waiting w : waiting.stream().sorted(order).toList()) {
        int with = samples + w.spec.samples();
        if (w != first
            && shares(w.spec)
            && compatible(w.spec, first.spec)
            && with <= settings.microbatch().maxBatch()
            && tokens(w.spec, with) <= freeTokens(lane.executor)) {
          batch.add(w);
          samples = with;
        }
      }
    }
    return new Held(
        new Start(
            lane.executor.executorId(), lane.index, batch.stream().map(w -> w.spec.id()).toList()),
        batch,
        tokens(first.spec, samples),
        samples);
  }

  private record LaneOf(ExecutorReported executor, int index) {}

  private boolean startable(Waiting w) {
    return ripe(w) && laneFor(w) != null;
  }

  private boolean ripe(Waiting w) {
    if (!shares(w.spec)) {
      return true;
    }
    List<Waiting> set =
        waiting.stream().filter(o -> shares(o.spec) && compatible(o.spec, w.spec)).toList();
    return set.stream().mapToInt(o -> o.spec.samples()).sum() >= settings.microbatch().maxBatch()
        || set.stream().anyMatch(o -> nowNs - o.appendedNs >= settings.microbatch().windowNs());
  }

  private LaneOf laneFor(Waiting w) {
    for (ExecutorReported executor : executors) {
      if (!executor.leaving()
          && canRun(executor, w.spec)
          && tokens(w.spec) <= freeTokens(executor)) {
        for (int lane = 0; lane < executor.lanes(); lane++) {
          int index = lane;
          if (heldOn(executor).noneMatch(h -> h.start.lane == index)) {
            return new LaneOf(executor, lane);
          }
        }
      }
    }
    return null;
  }

  private Stream<ExecutorReported> joined() {
    return executors.stream().filter(e -> !e.leaving());
  }

  private Stream<Held> heldOn(ExecutorReported executor) {
    return running.values().stream().filter(h -> h.start.executorId.equals(executor.executorId()));
  }

  private long freeTokens(ExecutorReported executor) {
    return executor.tokens() - heldOn(executor).mapToLong(Held::tokens).sum();
  }

  private ExecutorReported executor(String id) {
    return executors.stream().filter(e -> e.executorId().equals(id)).findFirst().orElseThrow();
  }

  private static boolean canRun(ExecutorReported executor, JobSpec job) {
    return executor.capabilities().stream().anyMatch(c -> isFor(c, job));
  }

  private static boolean isFor(Capability c, JobSpec job) {
    return c.workload().equals(job.workload())
        && c.backend().equals(job.backend())
        && c.precision().equals(job.precision());
  }

  private long predictedNs(ExecutorReported on, JobSpec job, int samples) {
    TreeMap<Integer, Double> nsBySamples = new TreeMap<>();
    long flops = -1;
    for (ExecutorReported executor : executors) {
      for (Capability c : executor.capabilities()) {
        if (executor.deviceKind().equals(on.deviceKind()) && isFor(c, job)) {
          flops = flops < 0 ? c.flopsPerSample() : flops;
          for (WarmUp warmUp : c.warmUps()) {
            nsBySamples.putIfAbsent(warmUp.samples(), (double) warmUp.serviceNs());
          }
        }
      }
    }
    means
        .getOrDefault(key(on, job), new TreeMap<>())
        .forEach((s, mean) -> nsBySamples.put(s, mean.ns));
    long fromFlops = flops;
    return nsBySamples.keySet().stream()
        .min(comparingInt((Integer s) -> Math.abs(s - samples)).thenComparing(s -> s))
        .map(s -> Math.max(1, Math.round(scaled(nsBySamples.get(s), s, samples))))
        .orElseGet(() -> Math.max(1, Math.round((double) fromFlops * samples / 1e11 * 1e9)));
  }

  private static double scaled(double ns, int samples, int toSamples) {
    return samples == toSamples ? ns : ns * toSamples / samples;
  }

  private static ModelKey key(ExecutorReported on, JobSpec job) {
    return new ModelKey(on.deviceKind(), job.workload(), job.backend(), job.precision());
  }

  private boolean shares(JobSpec job) {
    return settings.microbatch().enabled()
        && jobClass(job).microbatch()
        && job.samples() <= settings.microbatch().maxBatch();
  }

  private static boolean compatible(JobSpec a, JobSpec b) {
    return a.classType().equals(b.classType())
        && a.workload().equals(b.workload())
        && a.backend().equals(b.backend())
        && a.precision().equals(b.precision());
  }

  private JobClass jobClass(JobSpec job) {
    return settings.classes().stream()
        .filter(c -> c.name().equals(job.classType()))
        .findFirst()
        .orElseThrow();
  }

  private long tokens(JobSpec job) {
    return tokens(job, job.samples());
  }

  private long tokens(JobSpec job, int samples) {
    int full = settings.workloadTokens().get(job.workload()) + 4 * samples;
    return job.precision().equals("fp32") ? full : (long) Math.ceil(full * 7 / 10.0);
  }
}
