package dev.sluice.contract.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

/** Time since time zero, on clocks that the test moves. */
final class RunClockTest {
  private static final long ZERO_EPOCH_MS = 1_767_225_600_000L;

  private final AtomicReference<Instant> wall =
      new AtomicReference<>(Instant.ofEpochMilli(ZERO_EPOCH_MS - 2_000));
  private final AtomicLong monotonicNs = new AtomicLong(-7_000_000_000L);
  private final ProcessClock process = new ProcessClock(wall::get, monotonicNs::get);

  @Test
  void timeIsNegative_beforeTimeZero_andCountsFromIt() {
    RunClock clock = process.forRun(ZERO_EPOCH_MS);
    assertThat(clock.nowNs()).isEqualTo(-2_000_000_000L);
    monotonicNs.addAndGet(2_000_000_123L);
    assertThat(clock.nowNs()).isEqualTo(123);
  }

  @Test
  void aWallClockThatJumps_movesNothing() {
    RunClock clock = process.forRun(ZERO_EPOCH_MS);
    wall.set(Instant.ofEpochMilli(0));
    monotonicNs.addAndGet(5);
    assertThat(clock.nowNs()).isEqualTo(-1_999_999_995L);
    assertThat(process.epochNs()).isEqualTo((ZERO_EPOCH_MS - 2_000) * 1_000_000 + 5);
  }

  @Test
  void twoProcesses_withOtherMonotonicOrigins_agree() {
    var other = new ProcessClock(wall::get, () -> monotonicNs.get() + 1_000_000_000_000L);
    monotonicNs.addAndGet(77);
    assertThat(other.forRun(ZERO_EPOCH_MS).nowNs())
        .isEqualTo(process.forRun(ZERO_EPOCH_MS).nowNs());
  }

  @Property
  void toMonotonicNs_isTheInverseOfNowNs(
      @ForAll @LongRange(min = -1_000_000_000_000L, max = 1_000_000_000_000L) long atNs) {
    RunClock clock = process.forRun(ZERO_EPOCH_MS);
    monotonicNs.set(clock.toMonotonicNs(atNs));
    assertThat(clock.nowNs()).isEqualTo(atNs);
  }
}
