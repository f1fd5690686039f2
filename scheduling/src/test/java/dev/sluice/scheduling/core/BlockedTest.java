package dev.sluice.scheduling.core;

import static dev.sluice.scheduling.core.Facts.MS;
import static dev.sluice.scheduling.core.Facts.START;
import static dev.sluice.scheduling.core.Facts.TICK;
import static dev.sluice.scheduling.core.Facts.alone;
import static dev.sluice.scheduling.core.Facts.done;
import static dev.sluice.scheduling.core.Facts.executor;
import static dev.sluice.scheduling.core.Facts.job;
import static dev.sluice.scheduling.core.Facts.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.Blocked.Cause;
import dev.sluice.contract.event.ExecutorReported.Capability;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When an idle lane stood beside waiting work, and why. */
final class BlockedTest {
  @Test
  void isToldOnceItIsOver_withItsCause() {
    Shard shard = Shard.of("fifo", alone(), executor("e", 2, 400));
    shard.at(0, START);
    BatchDispatched first = shard.at(0, job(1).on("vit").arrives()).get(0);
    shard.at(2 * MS, job(2).on("vit").arrives());
    shard.at(5 * MS, TICK);
    assertThat(shard.blocked).isEmpty();
    shard.at(9 * MS, done(first));
    assertThat(shard.blocked).containsExactly(new Blocked(2 * MS, 9 * MS, Cause.TOKENS));
  }

  @Test
  void endsWhereItsCauseChanges() {
    Shard shard = Shard.of("priority_slo", joining(10, 8), executor("e", 2, 400));
    shard.at(0, START);
    shard.at(0, job(1).on("vit").interactive().arrives());
    shard.at(2 * MS, job(2).arrives());
    shard.at(5 * MS, job(3).on("vit").interactive().arrives());
    shard.at(12 * MS, TICK);
    assertThat(shard.blocked)
        .containsExactly(
            new Blocked(2 * MS, 5 * MS, Cause.WINDOW), new Blocked(5 * MS, 12 * MS, Cause.TOKENS));
  }

  @Test
  void isNotTold_whenNoLaneIsIdle_orNothingWaits_orItWasShorterThanAMillisecond() {
    Shard shard = Shard.of("fifo", alone(), executor("e", 1, 400));
    shard.at(0, START);
    BatchDispatched first = shard.at(0, job(1).arrives()).get(0);
    shard.at(MS, job(2).arrives());
    BatchDispatched second = shard.at(20 * MS, done(first)).get(0);
    shard.at(30 * MS, done(second));
    shard.at(50 * MS, job(3).in("bf16").arrives());
    Capability bf16 = new Capability("resnet18", "pytorch", "bf16", 1, List.of());
    assertThat(shard.at(50 * MS + 999_999, executor("f", 1, false, 1, 400, List.of(bf16))))
        .hasSize(1);
    assertThat(shard.blocked).isEmpty();
  }
}
