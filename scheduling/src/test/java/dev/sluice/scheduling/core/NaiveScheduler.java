package dev.sluice.scheduling.core;

import static java.util.Comparator.comparing;
import static java.util.Comparator.comparingDouble;
import static java.util.Comparator.comparingInt;
import static java.util.Comparator.comparingLong;
import static java.util.stream.Collectors.toSet;

import dev.sluice.scheduling.fact.CoreFact;
import dev.sluice.scheduling.fact.CoreFact.BatchCompleted;
import dev.sluice.scheduling.fact.CoreFact.Capability;
import dev.sluice.scheduling.fact.CoreFact.ExecutorReported;
import dev.sluice.scheduling.fact.CoreFact.JobArrived;
import dev.sluice.scheduling.fact.CoreFact.WarmUp;
import dev.sluice.scheduling.fact.CoreSettings;
import dev.sluice.scheduling.fact.CoreSettings.Admission;
import dev.sluice.scheduling.fact.Dispatch;
import dev.sluice.scheduling.fact.DispatchName;
import dev.sluice.scheduling.fact.JobEnd;
import dev.sluice.scheduling.fact.Prediction;
import dev.sluice.scheduling.job.JobClass;
import dev.sluice.scheduling.job.JobSpec;
import dev.sluice.scheduling.policy.Choice.Cause;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The rules of scheduling, applied by scanning plain lists: what the core must be equal to. A
 * random choice is not made but followed, and judged.
 */
final class NaiveScheduler {
  /**
   * A batch that starts: first lane, how many from there, jobs, the chosen one first, and what was
   * known in advance.
   */
  record Start(String executorId, int lane, int lanes, List<String> jobIds, Predicted predicted) {
    boolean holds(int index) {
      return index >= lane && index < lane + lanes;
    }
  }

  /**
   * What was known of a batch in advance.
   *
   * @param boundsNs that of the settings' quantile, p95 and p99; each empty if it is not known
   */
  record Predicted(long meanNs, int busyLanes, List<OptionalLong> boundsNs) {
    static Predicted of(Prediction p) {
      return new Predicted(
          p.meanNs(),
          p.busyLanes(),
          Stream.of(p.quantileNs(), p.p95Ns(), p.p99Ns())
              .map(ns -> ns == null ? OptionalLong.empty() : OptionalLong.of(ns))
              .toList());
    }
  }

  /** The end of a job without its times. */
  record End(String jobId, JobEnd.Status status, String reason, int attempt) {}

  private static final class Waiting {
    final JobSpec spec;
    final long entry;
    final long appendedNs;
    int attempts;
    boolean runs;
    boolean ended;

    Waiting(JobSpec spec, long entry, long appendedNs) {
      this.spec = spec;
      this.entry = entry;
      this.appendedNs = appendedNs;
    }

    JobSpec spec() {
      return spec;
    }

    long entry() {
      return entry;
    }
  }

  /** A batch that was not answered yet. */
  private static final class Held {
    final DispatchName name;
    final Start start;
    final List<Waiting> jobs;
    final long tokens;
    final int samples;
    final Predicted predicted;

    /** Whether what predicted it learns from its error. */
    final boolean judged;

    boolean onLane = true;
    boolean lost;
    long firstNs = -1;
    long firstLeaseNs;

    Held(
        DispatchName name,
        Start start,
        List<Waiting> jobs,
        long tokens,
        int samples,
        boolean judged) {
      this.name = name;
      this.start = start;
      this.jobs = jobs;
      this.tokens = tokens;
      this.samples = samples;
      this.predicted = start.predicted;
      this.judged = judged;
    }
  }

  private static final class Executor {
    ExecutorReported report;
    long reportedLeaseNs;
    boolean lost;
    final Set<Integer> refusing = new HashSet<>();
    final Map<Integer, Long> freedNs = new HashMap<>();
    final Map<Integer, String> resident = new HashMap<>();
    final List<PassedOver> passedOver = new ArrayList<>();

    Executor(ExecutorReported report) {
      this.report = report;
    }

    boolean joined() {
      return !report.leaving();
    }
  }

  private record PassedOver(List<Object> group, long tokens, long sinceNs, long dueNs) {}

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
  private static final Comparator<Waiting> BY_PATH =
      comparingLong((Waiting w) -> w.spec.intendedAtNs() - w.spec.pathNs()).thenComparing(BY_ENTRY);

  private final CoreSettings settings;
  private final String policy;
  private final List<Waiting> waiting = new ArrayList<>();
  private final List<Executor> executors = new ArrayList<>();

  /** In the order of their starts, as lanes run them. */
  private final List<Held> unanswered = new ArrayList<>();

