package dev.sluice.scheduling.policies;

import static dev.sluice.scheduling.core.Facts.START;
import static dev.sluice.scheduling.core.Facts.alone;
import static dev.sluice.scheduling.core.Facts.executor;
import static dev.sluice.scheduling.core.Facts.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.scheduling.core.Shard;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The policy that CONTRIBUTING.md adds. */
final class ShortestPolicyTest {
  @Test
  void startsTheShortest_whenBothFit() {
    Shard shard = new Shard(alone(), new ShortestPolicy());
    shard.at(0, executor("e", 1, 1000));
    shard.holding(job(1).samples(3), job(2).samples(2));
    assertThat(shard.jobsStartedAt(0, START)).containsExactly(List.of("j2"));
  }
}
