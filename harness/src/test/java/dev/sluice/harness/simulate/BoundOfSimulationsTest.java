package dev.sluice.harness.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.analytics.report.RunReport;
import dev.sluice.analytics.row.Jobs.JobRow;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.simulate.ExperimentBound.Good;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No policy makes more jobs good than the bound says, in simulations of all that bends times. */
final class BoundOfSimulationsTest {
  private static final String CELL =
      """
      run_name: cell
      duration_seconds: 12
      warmup_seconds: 2
      tail_seconds: 2
      arrival_rate_jobs_per_sec: 300
      interactive_ratio: 0
      classes: {only: {slo_ms: 60, microbatch: true}}
      workloads: [{name: m, alpha_ms: 5, beta_ms: 1, tokens: 1}]
      backends_enabled: [onnx]
      batch_sizes: [1]
      microbatch: {window_ms: 4, max_batch: 32}
      lanes: {kind: emulated, num_lanes: 1}
      simulation: {hops: none}
      """;

  private static final String CONTENDED =
      """
      workload,backend,precision,samples,busy_lanes,mean_ms,spread
      resnet18,onnx,fp32,1,1,6,0.1
      resnet18,onnx,fp32,32,1,37,0.1
      resnet18,onnx,fp32,1,3,8,0.1
      resnet18,onnx,fp32,32,3,50,0.1
      """;

  @TempDir private Path folder;

  private ParsedExperiment cell(List<String> overrides) throws IOException, UserMistakeException {
    Files.writeString(folder.resolve("contended.csv"), CONTENDED);
    Path file = Files.writeString(folder.resolve("cell.yaml"), CELL);
    return ExperimentFile.read(file, overrides, Registries.vocabulary());
  }

  private static int good(RunReport report, String classType) {
    int good = 0;
    for (JobRow job : report.rows().jobs().all()) {
      boolean counts = classType.isEmpty() || job.kind().classType().equals(classType);
      good += counts && job.isMeasured() && !job.isViolation() ? 1 : 0;
    }
    return good;
  }

  /** Cells with more load than their lanes can do. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "arrival_rate_jobs_per_sec=900",
        "arrival_rate_jobs_per_sec=500 | batch_sizes=[3]",
        "arrival_rate_jobs_per_sec=2500 | lanes.num_lanes=3 | batch_sizes=[1, 2, 5]",
        "arrival_rate_jobs_per_sec=3500 | lanes.num_lanes=3 | arrivals={process: gamma, cv: 3}",
        "arrival_rate_jobs_per_sec=900 | lanes.drift=[{at_seconds: 4, factor: 0.5}]"
            + " | batch_sizes=[2, 8]",
        "arrival_rate_jobs_per_sec=5000 | lanes.num_lanes=2 | kafka.shards=2",
        "arrival_rate_jobs_per_sec=6000 | lanes.num_lanes=3 | workloads=[resnet18]"
            + " | lanes.latency_table=contended.csv",
        "arrival_rate_jobs_per_sec=2500 | lanes.num_lanes=2"
            + " | workloads=[{synthetic: 2, alpha_ms: 5, beta_ms: 1}]"
            + " | classes={only: {slo_ms: 40, microbatch: true}, slow: {slo_ms: 300, microbatch:"
            + " true}, alone: {slo_ms: 30, microbatch: false}}"
      })
  void noPolicyExceedsIt(String overridden) throws Exception {
    List<String> overrides = new ArrayList<>(List.of(overridden.split(" \\| ")));
    ExperimentBound bound = ExperimentBound.of(cell(overrides), null);
    Good all = bound.good(kind -> true, null);
    assertThat(all.goodMax()).isLessThan(all.jobs());
    assertThat(all.optimum()).isEqualTo(overrides.size() == 1 || overridden.endsWith("[3]"));
    for (String policy : List.of("fifo", "priority_slo", "dynamic", "batch_aware")) {
      overrides.add("scheduler_name=" + policy);
      overrides.add("admission=hopeless");
      RunReport report = SimulatedExperiment.read(cell(overrides), null).report("s");
      for (String name : List.of("", "only", "slow")) {
        Good most = bound.good(kind -> name.isEmpty() || kind.classType().equals(name), null);
        assertThat(good(report, name)).as(policy + " " + name).isLessThanOrEqualTo(most.goodMax());
      }
    }
  }

  @Test
  void scenariosWithoutArrivals_andTimesWithoutABound_areRefused() {
    assertThatThrownBy(() -> ExperimentBound.of(cell(List.of("scenario=single_stream")), null))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("the scenario (single_stream)")
        .hasMessageContaining("Maybe");
  }
}
