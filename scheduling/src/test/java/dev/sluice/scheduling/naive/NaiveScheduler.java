package dev.sluice.scheduling.naive;

import static dev.sluice.scheduling.naive.NaiveState.BY_ENTRY;

import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.Ticked;
import dev.sluice.contract.value.Prediction;
import dev.sluice.scheduling.core.Step;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.driver.CoreSettings.Admission;
import dev.sluice.scheduling.naive.NaiveState.Executor;
import dev.sluice.scheduling.naive.NaiveState.Held;
import dev.sluice.scheduling.naive.NaiveState.LaneOf;
import dev.sluice.scheduling.naive.NaiveState.Mean;
import dev.sluice.scheduling.naive.NaiveState.PassedOver;
import dev.sluice.scheduling.naive.NaiveState.Waiting;
import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.policy.JobSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The rules of scheduling, applied by scanning plain lists: what the core must be equal to. The
 * policy's rule is its twin, a {@link NaivePolicy}.
 */
public final class NaiveScheduler {
  /**
   * A batch that starts: first lane, how many from there, jobs, the chosen one first, and what was
   * known in advance.
   */
  public record Start(
      String executorId, int lane, int lanes, List<String> jobIds, Predicted predicted) {
    boolean holds(int index) {
      return index >= lane && index < lane + lanes;
    }
  }

  /**
   * What was known of a batch in advance.
   *
   * @param boundsNs that of the settings' quantile, p95 and p99; each empty if it is not known
   */
  public record Predicted(long meanNs, int busyLanes, List<OptionalLong> boundsNs) {
    public static Predicted of(Prediction p) {
      return new Predicted(
          p.meanNs(),
          p.busyLanes(),
          Stream.of(p.quantileNs(), p.p95Ns(), p.p99Ns())
              .map(ns -> ns == null ? OptionalLong.empty() : OptionalLong.of(ns))
              .toList());
    }
  }

  /** The end of a job without its times. */
  public record End(String jobId, JobEnded.Status status, String reason, int attempt) {}

  private final NaiveState state;
  private final NaivePolicy policy;
  private final Map<Integer, Long> highest = new HashMap<>();
  private final Set<Integer> sourcesEnded = new HashSet<>();
  private int sources;
  private long entries;
  private long arrivalsEndAtNsMax;
  private long blockedSinceNs;
  private Cause blockedCause;
  private final List<End> ends = new ArrayList<>();
  private final List<Blocked> blocked = new ArrayList<>();

  public NaiveScheduler(CoreSettings settings, String policy) {
    this(settings, NaivePolicy.twinOf(policy));
  }

  private NaiveScheduler(CoreSettings settings, NaivePolicy policy) {
    this.state =
        new NaiveState(
            policy.joinsByItself() ? settings.withoutWindow() : settings, policy.mixesClasses());
    this.policy = policy;
  }

  /**
   * The twin of {@code dynamic} with other weights.
   *
   * @param weights all of them
   */
  public static NaiveScheduler ofDynamic(CoreSettings settings, Map<String, Double> weights) {
    return new NaiveScheduler(settings, new NaiveDynamic(weights));
  }