  private final Map<ModelKey, TreeMap<Integer, Mean>> means = new HashMap<>();
  private final NaivePredictions predictions;
  private final Map<Integer, Long> highest = new HashMap<>();
  private final Set<Integer> sourcesEnded = new HashSet<>();
  private int sources;
  private long entries;
  private long arrivalsEndAtNsMax;
  private long nowNs;
  private long leaseNs;
  private long blockedSinceNs;
  private Cause blockedCause;
  private final List<End> ends = new ArrayList<>();
  private final List<Shard.Blocked> blocked = new ArrayList<>();

  NaiveScheduler(CoreSettings settings, String policy) {
    this.settings = settings;
    this.policy = policy;
    this.predictions = new NaivePredictions(settings.predictor());
  }

  /**
   * Applies the fact.
   *
   * @param toFollow what the core started, whose names are taken over
   */
  List<Start> apply(long atNs, CoreFact fact, List<Dispatch> toFollow) {
    ends.clear();
    if (sources > 0) {
      leaseNs += Math.min(Math.max(0, atNs - nowNs), settings.leases().heartbeatNs());
    }
    if (sources > 0 || fact instanceof CoreFact.RunStarted) {
      nowNs = Math.max(nowNs, atNs);
    }
    take(fact);
    findFirsts();
    if (sources == 0) {
      return List.of();
    }
    loseWhatIsDue();
    waiting.stream().sorted(BY_ENTRY).toList().forEach(this::dropIfItMust);
    List<Start> starts = new ArrayList<>();
    while (true) {
      Dispatch followed = starts.size() < toFollow.size() ? toFollow.get(starts.size()) : null;
      Held chosen = choose(followed);
      if (chosen == null) {
        noteBlocked();
        return starts;
      }
      starts.add(chosen.start);
      if (chosen.jobs.isEmpty()) {
        return starts;
      }
      start(chosen);
    }
  }

  private void start(Held chosen) {
    for (Waiting job : chosen.jobs) {
      leave(job);
      executors.forEach(e -> e.passedOver.removeIf(p -> p.group.equals(group(job.spec))));
      job.runs = true;
    }
    unanswered.add(chosen);
    for (int i = 0; i < chosen.start.lanes; i++) {
      executor(chosen.start.executorId)
          .resident
          .put(chosen.start.lane + i, chosen.jobs.get(0).spec.workload());
    }
    findFirsts();
    Executor executor = executor(chosen.start.executorId);
    if (!policy.equals("fifo") && !policy.equals("critical_path")) {
      for (Waiting w : waiting) {
        if (tokens(w.spec) > rawFreeTokens(executor)
            && couldHold(executor, w.spec)
            && executor.passedOver.stream().noneMatch(p -> p.group.equals(group(w.spec)))) {
          executor.passedOver.add(
              new PassedOver(group(w.spec), tokens(w.spec), nowNs, nowNs + w.spec.sloNs()));
        }
      }
    }
  }

  private boolean couldHold(Executor executor, JobSpec job) {
    return executor.joined() && canRun(executor, job) && tokens(job) <= executor.report.tokens();
  }

  private static List<Object> group(JobSpec job) {
    return List.of(
        job.classType(),
        job.workload(),
        job.backend(),
        job.precision(),
        job.samples(),
        job.lanesNeeded());
  }

  /** It waits no more; a group in which none does is passed over nowhere. */
  private void leave(Waiting job) {
    waiting.remove(job);
    if (waiting.stream().noneMatch(w -> group(w.spec).equals(group(job.spec)))) {
      executors.forEach(e -> e.passedOver.removeIf(p -> p.group.equals(group(job.spec))));
    }
  }

  List<End> ends() {
    return List.copyOf(ends);
  }

  List<Shard.Blocked> blocked() {
    return blocked;
  }

  /** Whether it would start, drop or lose something if nothing but time passed. */
  boolean hasSomethingToDoAt(long atNs) {
    long before = nowNs;
    long leaseBefore = leaseNs;
    leaseNs += Math.min(Math.max(0, atNs - nowNs), settings.leases().heartbeatNs());
    nowNs = atNs;
    boolean loses =
        executors.stream().anyMatch(e -> expired(e) && heldOn(e).anyMatch(h -> !h.lost));
    boolean hangs = unanswered.stream().anyMatch(this::overdue);
    boolean drops = waiting.stream().anyMatch(w -> dropReason(w) != null);
    boolean starts =
        policy.equals("random") ? waiting.stream().anyMatch(this::startable) : choose(null) != null;
    nowNs = before;
    leaseNs = leaseBefore;
    return sources > 0 && (loses || hangs || drops || starts);
  }

