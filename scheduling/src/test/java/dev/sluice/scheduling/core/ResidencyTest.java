package dev.sluice.scheduling.core;

import static dev.sluice.scheduling.core.Facts.MS;
import static dev.sluice.scheduling.core.Facts.START;
import static dev.sluice.scheduling.core.Facts.TICK;
import static dev.sluice.scheduling.core.Facts.alone;
import static dev.sluice.scheduling.core.Facts.executor;
import static dev.sluice.scheduling.core.Facts.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Dispatch;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.WarmUp;
import dev.sluice.contract.event.LanePrepared;
import dev.sluice.contract.event.ModelLoaded;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.scheduling.core.InvalidChoiceException.Rule;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.driver.CoreSettings.Placing;
import dev.sluice.scheduling.driver.CoreSettings.Switching;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Lanes of 250 bytes, on which resnet18 and resnet50 take 100 each, and vit 200. */
final class ResidencyTest {
  private static final CoreSettings SETTINGS =
      alone().with(new Placing(0, false, Switching.NONE, 250));

  /** A shard that keeps all dispatches, in their order. */
  private static final class Loading extends Shard {
    final List<Dispatch> all = new ArrayList<>();

    Loading(SchedulingPolicy policy) {
      super(SETTINGS, policy);
      at(
          0,
          executor(
              "e",
              1,
              false,
              1,
              1000,
              List.of(model("resnet18", 100), model("resnet50", 100), model("vit", 200))));
      at(0, START);
    }

    private static Capability model(String workload, long bytes) {
      return new Capability(
          workload, "pytorch", "fp32", 1, List.of(new WarmUp(1, 10 * MS)), 5 * MS, bytes);
    }

    @Override
    public void prepared(LanePrepared dispatch) {
      all.add(dispatch);
    }

    @Override
    public void started(BatchDispatched dispatch) {
      super.started(dispatch);
      all.add(dispatch);
    }

    List<String> take() {
      List<String> words =
          all.stream()
              .map(
                  dispatch ->
                      dispatch instanceof LanePrepared prepared
                          ? "-%s +%s".formatted(names(prepared.releases()), names(prepared.loads()))
                          : String.join(" ", jobIds((BatchDispatched) dispatch)))
              .toList();
      return words;
    }

    private static List<String> names(List<ModelKey> models) {
      return models.stream().map(ModelKey::workload).toList();
    }

    /** The lane has loaded what the newest preparation names. */
    void loaded(long atNs) {
      for (int i = all.size() - 1; i >= 0; i--) {
        if (all.get(i) instanceof LanePrepared prepared) {
          at(
              atNs,
              new ModelLoaded(
                  prepared.dispatchId(), "e", 1, 0, prepared.loads().get(0), atNs - 1, atNs, null));
          return;
        }
      }
      throw new AssertionError("nothing was prepared");
    }

    /** The newest batch is done. */
    void done(long atNs) {
      BatchDispatched newest = dispatches.get(dispatches.size() - 1);
      at(atNs, BatchCompleted.done(newest.dispatchId(), "e", 1, 0, atNs - MS, MS, 1));
    }
  }

  /** A policy that loads by itself, and that the test tells what to answer. */
  private static final class Scripted implements SchedulingPolicy {
    private Function<SchedulerState, Choice> answer = state -> Choice.nothing(Cause.POLICY);

    @Override
    public Choice choose(SchedulerState state) {
      return answer.apply(state);
    }

    @Override
    public Needs needs() {
      return Needs.of(JobOrder.ENTRY, Need.RESIDENCY);
    }
  }

  @Test
  void theCoreLoadsWhatABatchNeeds_inPlaceOfWhatWasNotUsedForLongest() {
    var shard = new Loading(Policies.create("fifo", Map.of()));
    shard.at(MS, job(1).on("resnet18").arrives());
    shard.loaded(2 * MS);
    shard.done(3 * MS);
    shard.at(4 * MS, job(2).on("resnet50").arrives());
    shard.loaded(5 * MS);
    shard.done(6 * MS);
    shard.at(7 * MS, job(3).on("resnet18").arrives());
    shard.done(8 * MS);
    shard.at(9 * MS, job(4).on("vit").arrives());
    assertThat(shard.take())
        .containsExactly(
            "-[] +[resnet18]",
            "j1",
            "-[] +[resnet50]",
            "j2",
            "j3",
            "-[resnet50, resnet18] +[vit]",
            "j4");
    assertThat(shard.all.stream().map(Dispatch::dispatchId).toList())
        .isSorted()
        .doesNotHaveDuplicates();
  }

  @Test
  void aCoreThatGoesOn_knowsWhatLanesHold() {
    var shard = new Loading(Policies.create("fifo", Map.of()));
    shard.at(MS, job(1).on("resnet18").arrives());
    shard.loaded(2 * MS);
    shard.done(3 * MS);
    SchedulingPolicy policy = Policies.create("fifo", Map.of());
    SchedulingCore restored = SchedulingCore.restore(SETTINGS, policy, shard.core.entities());
    assertThat(restored.entities()).containsExactlyInAnyOrderElementsOf(shard.core.entities());
    var after = new Shard(restored, Map.of(), 100);
    after.at(4 * MS, job(2).on("resnet18").arrives());
    assertThat(after.dispatches).hasSize(1);
    assertThat(after.dispatches.get(0).dispatchId().index()).isZero();
  }

