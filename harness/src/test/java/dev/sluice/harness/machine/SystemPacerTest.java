package dev.sluice.harness.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Waiting, on a clock that moves by a step at each look. */
final class SystemPacerTest {
  private final AtomicLong nowNs = new AtomicLong();
  private final MachineClock.SystemPacer pacer =
      new MachineClock.SystemPacer(() -> nowNs.getAndAdd(30_000));

  @Test
  void returnsAtTheFirstLookThatIsNotEarly() throws InterruptedException {
    pacer.awaitNs(400_000);
    assertThat(nowNs.get() - 30_000).isEqualTo(420_000);
  }

  @Test
  void looksOnce_whenTheTimeIsPast() throws InterruptedException {
    pacer.awaitNs(-5);
    assertThat(nowNs).hasValue(30_000);
  }

  @Test
  void givesUp_whenInterrupted() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> pacer.awaitNs(Long.MAX_VALUE))
        .isInstanceOf(InterruptedException.class);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }
}