  private void take(CoreFact fact) {
    if (fact instanceof JobArrived arrival) {
      JobSpec spec = arrival.job();
      if (spec.index() > highest.getOrDefault(spec.source(), -1L)) {
        highest.put(spec.source(), spec.index());
        Waiting job = new Waiting(spec, entries++, nowNs);
        if (!runEnded() && sources > 0 && overBudget(spec) && !settings.cpuFallback()) {
          end(job, JobEnd.Status.DROPPED, "over_budget");
        } else if (!runEnded() && waiting.size() >= settings.bounds().maxWaiting()) {
          end(job, JobEnd.Status.DROPPED, "queue_full");
        } else {
          waiting.add(job);
        }
      }
    } else if (fact instanceof BatchCompleted completion) {
      complete(completion);
    } else if (fact instanceof ExecutorReported report) {
      report(report);
    } else if (fact instanceof CoreFact.PredictionsPublished table) {
      predictions.publish(table, executors.stream().map(e -> e.report).toList());
    } else if (fact instanceof CoreFact.RunStarted start && sources == 0) {
      sources = start.sources();
      arrivalsEndAtNsMax = start.arrivalsEndAtNsMax();
    } else if (fact instanceof CoreFact.ArrivalsEnded end) {
      sourcesEnded.add(end.source());
    } else if (fact instanceof CoreFact.Together together) {
      together.facts().forEach(this::take);
    }
  }

  private boolean runEnded() {
    boolean overdue =
        arrivalsEndAtNsMax < Long.MAX_VALUE && nowNs - arrivalsEndAtNsMax > 10_000_000_000L;
    return sources > 0 && (sourcesEnded.size() >= sources || overdue);
  }

  private void complete(BatchCompleted completion) {
    Held held =
        unanswered.stream()
            .filter(h -> h.name.equals(completion.dispatch()))
            .findFirst()
            .orElse(null);
    boolean refused = completion.result() == CoreFact.Result.REFUSED;
    if (held != null) {
      if (held.onLane) {
        for (int lane = held.start.lane; lane < held.start.lane + held.start.lanes; lane++) {
          if (heldOn(executor(held.start.executorId), lane).get(0) == held) {
            executor(held.start.executorId).freedNs.put(lane, nowNs);
          }
        }
      }
      unanswered.remove(held);
      List<Waiting> left = held.jobs.stream().filter(w -> !w.ended).toList();
      switch (completion.result()) {
        case DONE -> {
          if (!held.lost && !left.isEmpty()) {
            learn(held, completion.serviceNs());
          }
          left.forEach(w -> end(w, JobEnd.Status.DONE, ""));
        }
        case FAILED -> {
          if (!held.lost) {
            left.forEach(w -> end(w, JobEnd.Status.FAILED, completion.cause()));
          }
        }
        case REFUSED -> {
          if (!held.lost) {
            left.forEach(this::goBack);
          }
        }
      }
    }
    Executor executor =
        executors.stream()
            .filter(e -> e.report.executorId().equals(completion.executorId()))
            .findFirst()
            .orElse(null);
    if (executor != null && executor.report.incarnation() == completion.incarnation()) {
      if (!refused) {
        executor.refusing.remove(completion.lane());
      } else if (held != null && "busy".equals(completion.cause())) {
        executor.refusing.add(completion.lane());
      }
    }
  }

  private void goBack(Waiting job) {
    job.runs = false;
    waiting.add(job);
  }

  private void end(Waiting job, JobEnd.Status status, String reason) {
    ends.add(new End(job.spec.id(), status, reason, job.attempts + (job.runs ? 1 : 0)));
    job.ended = true;
    leave(job);
  }

  private void learn(Held held, long serviceNs) {
    Mean mean =
        means
            .computeIfAbsent(
                key(executor(held.start.executorId), held.jobs.get(0).spec), k -> new TreeMap<>())
            .computeIfAbsent(held.samples, k -> new Mean());
    mean.count++;
    mean.ns += (serviceNs - mean.ns) / mean.count;
    predictions.completed(
        executor(held.start.executorId).report.deviceKind(),
        NaivePredictions.model(held.jobs.get(0).spec),
        held.samples,
        held.predicted.busyLanes,
        held.predicted.meanNs,
        held.judged ? held.predicted.boundsNs : null,
        serviceNs);
  }

