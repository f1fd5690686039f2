package dev.sluice.scheduling.naive;

import static java.util.Comparator.comparingDouble;
import static java.util.Comparator.comparingInt;
import static java.util.Comparator.comparingLong;
import static java.util.stream.Collectors.toSet;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.WarmUp;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.naive.NaiveScheduler.Predicted;
import dev.sluice.scheduling.naive.NaiveScheduler.Start;
import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.policy.JobClass;
import dev.sluice.scheduling.policy.JobSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * What the naive scheduler knows, and the questions about it that its rules ask: plain lists,
 * scanned.
 */
final class NaiveState {
  static final class Waiting {
    final JobSpec spec;
    final long entry;
    final long appendedNs;
    int attempts;
    boolean runs;
    boolean ended;

    /** Batch that it was started in last. */
    Held batch;

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
  static final class Held {
    final DispatchId name;
    final Start start;
    final List<Waiting> jobs;
    final long tokens;
    final int samples;
    final Predicted predicted;

    /** Whether the source of the prediction learns from its error. */
    final boolean judged;

    boolean onLane = true;
    boolean lost;
    long startedNs;
    boolean cancelled;
    long firstNs = -1;
    long firstLeaseNs;

    Held(
        DispatchId name,
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
      this.predicted = start.predicted();
      this.judged = judged;
    }
  }

  static final class Executor {
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

    long budgetTokens() {
      return report.tokens() == null ? Long.MAX_VALUE : report.tokens();
    }

    boolean joined() {
      return !report.leaving();
    }
  }

  record PassedOver(List<Object> group, long tokens, long sinceNs, long dueNs) {}

  record ModelKey(String deviceKind, String workload, String backend, String precision) {}

  static final class Mean {
    int count;
    double ns;
  }

  record LaneOf(Executor executor, int index) {}

  /** The lane whose batch was cancelled, and which alone takes the next one; null: none. */
  LaneOf only;

  static final Comparator<Waiting> BY_ID =
      comparingInt((Waiting w) -> w.spec.source()).thenComparingLong(w -> w.spec.index());

  static final Comparator<Waiting> BY_DEADLINE =
      comparingLong((Waiting w) -> w.spec.deadlineNs())
          .thenComparingLong(w -> w.spec.intendedAtNs())
          .thenComparing(BY_ID);

  static final Comparator<Waiting> BY_ARRIVAL =
      comparingLong((Waiting w) -> w.spec.intendedAtNs())
          .thenComparingLong(w -> w.spec.deadlineNs())
          .thenComparing(BY_ID);

  static final Comparator<Waiting> BY_ENTRY = comparingLong(Waiting::entry);

  static final Comparator<Waiting> BY_PATH =
      comparingLong((Waiting w) -> w.spec.intendedAtNs() - w.spec.pathNs()).thenComparing(BY_ENTRY);

  final CoreSettings settings;
  final List<Waiting> waiting = new ArrayList<>();
  final List<Executor> executors = new ArrayList<>();

  /** Batches in the order of their starts, as lanes run them. */
  final List<Held> unanswered = new ArrayList<>();

  final Map<ModelKey, TreeMap<Integer, Mean>> means = new HashMap<>();
  final NaivePredictions predictions;
  long nowNs;
  long leaseNs;

  /** Jobs that ever joined the queue. */
  final List<Arrival> arrivals = new ArrayList<>();

  /** Time of the last fact, at which rates are taken. */
  long ratesAtNs;

  final boolean mixesClasses;

  record Arrival(JobSpec spec, long atNs) {}

  /** Jobs that may share a batch with each other, those that wait, and all that ever came. */
  record JobSetOf(List<Waiting> waiting, List<JobSpec> known) {
    Waiting first(Comparator<Waiting> order) {
      return waiting.stream().min(order).orElseThrow();
    }

    List<Waiting> in(Comparator<Waiting> order) {
      return waiting.stream().sorted(order).toList();
    }

    JobSpec spec() {
      return waiting.get(0).spec;
    }

    int samplesWaiting() {
      return waiting.stream().mapToInt(w -> w.spec.samples()).sum();
    }
  }

