package dev.sluice.scheduling.policies;

import static dev.sluice.scheduling.core.Facts.MS;
import static dev.sluice.scheduling.core.Facts.START;
import static dev.sluice.scheduling.core.Facts.alone;
import static dev.sluice.scheduling.core.Facts.executor;
import static dev.sluice.scheduling.core.Facts.job;
import static dev.sluice.scheduling.core.Facts.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.WarmUp;
import dev.sluice.scheduling.core.Shard;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The highest sum of five terms first, on hand-made states. */
final class DynamicPolicyTest {
  @Test
  void startsAShortBatchJob_beforeALongInteractiveOne() {
    Shard shard =
        Shard.of("dynamic", alone(), executor("e", 1, 1000))
            .holding(job(1).interactive().on("vit"), job(2), job(3));
    List<BatchDispatched> started = shard.at(20 * MS, START);
    // j2 takes 10 ms: 2 / 0.01 s = 200; j1 takes 100 ms: 10 + 20
    assertThat(started).extracting(Shard::jobIds).containsExactly(List.of("j2"));
    assertThat(started.get(0).decision().scoreTerms())
        .containsExactly(
            entry("interactive", 0.0),
            entry("urgency", 1 / 981.0),
            entry("batchability", 5 * 0.2),
            entry("short_service", 200.0),
            entry("tokens", -(0.1 * 84 / 1000)));
  }

  @Test
  void startsAnOverdueJobFirst_whenAllElseIsEqual() {
    Shard shard =
        Shard.of("dynamic", alone(), executor("e", 2, 1000))
            .holding(job(1).of("bulk").sloMs(21), job(2).sloMs(19));
    List<BatchDispatched> started = shard.at(20 * MS, START);
    assertThat(started).extracting(Shard::jobIds).containsExactly(List.of("j2"), List.of("j1"));
    assertThat(started.get(0).decision().scoreTerms()).containsEntry("urgency", 10.0);
    assertThat(started.get(1).decision().scoreTerms()).containsEntry("urgency", 0.5);
  }

  @Test
  void startsTheInteractiveJobFirst_whenShortServiceCountsForNothing() {
    Shard shard = new Shard(alone(), Policies.create("dynamic", Map.of("short_service", 0.0)));
    shard.at(0, executor("e", 1, 1000));
    shard.holding(job(1), job(2).interactive().on("vit"));
    assertThat(shard.jobsStartedAt(0, START)).containsExactly(List.of("j2"));
  }

  @Test
  void fillsWithTheShortestJobs_whenItJoinsJobs() {
    Shard shard =
        Shard.of("dynamic", joining(10, 6), executor("e", 1, 1000))
            .holding(job(1).samples(3), job(2).samples(1).sloMs(900), job(3).samples(1).sloMs(800));
    shard.holding(job(4).samples(1));
    assertThat(shard.jobsStartedAt(0, START)).containsExactly(List.of("j3", "j2", "j4", "j1"));
  }

  /**
   * A set is left out by the most that one of its jobs can score, and an overdue job scores its
   * weight, however little urgency counts.
   */
  @ParameterizedTest
  @ValueSource(strings = {"resnet18", "vit"})
  void startsAnOverdueJob_beforeOneOfAnotherSet_whicheverIsReadFirst(String workload) {
    Map<String, Double> weights = Map.of("short_service", 0.0, "tokens", 0.0);
    Shard shard = new Shard(alone(), Policies.create("dynamic", weights));
    shard.at(0, executor("e", 1, 1000));
    shard.holding(job(1).on(workload).sloMs(19)); // 10 for being overdue
    String other = workload.equals("vit") ? "resnet18" : "vit";
    for (int i = 2; i <= 7; i++) {
      shard.holding(job(i).on(other)); // 5 for its five others, and 1 / 981 for its urgency
    }
    assertThat(shard.jobsStartedAt(20 * MS, START)).containsExactly(List.of("j1"));
  }

  @Test
  void aJobIsOverdue_onceItsDeadlineIsPast_notAtIt() {
    Shard shard = Shard.of("dynamic", alone(), executor("e", 1, 1000)).holding(job(1).sloMs(20));
    assertThat(shard.at(20 * MS, START).get(0).decision().scoreTerms())
        .containsEntry("urgency", 1.0);
    Shard later = Shard.of("dynamic", alone(), executor("e", 1, 1000)).holding(job(1).sloMs(20));
    assertThat(later.at(20 * MS + 1, START).get(0).decision().scoreTerms())
        .containsEntry("urgency", 10.0);
  }

  @ParameterizedTest
  @CsvSource({"1, 0", "2, 1", "5, 4", "6, 5", "7, 5", "9, 5"})
  void fiveOthersCountAsBatchable_andNoMore(int waiting, double batchability) {
    Shard shard = Shard.of("dynamic", alone(), executor("e", 1, 1000));
    for (int i = 1; i <= waiting; i++) {
      shard.holding(job(i));
    }
    assertThat(shard.at(0, START).get(0).decision().scoreTerms())
        .containsEntry("batchability", batchability);
  }

  @Test
  void aServiceBelowAMillisecond_countsAsOne() {
    var fast =
        new Capability("resnet18", "pytorch", "fp32", 1_000_000, List.of(new WarmUp(1, MS / 2)));
    Shard shard =
        Shard.of("dynamic", alone(), executor("e", 1, false, 1, 1000, List.of(fast)))
            .holding(job(1));
    assertThat(shard.at(0, START).get(0).decision().scoreTerms())
        .containsEntry("short_service", 2000.0);
  }
}