  /**
   * Applies what comes at one moment.
   *
   * @param toFollow what the core started, whose names are taken over
   */
  public List<Start> apply(long atNs, Step step, List<BatchDispatched> toFollow) {
    ends.clear();
    if (sources > 0) {
      state.leaseNs +=
          Math.min(
              Math.max(0, timeNs(atNs, step) - state.nowNs), state.settings.leases().heartbeatNs());
    }
    if (sources > 0 || step.facts().stream().anyMatch(RunStarted.class::isInstance)) {
      state.nowNs = Math.max(state.nowNs, timeNs(atNs, step));
    }
    state.ratesAtNs = state.nowNs;
    step.facts().forEach(this::take);
    step.jobs().forEach(this::take);
    findFirsts();
    if (sources == 0) {
      return List.of();
    }
    loseWhatIsDue();
    policy.timePassed(state);
    state.waiting.stream().sorted(BY_ENTRY).toList().forEach(this::dropIfItMust);
    List<Start> starts = new ArrayList<>();
    Held cancelled = null;
    while (true) {
      NaivePolicy.Dropped dropped = policy.drops(state);
      if (dropped != null) {
        dropped.jobs().forEach(w -> end(w, JobEnded.Status.DROPPED, "policy: " + dropped.word()));
        continue;
      }
      BatchDispatched followed =
          starts.size() < toFollow.size() ? toFollow.get(starts.size()) : null;
      Held chosen = policy.choose(state, followed);
      Held victim = chosen == null ? policy.cancels(state) : null;
      if (victim != null) {
        cancelled = victim;
        state.only = new LaneOf(state.executor(victim.start.executorId()), victim.start.lane());
        victim.lost = true;
        victim.cancelled = true;
        victim.onLane = false;
        victim.jobs.stream()
            .filter(w -> !w.ended && w.runs && w.batch == victim)
            .forEach(this::goBack);
        continue;
      }
      if (chosen == null) {
        Set<Cause> causes = state.waiting.isEmpty() ? Set.of() : policy.blockedBy(state);
        if (cancelled != null) {
          resume(cancelled);
        }
        noteBlocked(causes);
        return starts;
      }
      cancelled = null;
      state.only = null;
      starts.add(chosen.start);
      if (chosen.jobs.isEmpty()) {
        return starts;
      }
      start(chosen);
      policy.started(state, chosen);
    }
  }

  /** A cancelled batch goes on, since no other took its lane. */
  private void resume(Held held) {
    state.only = null;
    held.lost = false;
    held.cancelled = false;
    held.onLane = true;
    for (Waiting job : held.jobs) {
      if (state.waiting.contains(job)) {
        leave(job);
        job.runs = true;
        job.batch = held;
      }
    }
  }

  /** Within a millisecond the sender's own note counts, for a policy that joins jobs itself. */
  private long timeNs(long atNs, Step step) {
    if (policy.joinsByItself() && step.facts().size() == 1 && step.jobs().isEmpty()) {
      Fact fact = step.facts().get(0);
      Long noted =
          fact instanceof JobRequested job
              ? Long.valueOf(job.sentAtNs())
              : fact instanceof BatchCompleted done
                  ? done.finishedAtNs()
                  : fact instanceof Ticked tick ? tick.sentAtNs() : null;
      if (noted != null && noted > atNs && noted < atNs + 1_000_000) {
        return noted;
      }
    }
    return atNs;
  }

  private void start(Held chosen) {
    for (Waiting job : chosen.jobs) {
      leave(job);
      state.executors.forEach(
          e -> e.passedOver.removeIf(p -> p.group().equals(NaiveState.group(job.spec))));
      job.runs = true;
      job.batch = chosen;
    }
    chosen.startedNs = state.nowNs;
    state.unanswered.add(chosen);
    for (int i = 0; i < chosen.start.lanes(); i++) {
      state
          .executor(chosen.start.executorId())
          .resident
          .put(chosen.start.lane() + i, chosen.jobs.get(0).spec.workload());
    }
    findFirsts();
    Executor executor = state.executor(chosen.start.executorId());
    if (policy.reservesTokens()) {
      for (Waiting w : state.waiting) {
        if (state.tokens(w.spec) > state.rawFreeTokens(executor)
            && state.couldHold(executor, w.spec)
            && executor.passedOver.stream()
                .noneMatch(p -> p.group().equals(NaiveState.group(w.spec)))) {
          executor.passedOver.add(
              new PassedOver(
                  NaiveState.group(w.spec),
                  state.tokens(w.spec),
                  state.nowNs,
                  state.nowNs + w.spec.sloNs()));
        }
      }
    }
  }

