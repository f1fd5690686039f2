package dev.sluice.producer.generator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.RoleJoined;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.Ticked;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The state of a run that earlier generators left: two generators, two shards and ten jobs. */
final class RunSoFarTest {
  private final RunSoFar soFar = new RunSoFar(10);

  @Test
  void knowsNothing_whenNothingWasWritten() {
    soFar.add(new RoleJoined(RoleJoined.Role.ANALYZE, "analyze-1", "config", null));
    soFar.add(0, new Ticked());
    assertThat(soFar.started()).isNull();
    assertThat(soFar.ended()).isNull();
    assertThat(soFar.started(0)).isFalse();
    assertThat(soFar.arrivalsEnded()).isFalse();
    assertThat(soFar.sentAtNs()).isEmpty();
  }

  @Test
  void countsTheFirstStartAndTheFirstEnd() {
    soFar.add(started(1_000));
    soFar.add(started(2_000));
    soFar.add(ended("first"));
    soFar.add(ended(null));
    assertThat(soFar.started()).isEqualTo(started(1_000));
    assertThat(soFar.ended()).isEqualTo(ended("first"));
  }

  @Test
  void knowsWhichShardsWereToldOfTheBeginning() {
    soFar.add(1, started(1_000));
    assertThat(soFar.started(0)).isFalse();
    assertThat(soFar.started(1)).isTrue();
  }

  @Test
  void keepsWhenEachJobWasFirstSent() {
    soFar.add(0, job(0, 100));
    soFar.add(1, job(1, 200));
    soFar.add(0, job(0, 900));
    soFar.add(0, job(10, 300)); // is in no list
    assertThat(soFar.sentAtNs()).containsExactly(Map.entry(0, 100L), Map.entry(1, 200L));
  }

  @Test
  void knowsWhichGeneratorToldWhichShardThatItEnds() {
    soFar.add(1, new ArrivalsEnded(0, 5, 1, 1, 0));
    assertThat(soFar.arrivalsEnded()).isTrue();
    assertThat(soFar.arrivalsEnded(0, 1)).isTrue();
    assertThat(soFar.arrivalsEnded(0, 0)).isFalse();
    assertThat(soFar.arrivalsEnded(1, 1)).isFalse();
  }

  private static RunStarted started(long timeZeroEpochMs) {
    return new RunStarted("run-1", timeZeroEpochMs, 42, "config", "requests", 2, 2, 5L);
  }

  private static RunEnded ended(String failure) {
    return new RunEnded("run-1", 3, false, false, 9, failure, null);
  }

  private static JobRequested job(long index, long sentAtNs) {
    return new JobRequested(
        "job-" + index,
        (int) (index % 2),
        index,
        "batch",
        "resnet18",
        "onnx",
        "fp32",
        1,
        1_000,
        90,
        sentAtNs);
  }
}
