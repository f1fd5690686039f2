package dev.sluice.scheduling.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.scheduling.core.Facts;
import dev.sluice.scheduling.core.Shard;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a lane holds. */
final class SimulatedLaneTest {
  @Test
  void holdsTheRunningBatch_thenThoseAhead() {
    Shard shard = Shard.of("fifo", Facts.alone(), Facts.executor("e", 3, 1000));
    shard.holding(Facts.job(1), Facts.job(2), Facts.job(3));
    List<BatchDispatched> batches = shard.at(0, Facts.START);
    SimulatedLane lane =
        new Simulation(
                Simulated.settings(Simulated.core(false, 0), "fifo", 1, 1, 1000, Hops.NONE),
                Simulated.constant(1),
                Simulated.requests(List.of()),
                new Simulated())
            .shards[0]
            .lanes[0];
    assertThat(lane.holds()).isZero();
    assertThat(lane.held()).isEmpty();

    lane.running = batches.get(0);
    lane.ahead.add(batches.get(1));
    lane.ahead.add(batches.get(2));

    assertThat(lane.holds()).isEqualTo(3);
    assertThat(lane.held()).isEqualTo(batches.stream().map(BatchDispatched::dispatchId).toList());
  }
}