  @Test
  void aProcessThatBeginsAgain_holdsNothing() {
    var shard = new Loading(Policies.create("fifo", Map.of()));
    shard.at(MS, job(1).on("resnet18").arrives());
    shard.loaded(2 * MS);
    shard.done(3 * MS);
    shard.at(4 * MS, executor("e", 2, false, 1, 1000, List.of(Loading.model("resnet18", 100))));
    shard.at(5 * MS, job(2).on("resnet18").arrives());
    assertThat(shard.take()).containsExactly("-[] +[resnet18]", "j1", "-[] +[resnet18]", "j2");
  }

  @Test
  void aPolicyThatLoads_mayNotStartWhatIsNotThere() {
    assertThat(broken(ResidencyTest::startFirst)).isEqualTo(Rule.MODEL_NOT_LOADED);
  }

  @Test
  void aPolicyThatLoads_mayNotFillALaneBeyondItsMemory() {
    var once = new boolean[] {false};
    assertThat(
            broken(
                state -> {
                  SchedulerState.CompatibleSet set = set(state, once[0] ? "vit" : "resnet18");
                  once[0] = true;
                  return Choice.prepare(state.lanes().get(0), set, List.of());
                }))
        .isEqualTo(Rule.MEMORY_EXCEEDED);
  }

  @Test
  void aPolicyThatLoads_mayNotLoadTwice_orReleaseWhatIsStillLoading() {
    assertThat(
            broken(
                state -> Choice.prepare(state.lanes().get(0), set(state, "resnet18"), List.of())))
        .isEqualTo(Rule.NOTHING_TO_LOAD);
    var once = new boolean[] {false};
    assertThat(
            broken(
                state -> {
                  SchedulerState.Lane lane = state.lanes().get(0);
                  SchedulerState.CompatibleSet set = set(state, once[0] ? "vit" : "resnet18");
                  once[0] = true;
                  return Choice.prepare(lane, set, lane.residents());
                }))
        .isEqualTo(Rule.NOTHING_TO_RELEASE);
  }

  @Test
  void whatWasLoaded_starts() {
    var policy = new Scripted();
    var shard = new Loading(policy);
    policy.answer =
        state ->
            state.resident(set(state, "resnet18"), state.lanes().get(0)) != null
                ? Choice.nothing(Cause.POLICY)
                : Choice.prepare(state.lanes().get(0), set(state, "resnet18"), List.of());
    shard.at(MS, job(1).on("resnet18").arrives());
    policy.answer =
        state ->
            state.isLoaded(set(state, "resnet18"), state.lanes().get(0))
                ? startFirst(state)
                : Choice.nothing(Cause.POLICY);
    shard.at(2 * MS, TICK);
    assertThat(shard.dispatches).isEmpty();
    shard.loaded(3 * MS);
    assertThat(shard.take()).containsExactly("-[] +[resnet18]", "j1");
  }

  @Test
  void clockwork_loadsForTheMostWork_andKeepsWhatHasWork() {
    var shard = new Loading(Policies.create("clockwork", Map.of()));
    shard.at(
        MS,
        new Step(
            List.of(),
            List.of(
                job(1).on("resnet50").sloMs(500).spec(),
                job(2).on("vit").sloMs(500).spec(),
                job(3).on("vit").sloMs(500).spec())));
    shard.loaded(6 * MS);
    shard.done(16 * MS);
    shard.done(26 * MS);
    assertThat(shard.take()).containsExactly("-[] +[vit]", "j2", "j3", "-[vit] +[resnet50]");
  }

  private static Choice startFirst(SchedulerState state) {
    SchedulerState.Group group = state.groups().get(0);
    return Choice.start(List.of(group.first(JobOrder.ENTRY)), List.of(state.lanes().get(0)));
  }

  private static SchedulerState.CompatibleSet set(SchedulerState state, String workload) {
    return state.sets().stream()
        .filter(set -> set.workload().equals(workload))
        .findFirst()
        .orElseThrow();
  }

  /** Returns the rule that an answer breaks, given again and again with a job of each model. */
  private static Rule broken(Function<SchedulerState, Choice> answer) {
    var policy = new Scripted();
    var shard = new Loading(policy);
    shard.at(MS, job(1).on("resnet18").arrives());
    shard.at(MS, job(2).on("resnet50").arrives());
    shard.at(MS, job(3).on("vit").arrives());
    policy.answer = answer;
    InvalidChoiceException broken =
        catchThrowableOfType(InvalidChoiceException.class, () -> shard.at(2 * MS, TICK));
    assertThat(broken).as("no rule was broken").isNotNull();
    return broken.rule();
  }
}