  private void report(ExecutorReported report) {
    Executor known =
        executors.stream()
            .filter(e -> e.report.executorId().equals(report.executorId()))
            .findFirst()
            .orElse(null);
    if (known == null) {
      if (!report.leaving()) {
        known = new Executor(report);
        known.reportedLeaseNs = leaseNs;
        executors.add(known);
        findFreed(known);
      }
      return;
    }
    long incarnation = known.report.incarnation();
    if (report.incarnation() < incarnation
        || (report.incarnation() == incarnation && known.report.leaving())) {
      return;
    }
    if (report.incarnation() > incarnation || report.leaving()) {
      lose(known, h -> true);
      Executor gone = known;
      heldOn(gone).toList().forEach(h -> h.onLane = false);
      known.refusing.clear();
      known.resident.clear();
      known.freedNs.replaceAll((lane, ns) -> nowNs);
    }
    known.report = report;
    findFreed(known);
    known.reportedLeaseNs = leaseNs;
    known.lost = false;
    known.refusing.removeAll(report.emptyLanes());
    for (Executor executor : executors) {
      executor.passedOver.removeIf(
          p ->
              waiting.stream()
                  .filter(w -> group(w.spec).equals(p.group))
                  .anyMatch(w -> !couldHold(executor, w.spec)));
    }
  }

  /** A new lane is free from now on. */
  private void findFreed(Executor executor) {
    for (int lane = 0; lane < executor.report.lanes(); lane++) {
      executor.freedNs.putIfAbsent(lane, nowNs);
    }
  }

  /** The batches that hold a lane of the executor and match are lost. */
  private void lose(Executor executor, Predicate<Held> matches) {
    for (Held held : heldOn(executor).filter(h -> !h.lost && matches.test(h)).toList()) {
      held.lost = true;
      for (Waiting job : held.jobs) {
        if (!job.ended && job.attempts + 1 == settings.leases().maxAttempts()) {
          end(job, JobEnd.Status.FAILED, "lane_lost");
        } else if (!job.ended) {
          job.attempts++;
          goBack(job);
        }
      }
    }
  }

  private void loseWhatIsDue() {
    for (Executor executor : executors) {
      if (expired(executor)) {
        executor.lost = true;
        lose(executor, h -> true);
      }
    }
    for (Held held : unanswered.stream().filter(this::overdue).toList()) {
      lose(
          executor(held.start.executorId),
          h ->
              IntStream.range(0, held.start.lanes)
                  .anyMatch(i -> h.start.holds(held.start.lane + i)));
    }
  }

  private boolean expired(Executor executor) {
    return executor.joined()
        && !executor.lost
        && leaseNs - executor.reportedLeaseNs >= settings.leases().leaseNs();
  }

  private boolean overdue(Held held) {
    return held.onLane
        && !held.lost
        && held.firstNs >= 0
        && settings.leases().leaseNs() < Long.MAX_VALUE
        && leaseNs - held.firstLeaseNs >= Math.max(10_000_000_000L, 10 * held.predicted.meanNs);
  }

  /** Notes of each batch when it came first on its lane. */
  private void findFirsts() {
    for (Held held : unanswered) {
      boolean isFirst =
          heldOn(executor(held.start.executorId), held.start.lane).stream().findFirst().orElse(null)
              == held;
      if (isFirst && held.firstNs < 0) {
        held.firstNs = nowNs;
        held.firstLeaseNs = leaseNs;
      }
    }
  }

  private void noteBlocked() {
    Cause cause = null;
    boolean anyIdle =
        executors.stream()
            .anyMatch(e -> IntStream.range(0, e.report.lanes()).anyMatch(l -> takesAt(e, l) == 0));
    if (anyIdle && policy.equals("critical_path") && waiting.stream().anyMatch(this::startable)) {
      cause = Cause.POLICY; // nothing was chosen, though something could have been
    } else if (anyIdle && !waiting.isEmpty()) {
      Set<Cause> causes =
          policy.equals("fifo")
              ? Set.of(cause(waiting.stream().min(BY_ARRIVAL).orElseThrow()))
              : waiting.stream().map(this::cause).collect(toSet());
      cause =
          Stream.of(Cause.TOKENS, Cause.LANE, Cause.WINDOW, Cause.CAPABILITY)
              .filter(causes::contains)
              .findFirst()
              .orElseThrow();
      cause = cause == Cause.LANE ? null : cause;
    }
    if (cause != blockedCause) {
      if (blockedCause != null && nowNs - blockedSinceNs >= 1_000_000) {
        blocked.add(new Shard.Blocked(blockedSinceNs, nowNs, blockedCause));
      }
      blockedCause = cause;
      blockedSinceNs = nowNs;
    }
  }

  private Cause cause(Waiting w) {
    if (!ripe(w)) {
      return Cause.WINDOW;
    }
    List<Executor> able = joined().filter(e -> canRun(e, w.spec)).toList();
    boolean anyTakes =
        able.stream()
            .anyMatch(
                e ->
                    IntStream.range(0, e.report.lanes())
                        .anyMatch(l -> takesFrom(e, l, w.spec.lanesNeeded())));
    return able.isEmpty() ? Cause.CAPABILITY : anyTakes ? Cause.TOKENS : Cause.LANE;
  }