  NaiveState(CoreSettings settings, boolean mixesClasses) {
    this.mixesClasses = mixesClasses;
    this.settings = settings;
    this.predictions = new NaivePredictions(settings.predictor());
  }

  /** The sets in which a job waits, by their first key. */
  List<JobSetOf> sets() {
    return allSets().stream().filter(set -> !set.waiting.isEmpty()).toList();
  }

  List<JobSetOf> allSets() {
    List<JobSpec> byKey =
        arrivals.stream()
            .map(Arrival::spec)
            .sorted(
                Comparator.comparing((JobSpec job) -> mixesClasses ? "" : job.classType())
                    .thenComparing(JobSpec::workload)
                    .thenComparing(JobSpec::backend)
                    .thenComparing(JobSpec::precision)
                    .thenComparing(JobSpec::lanesNeeded))
            .toList();
    List<JobSetOf> sets = new ArrayList<>();
    Set<JobSpec> seen = new HashSet<>();
    for (JobSpec one : byKey) {
      if (!seen.contains(one)) {
        List<JobSpec> all = byKey.stream().filter(other -> mayShare(one, other)).toList();
        seen.addAll(all);
        sets.add(new JobSetOf(waiting.stream().filter(w -> mayShare(one, w.spec)).toList(), all));
      }
    }
    return sets;
  }

  /** Whether two jobs are of one set. */
  boolean mayShare(JobSpec a, JobSpec b) {
    return (mixesClasses || a.classType().equals(b.classType()))
        && a.workload().equals(b.workload())
        && a.backend().equals(b.backend())
        && a.precision().equals(b.precision())
        && a.lanesNeeded() == b.lanesNeeded();
  }

  int samplesMax(JobSetOf set) {
    boolean mayShare =
        settings.microbatch().enabled()
            && (mixesClasses || jobClass(set.known.get(0)).microbatch());
    return mayShare ? settings.microbatch().maxBatch() : 1;
  }

  long serviceNs(LaneOf lane, JobSpec job, int samples) {
    return predictedNs(lane.executor(), job, samples, busyLanesWith(lane, job));
  }

  /** The largest size within a time, by bisection: of times that fall somewhere any would do. */
  int largestWithin(JobSetOf set, LaneOf lane, long ns) {
    int fits = 0;
    int tooLarge = samplesMax(set) + 1;
    while (fits + 1 < tooLarge) {
      int middle = (fits + tooLarge) / 2;
      if (serviceNs(lane, set.known.get(0), middle) <= ns) {
        fits = middle;
      } else {
        tooLarge = middle;
      }
    }
    return fits;
  }

  /** Least predicted time of one waiting job alone, on whatever lane; empty: nothing runs it. */
  OptionalLong leastNs(JobSetOf set) {
    return executors.stream()
        .filter(e -> canRun(e, set.spec()))
        .flatMapToLong(
            e ->
                set.waiting.stream()
                    .flatMapToLong(
                        w ->
                            LongStream.rangeClosed(1, 8)
                                .map(busy -> predictedNs(e, w.spec, w.spec.samples(), (int) busy))))
        .min();
  }

  /**
   * Jobs that would be late even alone, now, on the fastest lane, of the first set that has any.
   */
  NaivePolicy.Dropped late() {
    for (JobSetOf set : sets()) {
      long endNs = nowNs + leastNs(set).orElse(0);
      List<Waiting> late = set.waiting.stream().filter(w -> w.spec.deadlineNs() < endNs).toList();
      if (!late.isEmpty()) {
        return new NaivePolicy.Dropped(late, "late");
      }
    }
    return null;
  }

  /** Of the idle lanes on which the job may start, and takes no longer, the longest idle one. */
  LaneOf longestIdle(Waiting w, long withinNs) {
    return lanesFor(w)
        .filter(lane -> takesAt(lane.executor(), lane.index()) == 0)
        .filter(lane -> serviceNs(lane, w.spec, w.spec.samples()) <= withinNs)
        .min(comparingLong(lane -> lane.executor().freedNs.get(lane.index())))
        .orElse(null);
  }

