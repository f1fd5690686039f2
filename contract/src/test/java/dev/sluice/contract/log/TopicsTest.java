package dev.sluice.contract.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The names of a run's topics. */
final class TopicsTest {
  @Test
  void topics_areThePrefixAndTheirName() {
    var topics = new Topics("quickstart-1");
    assertThat(topics.sharded())
        .containsExactly("quickstart-1.facts", "quickstart-1.dispatches", "quickstart-1.outcomes");
    assertThat(topics.unsharded())
        .containsExactly("quickstart-1.runs", "quickstart-1.metrics", "quickstart-1.dead-letters");
    assertThat(topics.all())
        .containsAll(topics.sharded())
        .containsAll(topics.unsharded())
        .hasSize(6);
  }

  @Test
  void topicsOfARun_areAlsoThoseThatEarlierVersionsMade() {
    var brokers = List.of("a.runs", "a.lanes", "a.other", "b.lanes", "a.scheduler-x-changelog");
    assertThat(RunTopics.of(new Topics("a"), brokers))
        .containsExactly("a.lanes", "a.runs", "a.scheduler-x-changelog");
  }
}