  private void dropIfItMust(Waiting w) {
    String reason = dropReason(w);
    if (reason != null) {
      end(w, JobEnd.Status.DROPPED, reason);
    }
  }

  private boolean overBudget(JobSpec job) {
    return joined().findAny().isPresent()
        && joined().allMatch(e -> tokens(job) > e.report.tokens());
  }

  private String dropReason(Waiting w) {
    if (runEnded()) {
      return "run_ended";
    }
    if (overBudget(w.spec) && !settings.cpuFallback()) {
      return "over_budget";
    }
    if (nowNs - w.appendedNs > settings.bounds().expireAfterNs()) {
      return "waited_too_long";
    }
    if (settings.admission() == Admission.EXPIRED && nowNs > w.spec.deadlineNs()) {
      return "expired";
    }
    if (settings.admission() == Admission.HOPELESS) {
      long fastestNs =
          joined()
              .filter(e -> canRun(e, w.spec))
              .mapToLong(e -> boundNs(e, w.spec, w.spec.samples(), 1))
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
            ? new Held(
                new DispatchName(-1, 0),
                new Start("nothing was drawn", 0, 1, List.of(), new Predicted(0, 1, List.of())),
                List.of(),
                0,
                0,
                false)
            : null;
      }
      String id = followed.jobs().get(0).id();
      Waiting drawn =
          waiting.stream().filter(w -> w.spec.id().equals(id)).findFirst().orElseThrow();
      return startable(drawn) ? fill(drawn, laneFor(drawn), BY_ENTRY, followed) : null;
    }
    if (policy.equals("critical_path")) {
      Placed first = firstPlaced(null);
      Placed chosen = first != null && first.waits ? firstPlaced(first) : first;
      return chosen == null ? null : fill(chosen.job, chosen.lane, BY_PATH, followed);
    }
    if (policy.equals("fifo")) {
      Waiting oldest = waiting.stream().min(BY_ARRIVAL).orElse(null);
      return oldest != null && startable(oldest)
          ? fill(oldest, laneFor(oldest), BY_ENTRY, followed)
          : null;
    }
    Comparator<Waiting> order =
        switch (policy) {
          case "priority_slo" ->
              comparing((Waiting w) -> jobClass(w.spec).priority()).thenComparing(BY_DEADLINE);
          case "batch_aware" -> highest(this::batchAwareScore);
          case "dynamic" -> highest(w -> dynamicScore(w, laneFor(w)));
          case "ray_like" -> BY_ENTRY;
          default -> throw new AssertionError(policy);
        };
    Waiting best = waiting.stream().filter(this::startable).min(order).orElse(null);
    if (best == null) {
      return null;
    }
    LaneOf lane = policy.equals("ray_like") ? residentLaneFor(best) : laneFor(best);
    return fill(
        best,
        lane,
        policy.equals("dynamic") ? highest(w -> dynamicScore(w, lane)) : order,
        followed);
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

  private double dynamicScore(Waiting w, LaneOf lane) {
    double msLeft = (w.spec.deadlineNs() - nowNs) / 1e6;
    double urgency = msLeft < 0 ? 10 : 1 / (msLeft + 1);
    double others = waiting.stream().filter(o -> o != w && compatible(o.spec, w.spec)).count();
    double seconds =
        predictedNs(lane.executor, w.spec, w.spec.samples(), busyLanesWith(lane, w.spec)) / 1e9;
    return (jobClass(w.spec).interactive() ? 10.0 : 0.0)
        + urgency
        + 5 * Math.min(others / 5, 1)
        + 2 / Math.max(seconds, 0.001)
        - 0.1 * tokens(w.spec) / 1000;
  }

  private Held fill(Waiting first, LaneOf lane, Comparator<Waiting> order, Dispatch followed) {
    boolean outside = overBudget(first.spec);
    List<Waiting> batch = new ArrayList<>(List.of(first));
    int samples = first.spec.samples();
    Set<Integer> leftOut = new HashSet<>();
    if (shares(first.spec) && !outside) {
      for (Waiting w : waiting.stream().sorted(order).toList()) {
        int with = samples + w.spec.samples();
        if (w != first
            && shares(w.spec)
            && compatible(w.spec, first.spec)
            && with <= settings.microbatch().maxBatch()
            && tokens(w.spec, with) <= freeTokens(lane.executor, first.spec)
            && !leftOut.contains(w.spec.samples())) {
          if (settings.microbatch().respectDeadlines()
              && someoneWouldMiss(batch, w, samples, lane)) {
            leftOut.add(w.spec.samples());
          } else {
            batch.add(w);
            samples = with;
          }
        }
      }
    }
    return new Held(
        followed == null ? new DispatchName(-1, 0) : followed.name(),
        new Start(
            lane.executor.report.executorId(),
            lane.index,
            first.spec.lanesNeeded(),
            batch.stream().map(w -> w.spec.id()).toList(),
            predicted(lane.executor, first.spec, samples, busyLanesWith(lane, first.spec))),
        batch,
        outside ? 0 : tokens(first.spec, samples),
        samples,
        judged(lane.executor, first.spec, samples));
  }

