package dev.sluice.scheduling.policies;

import static dev.sluice.scheduling.core.Facts.MS;
import static dev.sluice.scheduling.core.Facts.START;
import static dev.sluice.scheduling.core.Facts.alone;
import static dev.sluice.scheduling.core.Facts.executor;
import static dev.sluice.scheduling.core.Facts.job;
import static dev.sluice.scheduling.core.Facts.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.scheduling.core.Facts;
import dev.sluice.scheduling.core.Shard;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Urgent classes first, earliest deadlines within, on hand-made states. */
final class PrioritySloPolicyTest {
  @Test
  void startsTheMoreUrgentClassFirst_thenTheEarliestDeadline() {
    Shard shard =
        Shard.of("priority_slo", alone(), executor("e", 4, 1000))
            .holding(
                job(1).sloMs(10),
                job(2).interactive().atMs(60),
                job(3).interactive().atMs(50),
                job(4).of("bulk").sloMs(5));
    assertThat(shard.jobsStartedAt(0, START))
        .containsExactly(List.of("j3"), List.of("j2"), List.of("j4"), List.of("j1"));
  }

  @Test
  void passesOverWhatCannotStart() {
    Shard shard =
        Shard.of("priority_slo", alone(), executor("e", 3, 200))
            .holding(job(1).interactive().on("resnet50").samples(8), job(2), job(3));
    assertThat(shard.jobsStartedAt(0, START)).containsExactly(List.of("j1"));

    Shard busy =
        Shard.of("priority_slo", alone(), executor("e", 3, 270))
            .holding(
                job(1).interactive().on("resnet50"),
                job(2).interactive().on("resnet50").atMs(1),
                job(3));
    assertThat(busy.jobsStartedAt(0, START)).containsExactly(List.of("j1"), List.of("j3"));
  }

  @Test
  void fillsByDeadline_whenItJoinsJobs() {
    Shard shard =
        Shard.of("priority_slo", joining(10, 4), executor("e", 1, 1000))
            .holding(
                job(1).samples(1).sloMs(40),
                job(2).samples(2).sloMs(30),
                job(3).samples(3).sloMs(20),
                job(4).samples(1).sloMs(10));
    assertThat(shard.jobsStartedAt(0, START)).containsExactly(List.of("j4", "j3"));
  }

  /** While j1 runs, j2 is known as the first of its set; then j3 comes. */
  @Test
  void startsTheEarliestDeadlineOfASet_alsoIfItCameLater() {
    Shard shard =
        Shard.of("priority_slo", alone(), executor("e", 1, 1000))
            .holding(job(1).on("resnet50").sloMs(100), job(2).sloMs(500));
    BatchDispatched first = shard.at(0, START).get(0);
    assertThat(Shard.jobIds(first)).containsExactly("j1");
    shard.at(MS, job(3).samples(2).sloMs(200).arrives());
    assertThat(shard.jobsStartedAt(2 * MS, Facts.done(first))).containsExactly(List.of("j3"));
  }
}
