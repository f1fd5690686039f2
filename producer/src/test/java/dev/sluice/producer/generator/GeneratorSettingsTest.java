package dev.sluice.producer.generator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.contract.log.Topics;
import dev.sluice.producer.requests.Experiments;
import dev.sluice.producer.requests.RequestList;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class GeneratorSettingsTest {
  private final Experiments experiment = new Experiments();

  @ParameterizedTest
  @CsvSource({"4_500, 1, 0", "5_500, 1, 1", "10_500, 1, 2", "10_500, 2, 1", "60_000, 1, 5"})
  void aGeneratorGathersJobs_theLongerTheMoreItSends(
      String jobsPerSec, int generators, int lingerMs) {
    experiment.ratePerSecond = Double.parseDouble(jobsPerSec.replace("_", ""));
    experiment.generators = generators;
    assertThat(lingerMs()).isEqualTo(lingerMs);
  }

  @Test
  void aGeneratorThatWaitsForEachJobsEnd_gathersNone() {
    experiment.ratePerSecond = 10_500;
    experiment.scenario = Scenario.SINGLE_STREAM;
    assertThat(lingerMs()).isZero();
  }

  private int lingerMs() {
    experiment.durationSeconds = 3;
    experiment.warmupSeconds = 0;
    experiment.tailSeconds = 1;
    var limits = new GeneratorSettings.TimeLimits(Duration.ZERO, Duration.ZERO);
    RequestList requests = RequestList.draw(experiment.build());
    return new GeneratorSettings(
            experiment.build(), requests, "run-1", "config", new Topics("run-1"), limits)
        .lingerMs();
  }
}