  private boolean someoneWouldMiss(List<Waiting> batch, Waiting next, int samples, LaneOf lane) {
    long endNs = endNs(lane, next.spec, samples + next.spec.samples());
    boolean nextWould =
        endNs(lane, next.spec, next.spec.samples()) <= next.spec.deadlineNs()
            && endNs > next.spec.deadlineNs();
    int joined = 0;
    boolean memberWould = false;
    for (Waiting member : batch) { // each, when it joined, would have met its deadline
      joined += member.spec.samples();
      memberWould |=
          endNs(lane, next.spec, joined) <= member.spec.deadlineNs()
              && endNs > member.spec.deadlineNs();
    }
    return nextWould || memberWould;
  }

  private long endNs(LaneOf lane, JobSpec job, int samples) {
    long startNs =
        takesAt(lane.executor, lane.index) == 0 ? nowNs : Math.max(nowNs, expectedFreeNs(lane));
    return startNs + boundNs(lane.executor, job, samples, busyLanesWith(lane, job));
  }

  private int busyLanesWith(LaneOf lane, JobSpec job) {
    return (int)
        IntStream.range(0, 10)
            .filter(
                i ->
                    !heldOn(lane.executor, i).isEmpty()
                        || (i >= lane.index && i < lane.index + job.lanesNeeded()))
            .count();
  }

