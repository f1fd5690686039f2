package dev.sluice.scheduling.policies;

import static dev.sluice.scheduling.core.Facts.START;
import static dev.sluice.scheduling.core.Facts.alone;
import static dev.sluice.scheduling.core.Facts.executor;
import static dev.sluice.scheduling.core.Facts.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.sluice.scheduling.core.Facts;
import dev.sluice.scheduling.core.Shard;
import dev.sluice.scheduling.fact.Dispatch;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The most batchable job first, on hand-made states. */
final class BatchAwarePolicyTest {
  private static final Facts.Job[] QUEUE = {job(1).interactive().on("vit"), job(2), job(3), job(4)};

  @Test
  void startsTheMostBatchableJob_beforeAnInteractiveOne() {
    Shard shard = Shard.of("batch_aware", alone(), executor("e", 1, 1000)).holding(QUEUE);
    List<Dispatch> started = shard.at(0, START);
    // 0.4 × 2 + 0.3 × 3 + 0.2 × 3 + 0.1 × 2 + 0.5 = 3.0, against 0 + 0.9 + 0.6 + 0 + 1.0 = 2.5
    assertThat(started).extracting(Shard::jobIds).containsExactly(List.of("j2"));
    assertThat(started.get(0).scoreTerms())
        .containsExactly(
            entry("workload", 0.4 * 2),
            entry("backend", 0.3 * 3),
            entry("precision", 0.2 * 3),
            entry("class", 0.1 * 2),
            entry("bonus", 0.5));
  }

  @Test
  void startsTheInteractiveJobFirst_whenItsWeightSaysSo() {
    Shard shard = new Shard(alone(), Policies.create("batch_aware", Map.of("interactive", 2.0)));
    shard.at(0, executor("e", 1, 1000));
    assertThat(shard.holding(QUEUE).jobsStartedAt(0, START)).containsExactly(List.of("j1"));
  }

  @Test
  void breaksTiesByDeadline() {
    Shard shard =
        Shard.of("batch_aware", alone(), executor("e", 2, 1000))
            .holding(job(1).sloMs(50), job(2).sloMs(40).samples(2));
    assertThat(shard.jobsStartedAt(0, START)).containsExactly(List.of("j2"), List.of("j1"));
  }
}
