package dev.sluice.scheduling.policies;

import static dev.sluice.scheduling.core.Facts.START;
import static dev.sluice.scheduling.core.Facts.alone;
import static dev.sluice.scheduling.core.Facts.executor;
import static dev.sluice.scheduling.core.Facts.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.scheduling.core.Facts;
import dev.sluice.scheduling.core.Shard;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Jobs of equal scores start by deadline, then by arrival, then by index, whichever of them stands
 * in the kind of jobs that a policy reads first.
 */
final class TiesTest {
  /** Jobs of one kind, and those of another: of another set, or of another size in one set. */
  private static final List<BiFunction<Facts.Job, Boolean, Facts.Job>> KINDS =
      List.of(
          (job, second) -> job.on(second ? "vit" : "resnet18"),
          (job, second) -> job.on(second ? "resnet18" : "vit"),
          (job, second) -> job.samples(second ? 2 : 1),
          (job, second) -> job.samples(second ? 1 : 2));

  @ParameterizedTest
  @ValueSource(strings = {"priority_slo", "batch_aware", "dynamic"})
  void theEarlierDeadlineStartsFirst_ofEqualScores(String policy) {
    startsInOrder(policy, job(2).sloMs(40), job(1).sloMs(50));
  }

  @ParameterizedTest
  @ValueSource(strings = {"priority_slo", "batch_aware", "dynamic"})
  void theEarlierArrivalStartsFirst_ofEqualDeadlines(String policy) {
    startsInOrder(policy, job(2).atMs(0).sloMs(50), job(1).atMs(10).sloMs(40));
  }

  @ParameterizedTest
  @ValueSource(strings = {"priority_slo", "batch_aware", "dynamic"})
  void theLowerIndexStartsFirst_ofEqualArrivals(String policy) {
    startsInOrder(policy, job(1), job(2));
  }

  private static void startsInOrder(String policy, Facts.Job first, Facts.Job second) {
    Map<String, Double> noWeight =
        Policies.weights(policy).stream().collect(Collectors.toMap(w -> w.name(), w -> 0.0));
    for (BiFunction<Facts.Job, Boolean, Facts.Job> kind : KINDS) {
      Shard shard = new Shard(alone(), Policies.create(policy, noWeight));
      shard.at(0, executor("e", 2, 1000));
      Stream.of(kind.apply(first, false), kind.apply(second, true))
          .sorted(Comparator.comparing(Facts.Job::index)) // a source sends its jobs in order
          .forEach(shard::holding);
      assertThat(shard.jobsStartedAt(0, START))
          .containsExactly(List.of("j" + first.index()), List.of("j" + second.index()));
    }
  }
}