  private record LaneOf(Executor executor, int index) {}

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
    List<LaneOf> lanes = lanesFor(w).toList();
    return lanes.stream()
        .filter(lane -> takesAt(lane.executor, lane.index) == 0)
        .findFirst()
        .or(() -> lanes.stream().min(comparingLong(this::expectedFreeNs)))
        .orElse(null);
  }

  /** The lanes on which it may start, by id; of a gang the first ones. */
  private Stream<LaneOf> lanesFor(Waiting w) {
    List<LaneOf> lanes = new ArrayList<>();
    for (Executor executor : executors) {
      boolean room =
          overBudget(w.spec)
              ? settings.cpuFallback()
              : tokens(w.spec) <= freeTokens(executor, w.spec);
      for (int lane = 0; lane < executor.report.lanes(); lane++) {
        if (room && canRun(executor, w.spec) && takesFrom(executor, lane, w.spec.lanesNeeded())) {
          lanes.add(new LaneOf(executor, lane));
        }
      }
    }
    return lanes.stream();
  }

  /** Of the idle lanes one that holds the workload, else the one idle the longest. */
  private LaneOf residentLaneFor(Waiting w) {
    if (w.spec.lanesNeeded() > 1) {
      return laneFor(w);
    }
    List<LaneOf> idle = lanesFor(w).filter(l -> takesAt(l.executor, l.index) == 0).toList();
    return idle.stream()
        .filter(l -> w.spec.workload().equals(l.executor.resident.get(l.index)))
        .findFirst()
        .or(() -> idle.stream().min(comparingLong(l -> l.executor.freedNs.get(l.index))))
        .orElseGet(() -> laneFor(w));
  }

  /** A job, and where critical_path would start it, or let it wait. */
  private record Placed(Waiting job, LaneOf lane, double cost, boolean waits) {
    boolean overlaps(LaneOf from, int lanes) {
      return from.executor == lane.executor
          && IntStream.range(from.index, from.index + lanes)
              .anyMatch(i -> i >= lane.index && i < lane.index + job.spec.lanesNeeded());
    }
  }

  private Placed firstPlaced(Placed gang) {
    return waiting.stream()
        .map(w -> placed(w, gang))
        .filter(Objects::nonNull)
        .min(comparingDouble(Placed::cost).thenComparing(Placed::job, BY_PATH))
        .orElse(null);
  }

  private Placed placed(Waiting w, Placed gang) {
    LaneOf anyLane = startable(w) ? laneFor(w) : null;
    int lanes = w.spec.lanesNeeded();
    if (anyLane != null && takesAt(anyLane.executor, anyLane.index) > 0) {
      return gang != null && gang.overlaps(anyLane, 1) ? null : placed(w, anyLane, 0, false);
    }
    LaneOf lane =
        (anyLane == null ? Stream.<LaneOf>of() : lanesFor(w))
            .filter(l -> takesAt(l.executor, l.index) == 0 && l.index % lanes == 0)
            .filter(l -> gang == null || !gang.overlaps(l, lanes))
            .min(
                comparingLong((LaneOf l) -> switchNs(l, w))
                    .thenComparing(l -> !w.spec.workload().equals(l.executor.resident.get(l.index)))
                    .thenComparingLong(l -> l.executor.freedNs.get(l.index)))
            .orElse(null);
    if (lane != null) {
      long switchNs = switchNs(lane, w);
      return switchNs > 0 && lanes == 1 && othersAreThroughSooner(w)
          ? null
          : placed(w, lane, switchNs, false);
    }
    if (gang != null || lanes == 1 || (anyLane == null && !isBlockedByOthers(w))) {
      return null;
    }
    return joined()
        .filter(e -> !e.lost && canRun(e, w.spec))
        .filter(
            e -> overBudget(w.spec) ? settings.cpuFallback() : tokens(w.spec) <= e.report.tokens())
        .flatMap(
            e ->
                IntStream.iterate(0, i -> i + lanes <= e.report.lanes(), i -> i + lanes)
                    .mapToObj(i -> new LaneOf(e, i)))
        .min(
            comparingLong(
                l ->
                    IntStream.range(l.index, l.index + lanes)
                        .mapToLong(i -> laneFreeNs(new LaneOf(l.executor, i)))
                        .max()
                        .orElseThrow()))
        .map(l -> placed(w, l, switchNs(l, w) + gatheringNs(l, lanes), true))
        .orElse(null);
  }

  private boolean isBlockedByOthers(Waiting w) {
    return cause(w) == Cause.LANE || cause(w) == Cause.TOKENS;
  }

  private long laneFreeNs(LaneOf lane) {
    return heldOn(lane.executor, lane.index).isEmpty()
        ? lane.executor.freedNs.get(lane.index)
        : expectedFreeNs(lane);
  }

  private Placed placed(Waiting w, LaneOf lane, long lostNs, boolean waits) {
    double rankNs = w.spec.intendedAtNs() - w.spec.pathNs();
    return new Placed(w, lane, rankNs + 200.0 * lostNs, waits);
  }

  private long switchNs(LaneOf lane, Waiting w) {
    return IntStream.range(lane.index, lane.index + w.spec.lanesNeeded())
        .mapToLong(
            i -> settings.switching().switchNs(lane.executor.resident.get(i), w.spec.workload()))
        .max()
        .orElseThrow();
  }

  private long gatheringNs(LaneOf lane, int lanes) {
    return IntStream.range(lane.index, lane.index + lanes)
        .mapToLong(i -> heldOn(lane.executor, i).stream().mapToLong(h -> h.predicted.meanNs).sum())
        .max()
        .orElseThrow();
  }

  private boolean othersAreThroughSooner(Waiting w) {
    List<LaneOf> able =
        joined()
            .filter(e -> canRun(e, w.spec))
            .flatMap(e -> IntStream.range(0, e.report.lanes()).mapToObj(i -> new LaneOf(e, i)))
            .toList();
    List<LaneOf> holding =
        able.stream()
            .filter(l -> w.spec.workload().equals(l.executor.resident.get(l.index)))
            .filter(l -> takesAt(l.executor, l.index) != 0)
            .filter(l -> !l.executor.lost)
            .filter(l -> heldOn(l.executor, l.index).stream().noneMatch(h -> h.lost))
            .toList();
    long leastSwitchNs =
        able.stream()
            .filter(l -> !w.spec.workload().equals(l.executor.resident.get(l.index)))
            .mapToLong(l -> switchNs(l, w))
            .min()
            .orElse(Long.MAX_VALUE);
    long meanNs =
        holding.stream()
            .mapToLong(
                l -> predictedNs(l.executor, w.spec, w.spec.samples(), busyLanesWith(l, w.spec)))
            .max()
            .orElse(0);
    long alike = waiting.stream().filter(o -> group(o.spec).equals(group(w.spec))).count();
    return !holding.isEmpty() && (double) alike * meanNs / holding.size() <= leastSwitchNs;
  }

  private long expectedFreeNs(LaneOf lane) {
    List<Held> held = heldOn(lane.executor, lane.index);
    return held.get(0).firstNs + held.stream().mapToLong(h -> h.predicted.meanNs).sum();
  }

  /** Whether it takes a job of one lane, or as many neighbours from there on are idle. */
  private boolean takesFrom(Executor executor, int lane, int lanesNeeded) {
    return lanesNeeded == 1
        ? takesAt(executor, lane) >= 0
        : IntStream.range(lane, lane + lanesNeeded)
            .allMatch(i -> i < executor.report.lanes() && takesAt(executor, i) == 0);
  }

  /** How many batches stand before the next one on the lane; -1: it takes none. */
  private int takesAt(Executor executor, int lane) {
    List<Held> held = heldOn(executor, lane);
    boolean usable =
        executor.joined()
            && !executor.lost
            && !executor.refusing.contains(lane)
            && held.stream().noneMatch(h -> h.lost)
            && held.size() <= settings.ahead();
    return usable ? held.size() : -1;
  }

  private Stream<Executor> joined() {
    return executors.stream().filter(Executor::joined);
  }

  private Stream<Held> heldOn(Executor executor) {
    return unanswered.stream()
        .filter(h -> h.onLane && h.start.executorId.equals(executor.report.executorId()));
  }

  private List<Held> heldOn(Executor executor, int lane) {
    return heldOn(executor).filter(h -> h.start.holds(lane)).toList();
  }

  private long rawFreeTokens(Executor executor) {
    return executor.report.tokens() - heldOn(executor).mapToLong(h -> h.tokens).sum();
  }

  private long freeTokens(Executor executor, JobSpec job) {
    long lostTokens = heldOn(executor).filter(h -> h.lost).mapToLong(h -> h.tokens).sum();
    PassedOver holder =
        executor.passedOver.stream()
            .filter(p -> p.dueNs <= nowNs && p.tokens <= executor.report.tokens() - lostTokens)
            .min(
                comparingLong(PassedOver::dueNs)
                    .thenComparingLong(PassedOver::sinceNs)
                    .thenComparing(p -> (String) p.group.get(0))
                    .thenComparing(p -> (String) p.group.get(1))
                    .thenComparing(p -> (String) p.group.get(2))
                    .thenComparing(p -> (String) p.group.get(3))
                    .thenComparing(p -> (Integer) p.group.get(5))
                    .thenComparing(p -> (Integer) p.group.get(4)))
            .orElse(null);
    boolean forOthers = holder != null && !holder.group.equals(group(job));
    return rawFreeTokens(executor) - (forOthers ? holder.tokens : 0);
  }

  private Executor executor(String id) {
    return executors.stream()
        .filter(e -> e.report.executorId().equals(id))
        .findFirst()
        .orElseThrow();
  }

  private static boolean canRun(Executor executor, JobSpec job) {
    return executor.report.capabilities().stream().anyMatch(c -> isFor(c, job));
  }

  private static boolean isFor(Capability c, JobSpec job) {
    return c.workload().equals(job.workload())
        && c.backend().equals(job.backend())
        && c.precision().equals(job.precision());
  }

  private long boundNs(Executor on, JobSpec job, int samples, int busyLanes) {
    Predicted predicted = predicted(on, job, samples, busyLanes);
    return predicted.boundsNs.get(0).orElse(predicted.meanNs);
  }

  private boolean judged(Executor on, JobSpec job, int samples) {
    return predictions
            .meanNs(on.report.deviceKind(), NaivePredictions.model(job), samples, 1)
            .isPresent()
        || means.getOrDefault(key(on, job), new TreeMap<>()).containsKey(samples);
  }

  private Predicted predicted(Executor on, JobSpec job, int samples, int busyLanes) {
    String kind = on.report.deviceKind();
    var model = NaivePredictions.model(job);
    long meanNs = predictedNs(on, job, samples, busyLanes);
    boolean judged = judged(on, job, samples);
    return new Predicted(
        meanNs,
        busyLanes,
        IntStream.range(0, 3)
            .mapToObj(
                level ->
                    judged ? predictions.boundNs(kind, model, meanNs, level) : OptionalLong.empty())
            .toList());
  }

  private long predictedNs(Executor on, JobSpec job, int samples, int busyLanes) {
    OptionalLong published =
        predictions.meanNs(on.report.deviceKind(), NaivePredictions.model(job), samples, busyLanes);
    if (published.isPresent()) {
      return published.getAsLong();
    }

    TreeMap<Integer, Double> nsBySamples = new TreeMap<>();
    long flops = -1;
    for (Executor executor : executors) {
      for (Capability c : executor.report.capabilities()) {
        if (executor.report.deviceKind().equals(on.report.deviceKind()) && isFor(c, job)) {
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

  private static ModelKey key(Executor on, JobSpec job) {
    return new ModelKey(on.report.deviceKind(), job.workload(), job.backend(), job.precision());
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
        && a.precision().equals(b.precision())
        && a.lanesNeeded() == b.lanesNeeded();
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
