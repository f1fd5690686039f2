package dev.sluice.harness.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.Registries;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The search for the highest rate, on one list of requests. */
final class SimulatedCapacityTest {
  private static final String CELL =
      """
      run_name: cell
      duration_seconds: 3.1
      warmup_seconds: 0.1
      tail_seconds: 0.1
      arrival_rate_jobs_per_sec: 1000
      interactive_ratio: 0
      classes: {only: {slo_ms: 25, microbatch: true}}
      workloads: [{name: m, alpha_ms: 5.072, beta_ms: 1.053, tokens: 1}]
      backends_enabled: [onnx]
      batch_sizes: [1]
      scheduler_name: eager_edf
      microbatch: {window_ms: 0, max_batch: 64}
      resources: {enabled: false}
      lanes: {kind: emulated, num_lanes: 2}
      simulation: {hops: none}
      """;

  @TempDir private Path folder;

  private ParsedExperiment cell(String... overrides) throws Exception {
    Path file = Files.writeString(folder.resolve("cell.yaml"), CELL);
    return ExperimentFile.read(file, List.of(overrides), Registries.vocabulary());
  }

  private JsonNode figures(String id, String... overrides) throws Exception {
    new SimulatedCapacity(cell(overrides))
        .write(folder, id, 0.99, List.of(0.5, 1.2), new ConcurrentHashMap<>());
    return FinishedRun.of(folder.resolve(id)).summary();
  }

  @ParameterizedTest
  @ValueSource(strings = {"eager_edf", "symphony", "slack"})
  void isNeverAboveTheBound_andFarFewerJobsAreGoodBeyondIt(String policy) throws Exception {
    JsonNode figures = figures("one", "scheduler_name=" + policy);
    double share = figures.get("capacity_of_bound").asDouble();
    assertThat(share).isBetween(0.1, 1.0);
    assertThat(
            figures.get("capacity_jobs_sec").asDouble() / figures.get("bound_jobs_sec").asDouble())
        .isEqualTo(share);
    assertThat(figures.get("good_share_at_0.5").asDouble()).isGreaterThan(0.9);
    assertThat(figures.get("good_share_at_1.2").asDouble()).isLessThan(0.99);
  }

  /** A rate in between needs no interpolation: the jobs are those of a list whose gaps shrink. */
  @Test
  void doesNotDependOnTheRateAtWhichRequestsAreDrawn_butForTheTimesOfJobs() throws Exception {
    double drawnAt1000 = figures("one").get("capacity_jobs_sec").asDouble();
    double drawnAt2000 =
        figures(
                "two",
                "arrival_rate_jobs_per_sec=2000",
                "duration_seconds=1.55",
                "warmup_seconds=0.05",
                "tail_seconds=0.05")
            .get("capacity_jobs_sec")
            .asDouble();
    assertThat(drawnAt2000).isBetween(drawnAt1000 * 0.99, drawnAt1000 * 1.01);
  }

  @Test
  void hasNoNumber_whereAJobAloneTakesLongerThanItsPromise() throws Exception {
    JsonNode figures = figures("one", "classes={only: {slo_ms: 6, microbatch: true}}");
    assertThat(figures.has("bound_jobs_sec")).isFalse();
    assertThat(figures.has("capacity_jobs_sec")).isFalse();
  }

  @Test
  void leavesAConfigThatIsRunAgainWhereItLies_withTheTableThatItNames() throws Exception {
    Files.createDirectory(folder.resolve("tables"));
    Files.writeString(
        folder.resolve("tables/times.csv"),
        """
        # device_kind: test
        workload,backend,precision,samples,mean_ms
        m,onnx,fp32,1,6
        m,onnx,fp32,16,22
        """);
    JsonNode figures =
        figures("one", "lanes.latency_table=tables/times.csv", "workloads=[{name: m, tokens: 1}]");
    Path config = folder.resolve("one/config.yaml");
    ParsedExperiment again = ExperimentFile.read(config, List.of(), Registries.vocabulary());
    new SimulatedCapacity(again)
        .write(folder, "two", 0.99, List.of(0.5, 1.2), new ConcurrentHashMap<>());
    assertThat(FinishedRun.of(folder.resolve("two")).summary()).isEqualTo(figures);
  }

  @Test
  void refusesRequestsWithoutARate() {
    assertThatThrownBy(() -> new SimulatedCapacity(cell("scenario=offline", "warmup_seconds=0")))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("the capacity is a rate, and this experiment has none");
  }
}
