package dev.sluice.scheduling.naive;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.scheduling.naive.NaiveState.Held;
import dev.sluice.scheduling.naive.NaiveState.JobSetOf;
import dev.sluice.scheduling.naive.NaiveState.LaneOf;
import dev.sluice.scheduling.naive.NaiveState.Waiting;
import dev.sluice.scheduling.policy.JobSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The twin of {@code nexus} at its defaults. Sets are known by their first job. */
final class NaiveNexus extends NaiveJoining {
  private static final int UNPLANNED = 0;

  /** A set with its planned batch. */
  private record Planned(JobSpec set, double ratePerMs, int samples) {}

  private static final class Lane {
    double dutyMs;
    List<Planned> sets = new ArrayList<>();
  }

  private final Map<List<Object>, Integer> turns = new HashMap<>();
  private final Map<List<Object>, List<Planned>> plan = new HashMap<>();
  private final Map<JobSpec, Double> plannedRates = new HashMap<>();
  private double beganAtMs = Double.NaN;
  private double plannedAtMs = Double.NaN;

  private static List<Object> key(LaneOf lane) {
    return List.of(lane.executor().report.executorId(), lane.index());
  }

  private static JobSpec first(JobSetOf set) {
    return set.known().stream().findFirst().orElseThrow();
  }

  // --- the plan

  @Override
  public void timePassed(NaiveState state) {
    double nowMs = state.nowNs / 1e6;
    boolean due;
    if (!Double.isNaN(plannedAtMs)) {
      due =
          nowMs - plannedAtMs >= 30_000
              || (nowMs - plannedAtMs >= 10_000
                  && state.allSets().stream().anyMatch(set -> hasChanged(state, set)));
    } else if (!Double.isNaN(beganAtMs)) {
      due = nowMs - beganAtMs >= 1_000;
    } else {
      beganAtMs = state.waiting.isEmpty() ? Double.NaN : nowMs;
      due = false;
    }
    if (due) {
      plannedAtMs = nowMs;
      makePlan(state);
    }
  }

  private boolean hasChanged(NaiveState state, JobSetOf set) {
    double rate = state.arrivalsPerSecond(set);
    double planned = plannedRates.getOrDefault(first(set), 0.0);
    return rate < 0.8 * planned || rate > 1.1 * planned;
  }

  private void makePlan(NaiveState state) {
    plan.clear();
    plannedRates.clear();
    turns.clear();
    Map<JobSpec, Double> left = new HashMap<>();
    List<JobSetOf> sets = state.allSets();
    for (JobSetOf set : sets) {
      double rate = state.arrivalsPerSecond(set);
      if (state.anyLane(first(set)) != null && rate > 0) {
        plannedRates.put(first(set), rate);
        left.put(first(set), rate / 1e3);
      }
    }
    List<LaneOf> lanes =
        state
            .joined()
            .flatMap(
                e -> IntStream.range(0, e.report.lanes().size()).mapToObj(i -> new LaneOf(e, i)))
            .toList();
    List<Lane> used = new ArrayList<>();
    while (true) {
      JobSetOf next =
          sets.stream()
              .filter(set -> left.getOrDefault(first(set), 0.0) > 1e-9)
              .max(
                  Comparator.comparingDouble((JobSetOf set) -> left.get(first(set)))
                      .thenComparing(set -> -sets.indexOf(set)))
              .orElse(null);
      if (next == null) {
        break;
      }
      left.put(first(next), place(state, used, next, left.get(first(next)), lanes.size()));
    }
    for (int i = 0; i < used.size(); i++) {
      List<Planned> of = used.get(i).sets;
      if (of.size() == 1) {
        Planned alone = of.get(0);
        JobSetOf set =
            sets.stream().filter(s -> first(s).equals(alone.set)).findFirst().orElseThrow();
        of = List.of(new Planned(alone.set, alone.ratePerMs, half(state, set)));
      }
      plan.put(key(lanes.get(i)), of);
    }
  }

  private static double ms(NaiveState state, JobSpec job, int samples) {
    return state.serviceNs(state.anyLane(job), job, samples) / 1e6;
  }

  private static int half(NaiveState state, JobSetOf set) {
    int b = 0;
    while (b < state.samplesMax(set)
        && ms(state, first(set), b + 1) <= first(set).sloNs() / 1e6 / 2) {
      b++;
    }
    return b;
  }

  private static double place(
      NaiveState state, List<Lane> used, JobSetOf set, double rate, int lanes) {
    int half = half(state, set);
    JobSpec job = first(set);
    if (half == 0) {
      return 0;
    }
    double whole = half / ms(state, job, half);
    if (rate >= whole) {
      if (used.size() == lanes) {
        return 0;
      }
      Lane lane = new Lane();
      lane.dutyMs = ms(state, job, half);
      lane.sets.add(new Planned(job, whole, half));
      used.add(lane);
      return rate - whole;
    }
    Lane alone = alone(state, set, rate, half);
    Lane best = null;
    int at = -1;
    for (int i = 0; i < used.size(); i++) {
      Lane joined = join(state, used.get(i), alone);
      if (joined != null && (best == null || busy(state, joined) > busy(state, best))) {
        best = joined;
        at = i;
      }
    }
    if (best != null) {
      used.set(at, best);
    } else if (used.size() < lanes) {
      used.add(alone);
    }
    return 0;
  }

