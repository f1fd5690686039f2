package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.harness.frame.Registries;
import dev.sluice.producer.requests.RequestList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests whose promises count in a job's time alone. */
final class ScaledPromisesTest {
  private static final String EXPERIMENT =
      """
      duration_seconds: 20
      arrival_rate_jobs_per_sec: 10
      batch_sizes: [1, 3]
      classes:
        batch: {slo_scale: 4}
      workloads: [vit, {name: toy, tokens: 10, alpha_ms: 2, beta_ms: 0.5}]
      lanes: {kind: emulated, latency_table: table.csv}
      """;

  @TempDir private Path folder;

  @BeforeEach
  void writeATable() throws IOException {
    table(
        """
        # Made up.
        workload,backend,precision,samples,busy_lanes,mean_ms
        vit,pytorch,fp32,1,1,10
        vit,pytorch,fp32,2,1,18
        vit,pytorch,fp32,1,2,15
        """);
  }

  @Test
  void eachJobsPromise_isAMultipleOfItsOwn() throws Exception {
    ParsedExperiment parsed = parsed(EXPERIMENT);
    RequestList requests = RequestList.of(parsed, LaneSource.of(parsed)::isolatedMs);

    for (int i = 0; i < requests.size(); i++) {
      var job = requests.get(i);
      double aloneMs =
          job.workload().equals("vit") ? job.samples() == 1 ? 10 : 27 : 2 + 0.5 * job.samples();
      assertThat(job.sloNs())
          .isEqualTo(job.classType().equals("batch") ? Math.round(4e6 * aloneMs) : 100_000_000);
    }
    assertThat(requests.size()).isGreaterThan(100);
  }

  private void table(String text) throws IOException {
    Files.writeString(folder.resolve("table.csv"), text);
  }

  private ParsedExperiment parsed(String text, String... overrides) throws Exception {
    Path file = Files.writeString(folder.resolve("scaled.yaml"), text);
    return ExperimentFile.read(file, List.of(overrides), Registries.vocabulary());
  }
}