  /** The first lane that can run the job, idle or not. */
  LaneOf anyLane(JobSpec job) {
    return joined()
        .filter(e -> canRun(e, job) && !e.report.lanes().isEmpty())
        .findFirst()
        .map(e -> new LaneOf(e, 0))
        .orElse(null);
  }

  double arrivalsPerSecond(JobSetOf set) {
    List<Long> spans =
        arrivals.stream()
            .filter(arrival -> mayShare(arrival.spec, set.known.get(0)))
            .map(arrival -> arrival.atNs / 50_000_000)
            .toList();
    long now = ratesAtNs / 50_000_000;
    if (spans.isEmpty() || spans.get(0) == now) {
      return Double.NaN;
    }
    long over = Math.min(99, now - spans.get(0));
    return spans.stream().filter(span -> span < now && span >= now - 99).count() / (over * 0.05);
  }

  /** Fills a batch with the first job in the order that can start; null: none can. */
  Held startFirst(Comparator<Waiting> order, BatchDispatched followed) {
    Waiting best = waiting.stream().filter(this::startable).min(order).orElse(null);
    return best == null ? null : fill(best, laneFor(best), order, followed);
  }

  /** Returns the causes for which waiting jobs do not start. */
  Set<Cause> causes() {
    return waiting.stream().map(this::cause).collect(toSet());
  }

  boolean couldHold(Executor executor, JobSpec job) {
    return executor.joined() && canRun(executor, job) && tokens(job) <= executor.budgetTokens();
  }

  static List<Object> group(JobSpec job) {
    return List.of(
        job.classType(),
        job.workload(),
        job.backend(),
        job.precision(),
        job.samples(),
        job.lanesNeeded());
  }

  boolean overBudget(JobSpec job) {
    return joined().findAny().isPresent() && joined().allMatch(e -> tokens(job) > e.budgetTokens());
  }

  Cause cause(Waiting w) {
    if (!ripe(w)) {
      return Cause.WINDOW;
    }
    List<Executor> able = joined().filter(e -> canRun(e, w.spec)).toList();
    boolean anyTakes =
        able.stream()
            .anyMatch(
                e ->
                    IntStream.range(0, e.report.lanes().size())
                        .anyMatch(l -> takesFrom(e, l, w.spec.lanesNeeded())));
    return able.isEmpty() ? Cause.CAPABILITY : anyTakes ? Cause.TOKENS : Cause.LANE;
  }

  boolean startable(Waiting w) {
    return ripe(w) && laneFor(w) != null;
  }

  boolean ripe(Waiting w) {
    if (!shares(w.spec)) {
      return true;
    }
    List<Waiting> set =
        waiting.stream().filter(o -> shares(o.spec) && compatible(o.spec, w.spec)).toList();
    return set.stream().mapToInt(o -> o.spec.samples()).sum() >= settings.microbatch().maxBatch()
        || set.stream().anyMatch(o -> nowNs - o.appendedNs >= settings.microbatch().windowNs());
  }

  LaneOf laneFor(Waiting w) {
    List<LaneOf> lanes = lanesFor(w).toList();
    return lanes.stream()
        .filter(lane -> takesAt(lane.executor(), lane.index()) == 0)
        .findFirst()
        .or(() -> lanes.stream().min(comparingLong(this::expectedFreeNs)))
        .orElse(null);
  }

  /** The lanes on which it may start, by id; of a gang the first ones. */
  Stream<LaneOf> lanesFor(Waiting w) {
    List<LaneOf> lanes = new ArrayList<>();
    for (Executor executor : executors) {
      boolean room =
          overBudget(w.spec)
              ? settings.placing().cpuFallback()
              : tokens(w.spec) <= freeTokens(executor, w.spec);
      for (int lane = 0; lane < executor.report.lanes().size(); lane++) {
        if (room && canRun(executor, w.spec) && takesFrom(executor, lane, w.spec.lanesNeeded())) {
          lanes.add(new LaneOf(executor, lane));
        }
      }
    }
    return lanes.stream();
  }