  /** It waits no more; a group in which none does is passed over nowhere. */
  private void leave(Waiting job) {
    state.waiting.remove(job);
    if (state.waiting.stream()
        .noneMatch(w -> NaiveState.group(w.spec).equals(NaiveState.group(job.spec)))) {
      state.executors.forEach(
          e -> e.passedOver.removeIf(p -> p.group().equals(NaiveState.group(job.spec))));
    }
  }

  public List<End> ends() {
    return List.copyOf(ends);
  }

  public List<Blocked> blocked() {
    return blocked;
  }

  /** Whether it would start, drop or lose something if nothing but time passed. */
  public boolean hasSomethingToDoAt(long atNs) {
    long before = state.nowNs;
    long leaseBefore = state.leaseNs;
    state.leaseNs +=
        Math.min(Math.max(0, atNs - state.nowNs), state.settings.leases().heartbeatNs());
    state.nowNs = atNs;
    boolean loses =
        state.executors.stream()
            .anyMatch(e -> expired(e) && state.heldOn(e).anyMatch(h -> !h.lost));
    boolean hangs = state.unanswered.stream().anyMatch(this::overdue);
    boolean drops = state.waiting.stream().anyMatch(w -> dropReason(w) != null);
    boolean starts = policy.wouldAct(state);
    state.nowNs = before;
    state.leaseNs = leaseBefore;
    return sources > 0 && (loses || hangs || drops || starts);
  }

  private void take(JobSpec spec) {
    if (spec.index() > highest.getOrDefault(spec.source(), -1L)) {
      highest.put(spec.source(), spec.index());
      Waiting job = new Waiting(spec, entries++, state.nowNs);
      if (!runEnded()
          && sources > 0
          && state.overBudget(spec)
          && !state.settings.placing().cpuFallback()) {
        end(job, JobEnded.Status.DROPPED, "over_budget");
      } else if (!runEnded() && state.waiting.size() >= state.settings.bounds().maxWaiting()) {
        end(job, JobEnded.Status.DROPPED, "queue_full");
      } else {
        state.waiting.add(job);
        state.arrivals.add(new NaiveState.Arrival(spec, state.nowNs));
      }
    }
  }

  private void take(Fact fact) {
    if (fact instanceof BatchCompleted completion) {
      complete(completion);
    } else if (fact instanceof ExecutorReported report) {
      report(report);
    } else if (fact instanceof PredictionsPublished table) {
      state.predictions.publish(table, state.executors.stream().map(e -> e.report).toList());
    } else if (fact instanceof RunStarted start && sources == 0) {
      sources = start.generators();
      Long endNsMax = start.arrivalsEndAtNsMax();
      arrivalsEndAtNsMax = endNsMax == null ? Long.MAX_VALUE : endNsMax;
    } else if (fact instanceof ArrivalsEnded end) {
      sourcesEnded.add(end.generator());
    }
  }

  private boolean runEnded() {
    boolean overdue =
        arrivalsEndAtNsMax < Long.MAX_VALUE && state.nowNs - arrivalsEndAtNsMax > 10_000_000_000L;
    return sources > 0 && (sourcesEnded.size() >= sources || overdue);
  }

