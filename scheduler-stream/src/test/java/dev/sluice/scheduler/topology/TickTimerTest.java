package dev.sluice.scheduler.topology;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.log.Topics;
import java.time.Instant;
import java.time.InstantSource;
import org.apache.kafka.clients.producer.MockProducer;
import org.junit.jupiter.api.Test;

/** The shard whose tick is due next. The clock stands at one second after time zero. */
final class TickTimerTest {
  private static final long NOW_NS = 1_000_000_000;
  private static final int HEARTBEAT_MS = 200;

  private final TickTimer timer =
      new TickTimer(
          new Topics("run-1"),
          new MockProducer<>(),
          new ProcessClock(InstantSource.fixed(Instant.ofEpochMilli(1_000)), () -> NOW_NS),
          HEARTBEAT_MS,
          failure -> {
            throw new AssertionError(failure);
          });

  @Test
  void writesNoSecondTick_whileOneIsOnItsWay() throws InterruptedException {
    timer.wakeAt(0, 0, NOW_NS - 20_000_000);
    assertThat(timer.nextDue()).isZero();

    timer.wakeAt(0, 0, NOW_NS - 20_000_000); // a fact of a backlog, which ends before that tick
    timer.wakeAt(1, 0, NOW_NS - 10_000_000);
    assertThat(timer.nextDue()).isEqualTo(1);
  }

  @Test
  void writesTheNextTick_whenTheLastWasApplied() throws InterruptedException {
    timer.wakeAt(0, 0, NOW_NS - 20_000_000);
    assertThat(timer.nextDue()).isZero();
    timer.written(0, null);

    timer.ticked(0);
    timer.wakeAt(0, 0, NOW_NS - 20_000_000);
    timer.wakeAt(1, 0, NOW_NS - 10_000_000);
    assertThat(timer.nextDue()).isZero();
  }

  @Test
  void writesNoTick_whileTheProducerHasOneThatTheBrokerDidNotTake() throws InterruptedException {
    timer.wakeAt(0, 0, NOW_NS - 20_000_000);
    assertThat(timer.nextDue()).isZero();
    timer.ticked(0); // an older tick, which another scheduler wrote

    timer.wakeAt(0, 0, NOW_NS - 20_000_000);
    timer.wakeAt(1, 0, NOW_NS - 10_000_000);
    assertThat(timer.nextDue()).isEqualTo(1);
    timer.written(0, null);
    assertThat(timer.nextDue()).isZero();
  }
}