  /** Whether the lane takes a job of one lane, or as many neighbours from there on are idle. */
  boolean takesFrom(Executor executor, int lane, int lanesNeeded) {
    return lanesNeeded == 1
        ? takesAt(executor, lane) >= 0
        : IntStream.range(lane, lane + lanesNeeded)
            .allMatch(i -> i < executor.report.lanes().size() && takesAt(executor, i) == 0);
  }

  /** How many batches stand before the next one on the lane; -1: it takes none. */
  int takesAt(Executor executor, int lane) {
    if (only != null && !only.equals(new LaneOf(executor, lane))) {
      return -1;
    }
    List<Held> held = heldOn(executor, lane);
    boolean usable =
        executor.joined()
            && !executor.lost
            && !executor.refusing.contains(lane)
            && held.stream().noneMatch(h -> h.lost)
            && held.size() <= settings.placing().ahead();
    return usable ? held.size() : -1;
  }

  Stream<Executor> joined() {
    return executors.stream().filter(Executor::joined);
  }

  Stream<Held> heldOn(Executor executor) {
    return unanswered.stream()
        .filter(h -> h.onLane && h.start.executorId().equals(executor.report.executorId()));
  }

  List<Held> heldOn(Executor executor, int lane) {
    return heldOn(executor).filter(h -> h.start.holds(lane)).toList();
  }

  long expectedFreeNs(LaneOf lane) {
    List<Held> held = heldOn(lane.executor(), lane.index());
    return held.get(0).firstNs + held.stream().mapToLong(h -> h.predicted.meanNs()).sum();
  }

  long laneFreeNs(LaneOf lane) {
    return heldOn(lane.executor(), lane.index()).isEmpty()
        ? lane.executor().freedNs.get(lane.index())
        : expectedFreeNs(lane);
  }

  long switchNs(LaneOf lane, Waiting w) {
    return IntStream.range(lane.index(), lane.index() + w.spec.lanesNeeded())
        .mapToLong(
            i ->
                settings
                    .placing()
                    .switching()
                    .switchNs(lane.executor().resident.get(i), w.spec.workload()))
        .max()
        .orElseThrow();
  }

  int busyLanesWith(LaneOf lane, JobSpec job) {
    return (int)
        IntStream.range(0, 10)
            .filter(
                i ->
                    !heldOn(lane.executor(), i).isEmpty()
                        || (i >= lane.index() && i < lane.index() + job.lanesNeeded()))
            .count();
  }

  long rawFreeTokens(Executor executor) {
    return executor.budgetTokens() - heldOn(executor).mapToLong(h -> h.tokens).sum();
  }

  long freeTokens(Executor executor, JobSpec job) {
    long lostTokens = heldOn(executor).filter(h -> h.lost).mapToLong(h -> h.tokens).sum();
    PassedOver holder =
        executor.passedOver.stream()
            .filter(p -> p.dueNs() <= nowNs && p.tokens() <= executor.budgetTokens() - lostTokens)
            .min(
                comparingLong(PassedOver::dueNs)
                    .thenComparingLong(PassedOver::sinceNs)
                    .thenComparing(p -> (String) p.group().get(0))
                    .thenComparing(p -> (String) p.group().get(1))
                    .thenComparing(p -> (String) p.group().get(2))
                    .thenComparing(p -> (String) p.group().get(3))
                    .thenComparing(p -> (Integer) p.group().get(5))
                    .thenComparing(p -> (Integer) p.group().get(4)))
            .orElse(null);
    boolean forOthers = holder != null && !holder.group.equals(group(job));
    return rawFreeTokens(executor) - (forOthers ? holder.tokens : 0);
  }

  Executor executor(String id) {
    return executors.stream()
        .filter(e -> e.report.executorId().equals(id))
        .findFirst()
        .orElseThrow();
  }

  static boolean canRun(Executor executor, JobSpec job) {
    return executor.report.capabilities().stream().anyMatch(c -> isFor(c, job));
  }

  static boolean isFor(Capability c, JobSpec job) {
    return c.workload().equals(job.workload())
        && c.backend().equals(job.backend())
        && c.precision().equals(job.precision());
  }

