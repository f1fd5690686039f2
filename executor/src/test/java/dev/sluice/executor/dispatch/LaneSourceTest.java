package dev.sluice.executor.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.experiment.ArrivalKeys;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.experiment.Vocabulary;
import dev.sluice.contract.experiment.Vocabulary.PolicyWeights;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.lane.Emulation;
import dev.sluice.executor.network.Workloads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The source of a job's time alone, of which latency promises may be multiples. */
final class LaneSourceTest {
  private static final Vocabulary VOCABULARY =
      new Vocabulary(
          Map.of("fifo", PolicyWeights.NONE, "dynamic", PolicyWeights.NONE),
          Map.of("poisson", ArrivalKeys.NONE),
          Workloads.tokens(),
          Map.of("vit", new Vocabulary.Parameters(346_000_000, 28_400_000)),
          List.of());

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

  private static final String NO_TABLE =
      """
      duration_seconds: 20
      arrival_rate_jobs_per_sec: 10
      scheduler_name: dynamic
      backends_enabled: [tensorrt]
      precision_modes: [fp16]
      lanes: {kind: emulated}
      resources: {enabled: false}
      workloads: [resnet50]
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
  void isolatedTimes_areTheTables_withOneBusyLane() throws Exception {
    LaneSource lanes = LaneSource.of(parsed(EXPERIMENT));

    assertThat(lanes.isolatedMs("vit", "pytorch", "fp32", 1)).isEqualTo(10);
    assertThat(lanes.isolatedMs("vit", "pytorch", "fp32", 3)).isEqualTo(27);
    assertThat(lanes.isolatedMs("toy", "pytorch", "fp32", 3)).isEqualTo(3.5);
  }

  @Test
  void realLanesReadTheTable_onlyForPromises() throws Exception {
    String real = EXPERIMENT.replace(", {name: toy, tokens: 10, alpha_ms: 2, beta_ms: 0.5}", "");
    real = real.replace("kind: emulated, ", "");

    LaneSource lanes = LaneSource.of(parsed(real));
    assertThat(lanes.isolatedMs("vit", "pytorch", "fp32", 1)).isEqualTo(10);
    assertThat(lanes.notes())
        .containsExactly("slo_scale counts in latency table table.csv: Made up.");
    Files.delete(folder.resolve("table.csv"));
    assertThat(LaneSource.of(parsed(real.replace("slo_scale: 4", "slo_ms: 4"))).notes()).isEmpty();
  }

  @Test
  void aMemoryBudgetIsNoted_andThatItTakesAllLanesToTheProcessor() throws Exception {
    String budget =
        """
        duration_seconds: 20
        arrival_rate_jobs_per_sec: 10
        workloads: [{name: vit, memory_budget: 64MB}, resnet18]
        lanes: {device: %s}
        """;
    assertThat(LaneSource.of(parsed(budget.formatted("auto"))).notes())
        .containsExactly(
            "vit: layers come and go by schedule auto, 64.0 MB at a time",
            "all lanes compute on the processor: each may get vit, and memory_budget works there"
                + " alone");
    assertThat(LaneSource.of(parsed(budget.formatted("cpu"))).notes()).hasSize(1);
  }

  @Test
  void aMissingRow_isNamedAtTheScale() throws Exception {
    ParsedExperiment onnx = parsed(EXPERIMENT, "backends_enabled=[pytorch, onnx]");
    assertThatThrownBy(() -> LaneSource.of(onnx))
        .isInstanceOf(UserMistakeException.class)
        .hasMessage(
            onnx.file()
                + ":5: error: classes.batch.slo_scale (4) needs the time of (vit on onnx in fp32)"
                + " with one busy lane, and "
                + folder.resolve("table.csv")
                + " holds no such row.\n"
                + "  Maybe add rows for it, or use slo_ms.");
  }

  @Test
  void timesWithMoreBusyLanes_areNoTimesAlone() throws Exception {
    table(
        """
        workload,backend,precision,samples,busy_lanes,mean_ms
        vit,pytorch,fp32,1,2,15
        """);
    assertThatThrownBy(() -> LaneSource.of(parsed(EXPERIMENT)))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("needs the time of (vit on pytorch in fp32) with one busy lane");
  }

  @Test
  void emulatedLanesWithoutATable_areRefused_whereTheDefaultOneLacksAWorkload() throws Exception {
    ParsedExperiment none = parsed(NO_TABLE.replace("workloads: [resnet50]\n", ""));
    assertThatThrownBy(() -> atHome(none))
        .isInstanceOfSatisfying(
            UserMistakeException.class,
            mistake -> {
              assertThat(mistake.problems()).hasSize(2);
              assertThat(mistake.problems().get(0).location()).isEqualTo(none.file() + ":6");
              assertThat(mistake.problems().get(0).what())
                  .isEqualTo(
                      "workloads (resnet18 on tensorrt in fp16) has no service time on emulated"
                          + " lanes: their default table has (bert_large on tensorrt in fp16,"
                          + " resnet50 on tensorrt in fp16)");
              assertThat(mistake.problems().get(0).maybe())
                  .startsWith("lanes.latency_table should name a table, or the entry should be");
            });
    ParsedExperiment named = parsed(NO_TABLE, "workloads=[vit]");
    assertThatThrownBy(() -> atHome(named))
        .hasMessageContaining("=[vit]: error: workloads (vit on");
  }

  @Test
  void aPublishedTable_tellsItsProvenance_andWhichSizesWereMeasured() throws Exception {
    LaneSource lanes = atHome(parsed(NO_TABLE));
    assertThat(lanes.notes()).hasSize(3);
    assertThat(lanes.notes().get(0))
        .startsWith("latency table triton-a100-80gb.csv: ResNet-50 v1.5 and BERT-large")
        .contains(" Source: NVIDIA ", " Licence: resnet50 BSD-3-Clause", " Method: one model ")
        .contains(" Time: resnet50 the mean ", " Date: resnet50 April 2021", " Assumed: spread, ");
    assertThat(lanes.notes().subList(1, 3))
        .containsExactly(
            "resnet50 was measured with 1, 2, 4, 8, 16, 32, 64, 128 samples; times between them are"
                + " interpolated",
            "emulated lanes have no contention");
    assertThat(lanes.workloadInfos())
        .as("sizes, though no engine is named tensorrt")
        .containsOnlyKeys("resnet50");
    assertThat(atHome(parsed(NO_TABLE, "batch_sizes=[1, 16]", "microbatch.enabled=false")).notes())
        .as("all sizes were measured")
        .hasSize(2);
  }

  @Test
  void sizesBeyondThoseOfAPublishedTable_areRefused_atTheirKey() throws Exception {
    assertThatThrownBy(() -> emulation("microbatch.max_batch=200"))
        .hasMessageStartingWith("--set microbatch.max_batch=200: error: a batch of (resnet50 on")
        .hasMessageContaining("may have 1 to 200 samples")
        .hasMessageContaining("has measured times of 1 to 128.\n")
        .hasMessageContaining("{models: {resnet50: {max_batch: 128}}}");
    assertThatThrownBy(() -> emulation("batch_sizes=[1, 200]"))
        .hasMessageStartingWith("--set batch_sizes=[1, 200]: error: a batch of (resnet50 on");
    assertThat(emulation("batch_sizes=[128]").deviceKind()).isEqualTo("emulated-triton-a100-80gb");
    emulation("microbatch.max_batch=200", "microbatch.models.resnet50.max_batch=128");
  }

  private Emulation emulation(String... overrides) throws Exception {
    ParsedExperiment parsed = parsed(NO_TABLE, overrides);
    return LaneSource.emulation(parsed, atHome(parsed).latencyTable(), 1);
  }

  /** Opens the lanes where the files that come with Sluice can be found. */
  private static LaneSource atHome(ParsedExperiment parsed) throws UserMistakeException {
    String before = System.getProperty("sluice.home");
    System.setProperty("sluice.home", "..");
    try {
      return LaneSource.of(parsed);
    } finally {
      if (before == null) {
        System.clearProperty("sluice.home");
      } else {
        System.setProperty("sluice.home", before);
      }
    }
  }

  private void table(String text) throws IOException {
    Files.writeString(folder.resolve("table.csv"), text);
  }

  private ParsedExperiment parsed(String text, String... overrides) throws Exception {
    Path file = Files.writeString(folder.resolve("scaled.yaml"), text);
    return ExperimentFile.read(file, List.of(overrides), VOCABULARY);
  }
}
