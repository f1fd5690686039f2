package dev.sluice.scheduling.core;

import static dev.sluice.scheduling.core.Facts.MS;
import static dev.sluice.scheduling.core.Facts.START;
import static dev.sluice.scheduling.core.Facts.TICK;
import static dev.sluice.scheduling.core.Facts.alone;
import static dev.sluice.scheduling.core.Facts.capabilities;
import static dev.sluice.scheduling.core.Facts.done;
import static dev.sluice.scheduling.core.Facts.executor;
import static dev.sluice.scheduling.core.Facts.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.policies.Policies;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Tokens kept for a large job that small ones pass over: a vit costs 264 tokens and waits at most
 * 200 ms, a resnet18 costs 84, and there are 400.
 */
final class ReservationsTest {
  private final Facts.Job large = job(100).on("vit").of("bulk").sloMs(200);

  private static Facts.Job small(int index) {
    return job(index).sloMs(300);
  }

  /** Two small jobs run, the large one waits, and more small ones come. */
  private Shard passedOver(String policy) {
    Shard shard = Shard.of(policy, alone(), executor("e", 4, 400));
    shard.at(0, START);
    shard.at(0, small(1).arrives());
    shard.at(0, small(2).arrives()); // 232 are left
    shard.at(0, large.arrives());
    shard.at(0, small(101).arrives()); // 148 are left
    return shard;
  }

  @Test
  void smallJobsPassALargeOneOver_untilItsLatencyPromiseIsUp() {
    Shard shard = passedOver("priority_slo");
    assertThat(shard.kept).containsKey("passed/e/bulk/vit/pytorch/fp32/1/1");
    assertThat(shard.jobsStartedAt(199 * MS, small(102).arrives()))
        .containsExactly(List.of("j102"));
    assertThat(shard.at(200 * MS, done(shard.dispatches.get(0)))).isEmpty();
    assertThat(shard.at(200 * MS, small(103).arrives())).as("148 are free, and kept").isEmpty();
    assertThat(shard.at(201 * MS, done(shard.dispatches.get(1)))).isEmpty();
    assertThat(shard.jobsStartedAt(202 * MS, done(shard.dispatches.get(2))))
        .as("316 are free, so the large one starts, and then no small one has room")
        .containsExactly(List.of("j100"));
    assertThat(shard.kept).doesNotContainKey("passed/e/bulk/vit/pytorch/fp32/1/1");
  }

  @Test
  void whatIsLeftBesideTheReservationIsFree() {
    Shard shard = passedOver("priority_slo");
    for (int i = 0; i < 3; i++) {
      shard.at(200 * MS, done(shard.dispatches.get(i)));
    }
    assertThat(shard.dispatches).hasSize(4);
    assertThat(shard.jobsStartedAt(201 * MS, small(103).arrives()))
        .containsExactly(List.of("j103"));
  }

  @Test
  void fifoNeedsNone_sinceNobodyOvertakes() {
    Shard shard = passedOver("fifo");
    assertThat(shard.dispatches).hasSize(2);
    assertThat(shard.kept.keySet()).noneMatch(key -> key.startsWith("passed/"));
  }

  @Test
  void aReservationOutlivesTheProcess() {
    Shard shard = passedOver("priority_slo");
    Shard restored =
        shard.restored(
            alone(), Policies.create("priority_slo", Map.of()), List.copyOf(shard.kept.values()));
    assertThat(restored.at(200 * MS, small(103).arrives())).isEmpty();
  }

  @Test
  void itEnds_whenTheLastJobOfItsGroupIsGone() {
    Shard shard = passedOver("priority_slo");
    shard.at(200 * MS, small(103).arrives());
    shard.at(201 * MS, ArrivalsEnded.punctual(0, 5));
    assertThat(shard.kept.keySet()).noneMatch(key -> key.startsWith("passed/"));
  }

  @Test
  void itEnds_whenItsExecutorCouldNeverHoldTheJobAnyMore() {
    Shard shard = passedOver("priority_slo");
    shard.at(0, executor("f", 1, false, 1, 300, List.of()));
    shard.at(10 * MS, executor("e", 2, false, 1, 200, capabilities()));
    assertThat(shard.kept.keySet()).noneMatch(key -> key.startsWith("passed/"));
  }

  @Test
  void aJobThatALostBatchKeepsOutHoldsNone() {
    CoreSettings leased = Facts.leased(alone());
    Shard shard = Shard.of("priority_slo", leased, executor("e", 4, 500));
    shard.at(0, START);
    shard.at(0, job(1).on("vit").arrives());
    shard.at(0, large.arrives());
    shard.at(0, small(101).arrives());
    BatchDispatched small = shard.dispatches.get(1);
    for (int i = 1; i <= 50; i++) {
      shard.at(i * 200 * MS, i == 2 ? done(small) : executor("e", 4, 500));
    }
    assertThat(shard.kept.keySet()).contains("lost/2-0");
    shard.at(10_000 * MS, TICK);
    assertThat(shard.jobsStartedAt(10_000 * MS, small(103).arrives()))
        .as("the large one cannot start before e is started again")
        .containsExactly(List.of("j103"));
  }
}