  private void complete(BatchCompleted completion) {
    Held held =
        state.unanswered.stream()
            .filter(h -> h.name.equals(completion.dispatchId()))
            .findFirst()
            .orElse(null);
    boolean refused = completion.result() == BatchCompleted.Result.REFUSED;
    boolean isKnown =
        held != null && (held.onLane || !held.lost || held.jobs.stream().anyMatch(w -> !w.ended));
    if (held != null) {
      if (held.onLane) {
        for (int lane = held.start.lane(); lane < held.start.lane() + held.start.lanes(); lane++) {
          if (state.heldOn(state.executor(held.start.executorId()), lane).get(0) == held) {
            state.executor(held.start.executorId()).freedNs.put(lane, state.nowNs);
          }
        }
      }
      state.unanswered.remove(held);
      List<Waiting> left = held.jobs.stream().filter(w -> !w.ended).toList();
      switch (completion.result()) {
        case DONE -> {
          if (!held.lost && !left.isEmpty()) {
            learn(held, completion.serviceNs());
          }
          if (!held.lost && !left.isEmpty()) {
            policy.completed(state, held, completion);
          }
          left.stream()
              .filter(w -> held.cancelled && !w.runs)
              .forEach(w -> w.attempts++); // it ended before it could be cancelled
          left.forEach(w -> end(w, JobEnded.Status.DONE, ""));
        }
        case FAILED -> {
          if (!held.lost) {
            left.forEach(w -> end(w, JobEnded.Status.FAILED, completion.cause()));
          }
        }
        case REFUSED, CANCELLED -> {
          if (!held.lost) {
            left.forEach(this::goBack);
          }
        }
      }
    }
    Executor executor =
        state.executors.stream()
            .filter(e -> e.report.executorId().equals(completion.executorId()))
            .findFirst()
            .orElse(null);
    if (executor != null && executor.report.incarnation() == completion.incarnation()) {
      if (!refused) {
        executor.refusing.remove(completion.lane());
      } else if (isKnown && "busy".equals(completion.cause())) {
        executor.refusing.add(completion.lane());
      }
    }
  }

  private void goBack(Waiting job) {
    job.runs = false;
    state.waiting.add(job);
  }

  private void end(Waiting job, JobEnded.Status status, String reason) {
    ends.add(new End(job.spec.id(), status, reason, job.attempts + (job.runs ? 1 : 0)));
    job.ended = true;
    leave(job);
  }

  private void learn(Held held, long serviceNs) {
    Mean mean =
        state
            .means
            .computeIfAbsent(
                NaiveState.key(state.executor(held.start.executorId()), held.jobs.get(0).spec),
                k -> new TreeMap<>())
            .computeIfAbsent(held.samples, k -> new Mean());
    mean.count++;
    mean.ns += (serviceNs - mean.ns) / mean.count;
    state.predictions.completed(
        state.executor(held.start.executorId()).report.deviceKind(),
        NaivePredictions.model(held.jobs.get(0).spec),
        held.samples,
        held.predicted.busyLanes(),
        held.predicted.meanNs(),
        held.judged ? held.predicted.boundsNs() : null,
        serviceNs);
  }

