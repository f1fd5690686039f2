package dev.sluice.contract.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The names of a run's topics. */
final class TopicsTest {
  @Test
  void topics_areThePrefixAndTheirName() {
    var topics = new Topics("quickstart-1");
    assertThat(topics.sharded())
        .containsExactly("quickstart-1.facts", "quickstart-1.dispatches", "quickstart-1.outcomes");
    assertThat(topics.unsharded())
        .containsExactly(
            "quickstart-1.runs",
            "quickstart-1.metrics",
            "quickstart-1.lanes",
            "quickstart-1.dead-letters");
    assertThat(topics.all())
        .containsAll(topics.sharded())
        .containsAll(topics.unsharded())
        .hasSize(7);
  }
}
