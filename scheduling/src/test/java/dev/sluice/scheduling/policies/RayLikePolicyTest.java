package dev.sluice.scheduling.policies;

import static dev.sluice.scheduling.core.Facts.MS;
import static dev.sluice.scheduling.core.Facts.START;
import static dev.sluice.scheduling.core.Facts.alone;
import static dev.sluice.scheduling.core.Facts.done;
import static dev.sluice.scheduling.core.Facts.executor;
import static dev.sluice.scheduling.core.Facts.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.scheduling.core.Facts;
import dev.sluice.scheduling.core.Shard;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A ready queue scanned from its head, and lanes that keep their models, on hand-made states. */
final class RayLikePolicyTest {
  @Test
  void startsTheFirstByEntry_whicheverSetItIsOf() {
    Shard one = Shard.of("ray_like", alone(), executor("e", 2, 1000));
    one.holding(job(1).on("vit").atMs(9).sloMs(900), job(2).sloMs(10));
    assertThat(one.jobsStartedAt(0, START)).containsExactly(List.of("j1"), List.of("j2"));
    Shard other = Shard.of("ray_like", alone(), executor("e", 2, 1000));
    other.holding(job(1).atMs(9).sloMs(900), job(2).on("vit").sloMs(10));
    assertThat(other.jobsStartedAt(0, START)).containsExactly(List.of("j1"), List.of("j2"));
  }

  @Test
  void passesOverWhatCannotStart() {
    Shard shard = Shard.of("ray_like", alone(), executor("e", 3, 270));
    shard.holding(job(1).on("resnet50"), job(2).on("resnet50"), job(3));
    assertThat(shard.jobsStartedAt(0, START)).containsExactly(List.of("j1"), List.of("j3"));
  }

  @Test
  void aJobGoesToTheLaneThatHoldsItsModel_elseToTheOneIdleTheLongest() {
    assertThat(lanesOf(onThreeLanes(), job(4).on("vit"))).as("it holds it").containsExactly(1);
    assertThat(lanesOf(onThreeLanes(), job(4).on("resnet50"))).as("holds it").containsExactly(0);
    assertThat(lanesOf(onThreeLanes(), job(4))).as("first of two").containsExactly(2);
    assertThat(lanesOf(onThreeLanes(), job(4).in("int8"))).as("none can run it").isEmpty();

    Shard shard = onThreeLanes();
    assertThat(lanesOf(shard, job(4).on("resnet50"))).containsExactly(0);
    assertThat(lanesOf(shard, job(5).on("resnet50"))).as("idle the longest").containsExactly(2);
    assertThat(lanesOf(shard, job(6).on("resnet50"))).as("the only one").containsExactly(1);
  }

  /** Lanes 0, 1 and 2 hold resnet50, vit and resnet18; lane 2 fell idle first, and lane 0 last. */
  private static Shard onThreeLanes() {
    Shard shard = Shard.of("ray_like", alone(), executor("e", 3, 1000));
    List<BatchDispatched> running =
        new ArrayList<>(
            shard.holding(job(1).on("resnet50"), job(2).on("vit"), job(3)).at(0, START));
    for (int lane = 2; lane >= 0; lane--) {
      shard.at((10 - lane) * MS, done(running.get(lane)));
    }
    return shard;
  }

  private static List<Integer> lanesOf(Shard shard, Facts.Job job) {
    return shard.at(20 * MS, job.arrives()).stream().flatMap(d -> d.lanes().stream()).toList();
  }

  @Test
  void aGangGoesToTheFirstIdleNeighbours_whateverTheyHold() {
    Shard shard = onThreeLanes();
    assertThat(lanesOf(shard, job(4).lanes(2))).containsExactly(0, 1);
  }

  @Test
  void aBatchAheadGoesToTheLaneThatIsFreeFirst() {
    Shard shard = Shard.of("ray_like", Facts.ahead(alone()), executor("e", 2, 1000));
    shard.holding(job(1).on("vit"), job(2));
    assertThat(shard.at(0, START)).hasSize(2);
    assertThat(lanesOf(shard, job(3).on("vit"))).as("not the one that holds it").containsExactly(1);
  }
}
