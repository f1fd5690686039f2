package dev.sluice.scheduling.gates;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.JobRequested;
import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.CompatibleSet;
import dev.sluice.scheduling.policy.SchedulerState.Group;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import dev.sluice.scheduling.policy.SchedulerState.Resident;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The loads of {@code clockwork}, beside a plain reading of the paper's rule. */
final class ClockworkLoadsTwinTest {
  private static final double C_MS = 100;
  private static final List<String> MODELS = List.of("a", "b", "c", "d", "e");

  /** {@code clockwork}, whose loads are held to the rule in each state that it is asked in. */
  private static final class Held extends WatchedPolicy {
    private final int[] loads;

    Held(int[] loads) {
      super("clockwork");
      this.loads = loads;
    }

    @Override
    public Choice choose(SchedulerState state) {
      Choice choice = policy.choose(state);
      if (choice instanceof Choice.Start || choice instanceof Choice.Drop) {
        return choice; // loads come after batches and drops
      }
      Load load = load(state);
      if (choice instanceof Choice.Prepare prepare) {
        assertThat(load).isEqualTo(new Load(prepare.lane(), prepare.load(), prepare.release()));
        loads[0]++;
      } else {
        assertThat(load).as("a load that it passed over").isNull();
      }
      return choice;
    }
  }

  private record Load(Lane lane, List<CompatibleSet> sets, List<Resident> releases) {}

  private static @Nullable Load load(SchedulerState state) {
    for (Lane lane : state.lanes()) {
      if (lane.residents().stream().allMatch(Resident::isLoaded)) {
        Load load = load(state, lane);
        if (load != null) {
          return load;
        }
      }
    }
    return null;
  }

  private static @Nullable Load load(SchedulerState state, Lane lane) {
    Map<Lane, Double> outstanding = outstanding(state);
    CompatibleSet most = null;
    double mostMs = 0;
    for (CompatibleSet set : state.sets()) {
      if (state.resident(set, lane) != null) {
        continue;
      }
      double demandMs = 0;
      for (Group group : set.groups()) {
        double aloneMs = aloneMs(state, group, lane);
        double promiseMs = promiseMs(group);
        double withinMs = Math.min(25, promiseMs - state.loadNs(set, lane) / 1e6 - aloneMs - 15);
        demandMs += withinMs <= 0 ? 0 : group.waiting() * aloneMs * C_MS / withinMs;
      }
      for (Map.Entry<Lane, Double> share : shares(state, set, outstanding).entrySet()) {
        demandMs -= C_MS * share.getValue() / Math.max(1e-6, outstanding.get(share.getKey()));
      }
      if (demandMs > mostMs) {
        most = set;
        mostMs = demandMs;
      }
    }
    return most == null ? null : making(state, lane, most);
  }

  /** Models that nobody waits for go first, of those the one that was not used for longest. */
  private static @Nullable Load making(SchedulerState state, Lane lane, CompatibleSet set) {
    List<String> wanted = state.sets().stream().map(CompatibleSet::workload).toList();
    List<Resident> free =
        new ArrayList<>(
            lane.residents().stream().filter(r -> r.isLoaded() && !r.isInUse()).toList());
    free.sort(Comparator.comparing((Resident resident) -> wanted.contains(resident.workload())));
    long bytes = lane.freeBytes();
    List<Resident> releases = new ArrayList<>();
    while (bytes < state.memoryBytes(set, lane)) {
      if (free.isEmpty()) {
        return null;
      }
      Resident next = free.remove(0);
      releases.add(next);
      bytes += next.bytes();
    }
    return new Load(lane, List.of(set), releases);
  }

  /** What each lane has to do: first with equal shares, then with shares by what others have. */
  private static Map<Lane, Double> outstanding(SchedulerState state) {
    Map<Lane, Double> before = new HashMap<>();
    for (int pass = 0; pass < 2; pass++) {
      Map<Lane, Double> sum = new HashMap<>();
      state.lanes().forEach(lane -> sum.put(lane, 0.0));
      for (CompatibleSet set : state.sets()) {
        shares(state, set, before).forEach((lane, ms) -> sum.merge(lane, ms, Double::sum));
      }
      before = sum;
    }
    return before;
  }

  /** A set's work on each lane that holds its model, dealt by C / what the lane has to do. */
  private static Map<Lane, Double> shares(
      SchedulerState state, CompatibleSet set, Map<Lane, Double> outstanding) {
    Map<Lane, Double> weights = new HashMap<>();
    for (Lane lane : state.lanes()) {
      if (state.resident(set, lane) != null) {
        Double ms = outstanding.get(lane);
        weights.put(lane, ms == null ? 1 : C_MS / Math.max(1e-6, ms));
      }
    }
    double all = weights.values().stream().mapToDouble(weight -> weight).sum();
    Map<Lane, Double> shares = new HashMap<>();
    weights.forEach(
        (lane, weight) -> {
          double workMs = 0;
          for (Group group : set.groups()) {
            double withinMs = promiseMs(group) - 5;
            workMs +=
                withinMs <= 0 ? 0 : group.waiting() * aloneMs(state, group, lane) * C_MS / withinMs;
          }
          shares.put(lane, workMs * weight / all);
        });
    return shares;
  }

  private static double aloneMs(SchedulerState state, Group group, Lane lane) {
    return state.boundNs(group.set(), group.samples(), lane) / 1e6;
  }

  private static double promiseMs(Group group) {
    return group.first(JobOrder.ENTRY).spec().sloNs() / 1e6;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void loadsWhatTheRuleSays(int seed) {
    int[] loads = new int[1];
    Cell.Run run = run(seed, () -> new Held(loads));
    assertThat(run.loads).hasSizeGreaterThan(20);
    assertThat(loads[0]).as("loads that were compared").isEqualTo(run.loads.size());
  }

  /** Five models of two classes, on lanes that hold one or two of them. */
  static Cell.Run run(int seed, Supplier<SchedulingPolicy> policy) {
    Random random = new Random(seed);
    // times that do not come to equal sums, so that no rounding decides
    Cell cell =
        Cell.of("a", Cell.linear(1.037, 3.011), 1 + seed % 3).holding(1 + seed % 2, 4 + seed);
    for (String model : MODELS.subList(1, MODELS.size())) {
      cell.and(model, Cell.linear(1 + 2 * random.nextDouble(), 1 + 5 * random.nextDouble()));
    }
    List<JobRequested> jobs = new ArrayList<>();
    double atMs = 0;
    for (int i = 0; i < 1500; i++) {
      atMs += -Math.log(1 - random.nextDouble()) * 3;
      String model = MODELS.get(Math.min(random.nextInt(5), random.nextInt(5)));
      String type = random.nextBoolean() ? "class" : "bulk";
      double promiseMs = type.equals("class") ? 40 : 120;
      jobs.add(Cell.job(i, type, model, 1 + random.nextInt(2), promiseMs, atMs));
    }
    return cell.run(policy, jobs);
  }
}