  private void report(ExecutorReported report) {
    Executor known =
        state.executors.stream()
            .filter(e -> e.report.executorId().equals(report.executorId()))
            .findFirst()
            .orElse(null);
    if (known == null) {
      if (!report.leaving()) {
        known = new Executor(report);
        known.reportedLeaseNs = state.leaseNs;
        state.executors.add(known);
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
      state.heldOn(gone).toList().forEach(h -> h.onLane = false);
      known.refusing.clear();
      known.resident.clear();
      known.freedNs.replaceAll((lane, ns) -> state.nowNs);
    }
    known.report = report;
    findFreed(known);
    known.reportedLeaseNs = state.leaseNs;
    known.lost = false;
    for (ExecutorReported.Lane lane : report.lanes()) {
      if (lane.holds().isEmpty()) {
        known.refusing.remove((Object) lane.index());
      }
    }
    for (Executor executor : state.executors) {
      executor.passedOver.removeIf(
          p ->
              state.waiting.stream()
                  .filter(w -> NaiveState.group(w.spec).equals(p.group()))
                  .anyMatch(w -> !state.couldHold(executor, w.spec)));
    }
  }

  /** A new lane is free from now on. */
  private void findFreed(Executor executor) {
    for (int lane = 0; lane < executor.report.lanes().size(); lane++) {
      executor.freedNs.putIfAbsent(lane, state.nowNs);
    }
  }

  /** The batches that hold a lane of the executor and match are lost. */
  private void lose(Executor executor, Predicate<Held> matches) {
    for (Held held : state.heldOn(executor).filter(h -> !h.lost && matches.test(h)).toList()) {
      held.lost = true;
      for (Waiting job : held.jobs) {
        if (!job.ended && job.attempts + 1 == state.settings.leases().maxAttempts()) {
          end(job, JobEnded.Status.FAILED, "lane_lost");
        } else if (!job.ended) {
          job.attempts++;
          goBack(job);
        }
      }
    }
  }

  private void loseWhatIsDue() {
    for (Executor executor : state.executors) {
      if (expired(executor)) {
        executor.lost = true;
        lose(executor, h -> true);
      }
    }
    for (Held held : state.unanswered.stream().filter(this::overdue).toList()) {
      lose(
          state.executor(held.start.executorId()),
          h ->
              IntStream.range(0, held.start.lanes())
                  .anyMatch(i -> h.start.holds(held.start.lane() + i)));
    }
  }

  private boolean expired(Executor executor) {
    return executor.joined()
        && !executor.lost
        && state.leaseNs - executor.reportedLeaseNs >= state.settings.leases().leaseNs();
  }

  private boolean overdue(Held held) {
    return held.onLane
        && !held.lost
        && held.firstNs >= 0
        && state.settings.leases().leaseNs() < Long.MAX_VALUE
        && state.leaseNs - held.firstLeaseNs
            >= Math.max(10_000_000_000L, 10 * held.predicted.meanNs());
  }

  /** Notes of each batch when it came first on its lane. */
  private void findFirsts() {
    for (Held held : state.unanswered) {
      boolean isFirst =
          state.heldOn(state.executor(held.start.executorId()), held.start.lane()).stream()
                  .findFirst()
                  .orElse(null)
              == held;
      if (isFirst && held.firstNs < 0) {
        held.firstNs = state.nowNs;
        held.firstLeaseNs = state.leaseNs;
      }
    }
  }

  private void noteBlocked(Set<Cause> causes) {
    Cause cause = null;
    boolean anyIdle =
        state.executors.stream()
            .anyMatch(
                e ->
                    IntStream.range(0, e.report.lanes().size())
                        .anyMatch(l -> state.takesAt(e, l) == 0));
    if (anyIdle && !state.waiting.isEmpty()) {
      cause =
          Stream.of(Cause.POLICY, Cause.TOKENS, Cause.LANE, Cause.WINDOW, Cause.CAPABILITY)
              .filter(causes::contains)
              .findFirst()
              .orElseThrow();
      cause = cause == Cause.LANE ? null : cause;
    }
    if (cause != blockedCause) {
      if (blockedCause != null && state.nowNs - blockedSinceNs >= 1_000_000) {
        blocked.add(
            new Blocked(blockedSinceNs, state.nowNs, Blocked.Cause.valueOf(blockedCause.name())));
      }
      blockedCause = cause;
      blockedSinceNs = state.nowNs;
    }
  }

  private void dropIfItMust(Waiting w) {
    String reason = dropReason(w);
    if (reason != null) {
      end(w, JobEnded.Status.DROPPED, reason);
    }
  }

  private String dropReason(Waiting w) {
    if (runEnded()) {
      return "run_ended";
    }
    if (state.overBudget(w.spec) && !state.settings.placing().cpuFallback()) {
      return "over_budget";
    }
    if (state.nowNs - w.appendedNs > state.settings.bounds().expireAfterNs()) {
      return "waited_too_long";
    }
    if (state.settings.admission() == Admission.EXPIRED && state.nowNs > w.spec.deadlineNs()) {
      return "expired";
    }
    if (state.settings.admission() == Admission.HOPELESS) {
      long fastestNs =
          state
              .joined()
              .filter(e -> NaiveState.canRun(e, w.spec))
              .mapToLong(e -> state.boundNs(e, w.spec, w.spec.samples(), 1))
              .min()
              .orElse(0);
      return state.nowNs + fastestNs > w.spec.deadlineNs() ? "hopeless" : null;
    }
    return null;
  }
}
