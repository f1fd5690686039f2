package dev.sluice.scheduling.core;

import static dev.sluice.scheduling.core.Facts.MS;
import static dev.sluice.scheduling.core.Facts.START;
import static dev.sluice.scheduling.core.Facts.alone;
import static dev.sluice.scheduling.core.Facts.done;
import static dev.sluice.scheduling.core.Facts.executor;
import static dev.sluice.scheduling.core.Facts.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.BatchDispatched;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Jobs that need several lanes at once, and facts that come together. */
final class GangTest {
  private final Shard shard = Shard.of("ray_like", alone(), executor("e", 4, 1000));

  @Test
  void startsOnTheFirstIdleNeighbours_andHoldsThemTogether() {
    shard.at(0, START);
    BatchDispatched single = shard.at(0, job(1).arrives()).get(0);
    BatchDispatched gang = shard.at(0, job(2).lanes(2).arrives()).get(0);
    assertThat(gang.lanes()).containsExactly(1, 2);
    assertThat(gang.prediction().busyLanes()).isEqualTo(3);
    assertThat(shard.at(0, job(3).lanes(2).arrives())).isEmpty();
    assertThat(shard.at(MS, done(single))).isEmpty(); // 0 and 3 are idle, and no neighbours
    assertThat(shard.at(2 * MS, done(gang)).get(0).lanes()).containsExactly(0, 1);
  }

  @Test
  void costsItsTokensOnce() {
    shard.at(0, START);
    assertThat(shard.at(0, job(1).lanes(4).samples(200).arrives()).get(0).tokens()).isEqualTo(880);
  }

  @Test
  void neverStarts_whereAnExecutorHasTooFewLanes() {
    shard.at(0, executor("f", 4, 1000));
    shard.at(0, START);
    assertThat(shard.at(0, job(1).lanes(5).arrives())).isEmpty();
    assertThat(shard.core.waiting()).isEqualTo(1);
  }

  @Test
  void leavesALaneToItsWorkload_andElseTakesTheOneIdleTheLongest() {
    shard.at(0, START);
    BatchDispatched onZero = shard.at(0, job(1).arrives()).get(0);
    BatchDispatched onOne = shard.at(0, job(2).on("vit").arrives()).get(0);
    shard.at(MS, done(onOne));
    shard.at(2 * MS, done(onZero));
    assertThat(shard.at(3 * MS, job(3).on("vit").arrives()).get(0).lanes()).containsExactly(1);
    assertThat(shard.at(3 * MS, job(4).on("vit").arrives()).get(0).lanes()).containsExactly(2);
    assertThat(shard.at(3 * MS, job(5).arrives()).get(0).lanes()).containsExactly(0);
  }

  @Test
  void decidesOnce_onFactsThatComeTogether() {
    shard.at(0, START);
    List<BatchDispatched> started =
        shard.at(0, Step.together(job(1).lanes(3).arrives(), job(2).arrives(), job(3).arrives()));
    assertThat(started)
        .extracting(BatchDispatched::lanes)
        .containsExactly(List.of(0, 1, 2), List.of(3));
    assertThat(started).extracting(d -> d.dispatchId().index()).containsExactly(0, 1);
  }
}