  private static double busy(NaiveState state, Lane lane) {
    return lane.sets.stream().mapToDouble(p -> ms(state, p.set, p.samples)).sum() / lane.dutyMs;
  }

  private static Lane alone(NaiveState state, JobSetOf set, double rate, int half) {
    JobSpec job = first(set);
    double promiseMs = job.sloNs() / 1e6;
    int gathered = 0;
    while (gathered < state.samplesMax(set)
        && gathered / rate + ms(state, job, gathered + 1) <= promiseMs) {
      gathered++;
    }
    int samples = Math.max(1, Math.min(half, gathered));
    Lane lane = new Lane();
    lane.dutyMs = Math.min(promiseMs - ms(state, job, samples), samples / rate);
    lane.sets.add(new Planned(job, rate, samples));
    return lane;
  }

  private static Lane join(NaiveState state, Lane a, Lane b) {
    Lane joined = new Lane();
    joined.dutyMs = Math.min(a.dutyMs, b.dutyMs);
    double busyMs = 0;
    List<Planned> all = new ArrayList<>(a.sets);
    all.addAll(b.sets);
    for (Planned p : all) {
      int samples = Math.max(1, (int) Math.ceil(joined.dutyMs * p.ratePerMs - 1e-3));
      busyMs += ms(state, p.set, samples);
      JobSetOf set =
          state.allSets().stream().filter(s -> first(s).equals(p.set)).findFirst().orElseThrow();
      if (samples > Math.max(1, half(state, set)) || busyMs > joined.dutyMs) {
        return null;
      }
      joined.sets.add(new Planned(p.set, p.ratePerMs, samples));
    }
    return joined;
  }

  // --- the lanes

  private List<Planned> sessions(NaiveState state, LaneOf lane) {
    List<Planned> own = plan.getOrDefault(key(lane), List.of());
    List<Planned> sessions = new ArrayList<>(own);
    for (JobSetOf set : state.allSets()) {
      boolean isPlanned =
          plan.values().stream().anyMatch(l -> l.stream().anyMatch(p -> p.set.equals(first(set))));
      if (own.isEmpty() || !isPlanned) {
        sessions.add(new Planned(first(set), 0, UNPLANNED));
      }
    }
    return sessions;
  }

  @Override
  public void started(NaiveState state, Held held) {
    LaneOf lane = new LaneOf(state.executor(held.start.executorId()), held.start.lane());
    List<Planned> sessions = sessions(state, lane);
    for (int i = 0; i < sessions.size(); i++) {
      if (state.mayShare(sessions.get(i).set, held.jobs.get(0).spec)) {
        turns.put(key(lane), i + 1);
      }
    }
  }

  private record Run(Dropped dropped, Waiting first, LaneOf lane, int samples) {}

  @Override
  public Dropped drops(NaiveState state) {
    Run run = run(state);
    if (run == null) {
      return state.late();
    }
    return run.dropped.jobs().isEmpty() ? null : run.dropped;
  }

  @Override
  public Held choose(NaiveState state, BatchDispatched followed) {
    Run run = run(state);
    return run == null || run.first == null
        ? null
        : state.fill(run.first, run.lane, NaiveState.BY_DEADLINE, run.samples, followed);
  }

  private Run run(NaiveState state) {
    List<LaneOf> idle =
        state.executors.stream()
            .flatMap(
                e -> IntStream.range(0, e.report.lanes().size()).mapToObj(i -> new LaneOf(e, i)))
            .filter(lane -> state.takesAt(lane.executor(), lane.index()) == 0)
            .sorted(Comparator.comparingLong(l -> l.executor().freedNs.get(l.index())))
            .toList();
    for (LaneOf lane : idle) {
      List<Planned> sessions = sessions(state, lane);
      int turn = turns.getOrDefault(key(lane), 0);
      for (int j = 0; j < sessions.size(); j++) {
        Planned session = sessions.get((turn + j) % sessions.size());
        JobSetOf set =
            state.sets().stream()
                .filter(s -> state.mayShare(first(s), session.set))
                .findFirst()
                .orElse(null);
        if (set != null
            && state.lanesFor(set.first(NaiveState.BY_DEADLINE)).anyMatch(l -> l.equals(lane))) {
          return run(state, lane, set, session.samples);
        }
      }
    }
    return null;
  }

  private static Run run(NaiveState state, LaneOf lane, JobSetOf set, int planned) {
    int most =
        planned == UNPLANNED
            ? Math.max(1, state.largestWithin(set, lane, first(set).sloNs() / 2))
            : planned;
    List<Waiting> left = new ArrayList<>(set.in(NaiveState.BY_DEADLINE));
    List<Waiting> late = new ArrayList<>();
    List<Waiting> taken = new ArrayList<>();
    int size = Math.min(most, samples(left));
    long endNs = state.nowNs + state.serviceNs(lane, set.spec(), Math.max(1, size));
    while (!left.isEmpty() && samples(taken) < size) {
      Waiting w = left.remove(0);
      (w.spec.deadlineNs() < endNs ? late : taken).add(w);
      if (samples(taken) + samples(left) < size) {
        size = samples(taken) + samples(left);
        endNs = state.nowNs + state.serviceNs(lane, set.spec(), Math.max(1, size));
      }
    }
    return new Run(new Dropped(late, "late"), taken.isEmpty() ? null : taken.get(0), lane, size);
  }

  private static int samples(List<Waiting> jobs) {
    return jobs.stream().mapToInt(w -> w.spec.samples()).sum();
  }
}
