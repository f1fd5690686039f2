package dev.sluice.scheduling.policies;

import dev.sluice.scheduling.policies.NexusPolicy.NexusPlan.LanePlan;
import dev.sluice.scheduling.policies.NexusPolicy.NexusPlan.Session;
import dev.sluice.scheduling.policies.NexusPolicy.NexusPlan.Share;
import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.Memory;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.CompatibleSet;
import dev.sluice.scheduling.policy.SchedulerState.Job;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import dev.sluice.scheduling.policy.SchedulerState.Walk;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.policy.SchedulingPolicy.Happening;
import dev.sluice.scheduling.policy.Weight;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.IntToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Planned batch sizes and early drop: from the measured rates a plan gives each lane some sessions
 * and their batch sizes (a session alone on its lane its largest one, since no other session waits
 * for it); a lane runs its sessions in turn, without waiting, and gives jobs up that would not end
 * in time in a batch of the planned size (Nexus: Shen et al., SOSP 2019).
 */
final class NexusPolicy implements SchedulingPolicy {
  /** lazy_drop: 1 to give jobs up only when they would be late even alone. */
  static final List<Weight> PARAMETERS = List.of(new Weight("lazy_drop", 0, 0, 1));

  private static final String PLANNED_AT = "planned_at_ms";
  private static final double FIRST_PLAN_MS = 1_000;
  private static final double EPOCH_MS = 30_000;
  private static final double EPOCH_MS_MIN = 10_000;
  private static final double RATE_FELL = 0.8;
  private static final double RATE_ROSE = 1.1;

  private final boolean lazyDrop;

  NexusPolicy(Map<String, Double> parameters) {
    lazyDrop = Weight.in(parameters, "lazy_drop") >= 0.5;
  }

  @Override
  public Needs needs() {
    return Needs.of(
        JobOrder.DEADLINE,
        Need.DEADLINES,
        Need.ESTIMATES,
        Need.JOINING,
        Need.DROPPING,
        Need.MEMORY,
        Need.RATES);
  }

  // --- the plan

  @Override
  public void remember(Memory memory, Happening what, SchedulerState state) {
    if (what instanceof Happening.TimePassed && mustPlan(memory, state)) {
      plan(memory, state);
    } else if (what instanceof Happening.Applied applied
        && applied.choice() instanceof Choice.Start start) {
      Lane lane = start.lanes().get(0);
      String set = start.batch().get(0).group().set().name();
      List<Planned> sessions = sessions(state, lane);
      for (int i = 0; i < sessions.size(); i++) {
        if (sessions.get(i).set.name().equals(set)) {
          memory.set(Queues.nameOf("turn", lane), i + 1);
        }
      }
    }
  }

  private static boolean mustPlan(Memory memory, SchedulerState state) {
    double nowMs = state.nowNs() / 1e6;
    double plannedAtMs = memory.get(PLANNED_AT, Double.NaN);
    if (Double.isNaN(plannedAtMs)) {
      double beganAtMs = memory.get("began_at_ms", Double.NaN);
      if (Double.isNaN(beganAtMs)) {
        if (state.waiting() > 0) {
          memory.set("began_at_ms", nowMs);
        }
        return false;
      }
      return nowMs - beganAtMs >= FIRST_PLAN_MS;
    }
    if (nowMs - plannedAtMs < EPOCH_MS_MIN) {
      return false;
    }
    return nowMs - plannedAtMs >= EPOCH_MS || ratesHaveChanged(memory, state);
  }

  private static boolean ratesHaveChanged(Memory memory, SchedulerState state) {
    for (CompatibleSet set : state.allSets()) {
      double rate = set.arrivalsPerSecond();
      double planned = memory.get("rate/" + set.name(), 0);
      if (rate < RATE_FELL * planned || rate > RATE_ROSE * planned) {
        return true;
      }
    }
    return false;
  }

  private static void plan(Memory memory, SchedulerState state) {
    memory.forget("plan/");
    memory.forget("planned/");
    memory.forget("rate/");
    memory.forget("turn/");
    memory.set(PLANNED_AT, state.nowNs() / 1e6);
    List<Session> sessions = new ArrayList<>();
    for (CompatibleSet set : state.allSets()) {
      double perSecond = set.arrivalsPerSecond();
      Lane lane = Queues.anyLane(state, set);
      if (lane != null && perSecond > 0) {
        memory.set("rate/" + set.name(), perSecond);
        sessions.add(
            new Session(
                set.name(),
                perSecond / 1e3,
                set.promiseNs() / 1e6,
                samples -> state.predictedNs(set, samples, lane) / 1e6,
                set.samplesMax()));
      }
    }
    List<? extends Lane> lanes = state.lanes();
    List<LanePlan> plans = NexusPlan.pack(sessions, lanes.size());
    for (int i = 0; i < plans.size(); i++) {
      List<Share> shares = plans.get(i).shares();
      for (int place = 0; place < shares.size(); place++) {
        Share share = shares.get(place);
        String set = share.session().name();
        int samples = shares.size() == 1 ? share.session().largestAtHalf() : share.samples();
        memory.set(Queues.nameOf("plan", lanes.get(i)) + "/%03d/".formatted(place) + set, samples);
        memory.set("planned/" + set, 1);
      }
    }
  }

