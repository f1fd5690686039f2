package dev.sluice.scheduling.gates;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.CompatibleSet;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import dev.sluice.scheduling.policy.SchedulerState.Resident;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The loads of {@code slack}, beside a plain reading of its rule. */
final class SlackLoadsTwinTest {
  /** {@code slack}, whose loads are held to the rule in each state that it is asked in. */
  private static final class Held extends WatchedPolicy {
    private final int[] loads;

    Held(int[] loads) {
      super("slack");
      this.loads = loads;
    }

    @Override
    public Choice choose(SchedulerState state) {
      Choice choice = policy.choose(state);
      if (choice instanceof Choice.Drop) {
        return choice; // late jobs go first
      }
      Load load = load(state);
      if (choice instanceof Choice.Prepare prepare) {
        assertThat(load).isNotNull();
        assertThat(prepare.lane()).isSameAs(load.lane);
        assertThat(prepare.load()).extracting(CompatibleSet::workload).containsExactly(load.model);
        assertThat(prepare.release()).isEqualTo(load.release);
        loads[0]++;
      } else {
        assertThat(load).as("a load that it passed over").isNull();
      }
      return choice;
    }
  }

  /**
   * @param loss highest pressure of what it releases, afterwards
   * @param held pressure of what the lane holds before
   */
  private record Load(Lane lane, String model, List<Resident> release, double loss, double held) {}

  private static @Nullable Load load(SchedulerState state) {
    List<String> models = state.allSets().stream().map(CompatibleSet::workload).distinct().toList();
    return models.stream()
        .filter(model -> work(state, model) > 0)
        .sorted(
            Comparator.comparing((String model) -> -pressure(state, model, 0))
                .thenComparing(model -> dueNs(state, model)))
        .map(model -> load(state, model))
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  private static @Nullable Load load(SchedulerState state, String model) {
    return state.lanes().stream()
        .filter(lane -> lane.residents().stream().allMatch(Resident::isLoaded))
        .filter(lane -> !holds(lane, model))
        .map(lane -> load(state, model, lane))
        .filter(Objects::nonNull)
        .min(Comparator.comparing(Load::loss).thenComparing(Load::held))
        .orElse(null);
  }

  /** What would be missed least goes first, while it would be missed less than the model is. */
  private static @Nullable Load load(SchedulerState state, String model, Lane lane) {
    double wanted = pressure(state, model, 0);
    List<Resident> mayGo =
        new ArrayList<>(
            lane.residents().stream()
                .filter(resident -> !resident.isInUse())
                .filter(
                    resident -> {
                      double loss = pressure(state, resident.workload(), -1);
                      boolean isDueLater = dueNs(state, model) < dueNs(state, resident.workload());
                      return loss < wanted || (Double.isInfinite(wanted) && isDueLater);
                    })
                .sorted(
                    Comparator.comparing(
                            (Resident resident) -> pressure(state, resident.workload(), -1))
                        .thenComparing(resident -> work(state, resident.workload())))
                .toList());
    CompatibleSet set =
        state.allSets().stream().filter(s -> s.workload().equals(model)).findFirst().orElseThrow();
    long bytes = lane.freeBytes();
    double loss = 0;
    List<Resident> release = new ArrayList<>();
    while (bytes < state.memoryBytes(set, lane)) {
      if (mayGo.isEmpty()) {
        return null;
      }
      Resident next = mayGo.remove(0);
      release.add(next);
      bytes += next.bytes();
      loss = Math.max(loss, pressure(state, next.workload(), -1));
    }
    double held = 0;
    for (Resident resident : lane.residents()) {
      held += pressure(state, resident.workload(), 0);
    }
    return new Load(lane, model, release, loss, held);
  }

  private static boolean holds(Lane lane, String model) {
    return lane.residents().stream().anyMatch(resident -> resident.workload().equals(model));
  }

  private static double pressure(SchedulerState state, String model, int more) {
    double work = work(state, model);
    long lanes = more + state.lanes().stream().filter(lane -> holds(lane, model)).count();
    return work == 0 ? 0 : work / lanes;
  }

  private static double work(SchedulerState state, String model) {
    double work = 0;
    for (CompatibleSet set : state.allSets()) {
      if (set.workload().equals(model)) {
        double perSecond = set.arrivalsPerSecond() > 0 ? set.arrivalsPerSecond() : set.waiting();
        int samples = samples(state, set);
        double lanes =
            perSecond * state.boundNs(set, samples, state.lanes().get(0)) / samples / 1e9;
        work += lanes / set.promiseNs();
      }
    }
    return work;
  }

  /** The largest batch of half the promise that is not larger than saves 5 % of the time. */
  private static int samples(SchedulerState state, CompatibleSet set) {
    Lane lane = state.lanes().get(0);
    double best =
        IntStream.rangeClosed(1, set.samplesMax())
            .filter(size -> Integer.bitCount(size) == 1 || size == set.samplesMax())
            .mapToDouble(size -> (double) state.boundNs(set, size, lane) / size)
            .min()
            .orElseThrow();
    int enough =
        IntStream.rangeClosed(1, set.samplesMax())
            .filter(size -> state.boundNs(set, size, lane) <= best * 1.05 * size)
            .findFirst()
            .orElseThrow();
    int fits =
        IntStream.rangeClosed(1, set.samplesMax())
            .filter(size -> state.boundNs(set, size, lane) <= set.promiseNs() / 2)
            .max()
            .orElse(1);
    return Math.min(enough, fits);
  }

  private static long dueNs(SchedulerState state, String model) {
    return state.sets().stream()
        .filter(set -> set.workload().equals(model))
        .mapToLong(set -> set.firstKey(JobOrder.DEADLINE))
        .min()
        .orElse(Long.MAX_VALUE);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void loadsWhatTheRuleSays(int seed) {
    int[] loads = new int[1];
    Cell.Run run = ClockworkLoadsTwinTest.run(seed, () -> new Held(loads));
    assertThat(run.loads).hasSizeGreaterThan(10);
    assertThat(loads[0]).as("loads that were compared").isEqualTo(run.loads.size());
  }
}