  long boundNs(Executor on, JobSpec job, int samples, int busyLanes) {
    Predicted predicted = predicted(on, job, samples, busyLanes);
    return predicted.boundsNs().get(0).orElse(predicted.meanNs());
  }

  boolean judged(Executor on, JobSpec job, int samples) {
    return predictions
            .meanNs(on.report.deviceKind(), NaivePredictions.model(job), samples, 1)
            .isPresent()
        || means.getOrDefault(key(on, job), new TreeMap<>()).containsKey(samples);
  }

  Predicted predicted(Executor on, JobSpec job, int samples, int busyLanes) {
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

  long predictedNs(Executor on, JobSpec job, int samples, int busyLanes) {
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

  static double scaled(double ns, int samples, int toSamples) {
    return samples == toSamples ? ns : ns * toSamples / samples;
  }

  static ModelKey key(Executor on, JobSpec job) {
    return new ModelKey(on.report.deviceKind(), job.workload(), job.backend(), job.precision());
  }

  boolean shares(JobSpec job) {
    return settings.microbatch().enabled()
        && jobClass(job).microbatch()
        && job.samples() <= settings.microbatch().maxBatch();
  }

  static boolean compatible(JobSpec a, JobSpec b) {
    return a.classType().equals(b.classType())
        && a.workload().equals(b.workload())
        && a.backend().equals(b.backend())
        && a.precision().equals(b.precision())
        && a.lanesNeeded() == b.lanesNeeded();
  }

  JobClass jobClass(JobSpec job) {
    return settings.jobs().classes().stream()
        .filter(c -> c.name().equals(job.classType()))
        .findFirst()
        .orElseThrow();
  }

  long tokens(JobSpec job) {
    return tokens(job, job.samples());
  }

  long tokens(JobSpec job, int samples) {
    int full = settings.jobs().workloadTokens().get(job.workload()) + 4 * samples;
    return job.precision().equals("fp32") ? full : (long) Math.ceil(full * 7 / 10.0);
  }

  Held fill(Waiting first, LaneOf lane, Comparator<Waiting> order, BatchDispatched followed) {
    return fill(first, lane, order, settings.microbatch().maxBatch(), followed);
  }

  Held fill(
      Waiting first,
      LaneOf lane,
      Comparator<Waiting> order,
      int samplesMax,
      BatchDispatched followed) {
    boolean outside = overBudget(first.spec);
    List<Waiting> batch = new ArrayList<>(List.of(first));
    int samples = first.spec.samples();
    Set<Integer> leftOut = new HashSet<>();
    if (shares(first.spec) && !outside) {
      for (Waiting w : waiting.stream().sorted(order).toList()) {
        int with = samples + w.spec.samples();
        if (w != first
            && shares(w.spec)
            && mayShare(w.spec, first.spec)
            && with <= Math.min(samplesMax, settings.microbatch().maxBatch())
            && tokens(w.spec, with) <= freeTokens(lane.executor(), first.spec)
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
        followed == null ? new DispatchId(0, 0) : followed.dispatchId(),
        new Start(
            lane.executor().report.executorId(),
            lane.index(),
            first.spec.lanesNeeded(),
            batch.stream().map(w -> w.spec.id()).toList(),
            predicted(lane.executor(), first.spec, samples, busyLanesWith(lane, first.spec))),
        batch,
        outside ? 0 : tokens(first.spec, samples),
        samples,
        judged(lane.executor(), first.spec, samples));
  }

  boolean someoneWouldMiss(List<Waiting> batch, Waiting next, int samples, LaneOf lane) {
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

  long endNs(LaneOf lane, JobSpec job, int samples) {
    long startNs =
        takesAt(lane.executor(), lane.index()) == 0 ? nowNs : Math.max(nowNs, expectedFreeNs(lane));
    return startNs + boundNs(lane.executor(), job, samples, busyLanesWith(lane, job));
  }

  static Comparator<Waiting> highest(ToDoubleFunction<Waiting> score) {
    return comparingDouble(score).reversed().thenComparing(BY_DEADLINE);
  }
}