  // --- the lanes

  /** A session of a lane with its batch size; 0 samples: as many as half of the promise takes. */
  private record Planned(CompatibleSet set, int samples) {}

  /** Returns the sessions that a lane runs in turn: those of its plan, then those of no plan. */
  private static List<Planned> sessions(SchedulerState state, Lane lane) {
    List<Planned> sessions = new ArrayList<>();
    String prefix = Queues.nameOf("plan", lane) + "/";
    Map<String, Double> plan = state.rememberedWithPrefix(prefix);
    List<? extends CompatibleSet> sets = state.allSets();
    for (Map.Entry<String, Double> entry : plan.entrySet()) {
      String name = entry.getKey().substring(prefix.length());
      String set = name.substring(name.indexOf('/') + 1);
      for (int i = 0; i < sets.size(); i++) {
        if (sets.get(i).name().equals(set)) {
          sessions.add(new Planned(sets.get(i), entry.getValue().intValue()));
        }
      }
    }
    boolean isLeftOver = plan.isEmpty();
    for (int i = 0; i < sets.size(); i++) {
      if (isLeftOver || state.remembered("planned/" + sets.get(i).name(), 0) == 0) {
        sessions.add(new Planned(sets.get(i), 0));
      }
    }
    return sessions;
  }

  @Override
  public Choice choose(SchedulerState state) {
    List<Lane> idle = new ArrayList<>(state.idleLanes());
    idle.sort(Comparator.comparingLong(Lane::idleSinceNs));
    for (int i = 0; i < idle.size(); i++) {
      Lane lane = idle.get(i);
      List<Planned> sessions = sessions(state, lane);
      int turn = (int) state.remembered(Queues.nameOf("turn", lane), 0);
      for (int j = 0; j < sessions.size(); j++) {
        Planned session = sessions.get((turn + j) % sessions.size());
        Choice choice = session.set.waiting() == 0 ? null : run(state, lane, session);
        if (choice != null) {
          return choice;
        }
      }
    }
    Choice drop = Queues.dropLate(state);
    return drop != null ? drop : Queues.nothingUntil(state, Queues.nextLateNs(state));
  }

  private @Nullable Choice run(SchedulerState state, Lane lane, Planned session) {
    CompatibleSet set = session.set;
    Job head = Queues.first(set, JobOrder.DEADLINE);
    if (!state.mayStartOn(lane, head.group())) {
      return null;
    }
    int planned = session.samples;
    if (planned == 0) {
      planned = Math.max(1, state.largestWithin(set, lane, set.promiseNs() / 2));
    }
    return lazyDrop ? runLazily(state, lane, set, planned) : runEarly(state, lane, set, planned);
  }

  private static Choice runLazily(SchedulerState state, Lane lane, CompatibleSet set, int planned) {
    long aloneNs = state.nowNs() + state.predictedNs(set, 1, lane);
    if (set.firstKey(JobOrder.DEADLINE) < aloneNs) {
      return Choice.drop(Queues.due(set, JobOrder.DEADLINE, aloneNs), "late");
    }
    Job head = Queues.first(set, JobOrder.DEADLINE);
    int most = state.largestWithin(set, lane, head.deadlineNs() - state.nowNs());
    return Queues.start(state, head, lane, JobOrder.DEADLINE, Math.max(1, Math.min(planned, most)));
  }

  private static Choice runEarly(SchedulerState state, Lane lane, CompatibleSet set, int planned) {
    long left = Queues.samplesWaiting(set);
    int size = (int) Math.min(planned, left);
    long endNs = state.nowNs() + state.predictedNs(set, Math.max(1, size), lane);
    int taken = 0;
    Job first = null;
    List<Job> dropped = new ArrayList<>();
    Walk walk = set.walk(JobOrder.DEADLINE);
    for (Job job = walk.next();
        job != null && taken < size && dropped.size() < Queues.DROP_MAX;
        job = walk.next()) {
      left -= job.group().samples();
      if (job.deadlineNs() < endNs) {
        dropped.add(job);
      } else {
        first = first == null ? job : first;
        taken += job.group().samples();
      }
      if (taken + left < size) {
        size = (int) (taken + left);
        endNs = state.nowNs() + state.predictedNs(set, Math.max(1, size), lane);
      }
    }
    return !dropped.isEmpty() || first == null
        ? Choice.drop(dropped, "late")
        : Queues.start(state, first, lane, JobOrder.DEADLINE, size);
  }

