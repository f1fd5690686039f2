package dev.sluice.scheduling.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Which class of jobs a workflow's jobs are of. */
final class GraphTest {
  @Test
  void classSaysWhoWaits_andWhetherJobsShareBatches() {
    assertThat(graph(true, false).classType()).isEqualTo("interactive");
    assertThat(graph(false, false).classType()).isEqualTo("batch");
    assertThat(graph(true, true).classType()).isEqualTo("interactive_joined");
    assertThat(graph(false, true).classType()).isEqualTo("batch_joined");
    assertThat(graph(true, true).joined()).isTrue();
    assertThat(graph(true, false).joined()).isFalse();
  }

  @Test
  void aWorkflowOfNoFurtherWords_isBatch_alone_withoutAPromise() {
    Graph plain = new Graph("plain", List.of());
    assertThat(plain.id()).isEqualTo("plain");
    assertThat(plain.classType()).isEqualTo("batch");
    assertThat(plain.sloNs()).isEqualTo(Long.MAX_VALUE);
  }

  private static Graph graph(boolean interactive, boolean joined) {
    return new Graph("g", interactive, joined, 1, List.of());
  }
}
