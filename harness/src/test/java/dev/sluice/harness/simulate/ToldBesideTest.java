package dev.sluice.harness.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.simulation.SimulationListener;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What a second thread is told: all of it, in order; and what its failure does. */
final class ToldBesideTest {
  private static final int CALLS = 100_000;

  @Test
  void tellsAllInOrder() {
    List<Long> told = new ArrayList<>();
    try (var beside = new ToldBeside(taking(told, Long.MAX_VALUE))) {
      tell(beside);
      beside.await();
    }
    assertThat(told).isEqualTo(LongStream.range(0, CALLS).boxed().toList());
  }

  @Test
  void endsTheSimulation_whenTheListenerFails() {
    for (long last : new long[] {10, CALLS - 2}) {
      List<Long> told = new ArrayList<>();
      try (var beside = new ToldBeside(taking(told, last))) {
        assertThatThrownBy(
                () -> {
                  tell(beside);
                  beside.await();
                })
            .isInstanceOf(LostThresholdException.class)
            .hasMessage("no more");
      }
      assertThat(told).hasSize((int) last + 1);
    }
  }

  private static void tell(SimulationListener listener) {
    for (long i = 0; i < CALLS; i++) {
      listener.blocked(0, i, i, i, Cause.LANE);
    }
  }

  private static SimulationListener taking(List<Long> told, long last) {
    return new SimulationListener() {
      @Override
      public void blocked(int shard, long appendedAtNs, long fromNs, long toNs, Cause cause) {
        if (appendedAtNs > last) {
          throw new LostThresholdException("no more");
        }
        told.add(appendedAtNs);
      }
    };
  }
}