  /**
   * The packing of sessions (a model at a rate, with a promise) onto lanes: Nexus's squishy bin
   * packing (Shen et al., "Nexus: A GPU Cluster Engine for Accelerating DNN-Based Video Analysis",
   * SOSP 2019, section 6.1). All times are in milliseconds, all rates per millisecond.
   */
  static final class NexusPlan {
    private static final double EPSILON = 1e-3;

    private NexusPlan() {}

    /**
     * Jobs of one model and promise.
     *
     * @param serviceMs service time by the number of samples
     * @param samplesMax most samples of a batch
     */
    record Session(
        String name, double rate, double promiseMs, IntToDoubleFunction serviceMs, int samplesMax) {
      double serviceMs(int samples) {
        return serviceMs.applyAsDouble(samples);
      }

      /** Returns the largest batch that takes at most half of the promise; 0: none does. */
      int largestAtHalf() {
        return largest(samples -> serviceMs(samples) <= promiseMs / 2);
      }

      /** Returns the largest batch that gathers and runs within the promise; 0: none does. */
      int largestGathered(double atRate) {
        return Math.min(
            largestAtHalf(),
            largest(samples -> (samples - 1) / atRate + serviceMs(samples) <= promiseMs));
      }

      private int largest(java.util.function.IntPredicate fits) {
        int most = 0;
        while (most < samplesMax && fits.test(most + 1)) {
          most++;
        }
        return most;
      }
    }

    /** A session's share of a lane. */
    record Share(Session session, double rate, int samples) {}

    /**
     * A lane's shares, which it runs one after the other in each duty cycle.
     *
     * @param dutyMs duration of the cycle
     */
    record LanePlan(double dutyMs, List<Share> shares) {
      double occupancy() {
        return shares.stream().mapToDouble(s -> s.session.serviceMs(s.samples)).sum() / dutyMs;
      }
    }

    /**
     * Packs the sessions, of those that are left the one with the highest rate first.
     *
     * @param lanes number of equal lanes; what they cannot carry is left out
     */
    static List<LanePlan> pack(List<Session> sessions, int lanes) {
      List<LanePlan> plan = new ArrayList<>();
      double[] left = sessions.stream().mapToDouble(Session::rate).toArray();
      while (true) {
        int most = 0;
        for (int i = 1; i < left.length; i++) {
          most = left[i] > left[most] ? i : most;
        }
        if (left.length == 0 || left[most] <= 1e-9) {
          return plan;
        }
        left[most] = place(plan, sessions.get(most), left[most], lanes);
      }
    }

    /** Places some of a session's rate, and returns what is left to place; 0 if no lane is left. */
    private static double place(List<LanePlan> plan, Session session, double rate, int lanes) {
      int half = session.largestAtHalf();
      if (half == 0) {
        return 0;
      }
      double whole = half / session.serviceMs(half);
      if (rate >= whole) {
        if (plan.size() < lanes) {
          plan.add(new LanePlan(session.serviceMs(half), List.of(new Share(session, whole, half))));
          return rate - whole;
        }
        return 0;
      }
      int best = -1;
      LanePlan joined = null;
      for (int i = 0; i < plan.size(); i++) {
        LanePlan with = join(plan.get(i), session, rate);
        if (with != null && (joined == null || with.occupancy() > joined.occupancy())) {
          best = i;
          joined = with;
        }
      }
      if (joined != null) {
        plan.set(best, joined);
      } else if (plan.size() < lanes) {
        plan.add(alone(session, rate));
      }
      return 0;
    }

    private static LanePlan alone(Session session, double rate) {
      int samples = Math.max(1, session.largestGathered(rate));
      double dutyMs = Math.min(session.promiseMs - session.serviceMs(samples), samples / rate);
      return new LanePlan(dutyMs, List.of(new Share(session, rate, samples)));
    }

    /**
     * Returns the lane with one more session at the shorter duty cycle; null: it carries no more.
     */
    private static @Nullable LanePlan join(LanePlan lane, Session session, double rate) {
      LanePlan alone = alone(session, rate);
      double dutyMs = Math.min(lane.dutyMs, alone.dutyMs);
      List<Share> shares = new ArrayList<>();
      double busyMs = 0;
      List<Share> both = new ArrayList<>(lane.shares);
      both.addAll(alone.shares);
      for (Share share : both) {
        int samples = Math.max(1, (int) Math.ceil(dutyMs * share.rate - EPSILON));
        busyMs += share.session.serviceMs(samples);
        if (samples > Math.max(1, share.session.largestAtHalf()) || busyMs > dutyMs) {
          return null;
        }
        shares.add(new Share(share.session, share.rate, samples));
      }
      return new LanePlan(dutyMs, List.copyOf(shares));
    }
  }
}
