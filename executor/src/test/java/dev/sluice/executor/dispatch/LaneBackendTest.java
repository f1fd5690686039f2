package dev.sluice.executor.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.experiment.Arrivals;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.JobClass;
import dev.sluice.contract.experiment.Experiment.KafkaSettings;
import dev.sluice.contract.experiment.Experiment.Lanes;
import dev.sluice.contract.experiment.Experiment.LinearServiceTime;
import dev.sluice.contract.experiment.Experiment.Microbatch;
import dev.sluice.contract.experiment.Experiment.ModelFile;
import dev.sluice.contract.experiment.Experiment.Predictor;
import dev.sluice.contract.experiment.Experiment.Resources;
import dev.sluice.contract.experiment.Experiment.WorkloadChoice;
import dev.sluice.contract.experiment.LoadShape;
import dev.sluice.contract.experiment.ModelInput;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.lane.Emulation;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.executor.lane.LatencyTable;
import dev.sluice.executor.lane.VirtualTime;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The settings and emulated lanes that follow from an experiment. */
final class LaneBackendTest {
  private static final WorkloadChoice LINEAR =
      new WorkloadChoice("sum", 1, 50, null, new LinearServiceTime(4, 0.5, null, null));
  private static final WorkloadChoice RESNET = new WorkloadChoice("resnet18", 1, 80, null, null);
  private static final WorkloadChoice OWN =
      new WorkloadChoice(
          "own",
          1,
          10,
          new ModelFile("own.pt", "pytorch", List.of(ModelInput.of(List.of(3)))),
          null);

  private static Experiment experiment(boolean tokens, WorkloadChoice... workloads) {
    var lanes =
        new Lanes(true, 16, 1, "auto", "emulated", null, 200, 0, 2000, 3, 1, List.of(), null);
    return experiment(tokens, lanes, workloads);
  }

  static Experiment experiment(boolean tokens, Lanes lanes, WorkloadChoice... workloads) {
    return new Experiment(
        "emulated",
        42,
        new Experiment.Load(
            10, 0, 30, 5, Arrivals.POISSON, LoadShape.even(), Experiment.Scenario.SERVER, 1, null),
        new Experiment.Jobs(
            0.3,
            List.of(new JobClass("batch", 1000, 5, false, true)),
            List.of(workloads),
            List.of("pytorch", "onnx"),
            List.of("fp32"),
            false,
            List.of(1, 2)),
        new Experiment.Scheduling(
            "dynamic",
            Map.of(),
            "none",
            null,
            null,
            new Microbatch(true, 10, 4, List.of("dynamic"), false, Map.of()),
            List.of()),
        new Resources(tokens, 1000, false),
        lanes,
        new Predictor(false, "models/latency", 0.95, 60),
        new KafkaSettings("embedded", 1),
        Map.of(),
        new Experiment.Simulation(null, null, null));
  }

  @Test
  void settingsComeFromTheExperiment() {
    var settings = ExecutorSettings.of(experiment(true, RESNET, OWN), "executor-0", 2, 0);
    assertThat(settings)
        .isEqualTo(
            new ExecutorSettings(
                "executor-0",
                2,
                0,
                16,
                0,
                1,
                1000L,
                42,
                200,
                List.of(
                    new ModelKey("resnet18", "pytorch", "fp32"),
                    new ModelKey("resnet18", "onnx", "fp32"),
                    new ModelKey("own", "pytorch", "fp32")),
                List.of(1, 2, 3, 4)));
    assertThat(ExecutorSettings.of(experiment(false, RESNET), "executor-0", 2, 0).tokens())
        .isNull();
  }

  @Test
  void linearWorkloadsAndTheTableAreEmulatedSideBySide() throws Exception {
    var table = LatencyTable.read(Path.of("../configs/latency/accelerator-like.csv"));
    var experiment = experiment(true, LINEAR, RESNET);
    var backend = LaneBackend.emulated(Emulation.of(experiment, table, 1, name -> name.length()));
    assertThat(backend.deviceKind()).isEqualTo("emulated-accelerator");
    var time = new VirtualTime();
    try (var executor =
        new Executor(
                ExecutorSettings.of(experiment, "executor-0", 1, 0),
                backend,
                time.clock(),
                time,
                (done, total, what) -> {})
            .awaitWarm()) {
      assertThat(executor.cpuPerLane()).isNull();
      assertThat(executor.capabilities()).hasSize(4);
      assertThat(executor.capabilities().get(0).flopsPerSample()).isEqualTo(3);
      assertThat(executor.capabilities().get(0).warmUps())
          .extracting(w -> w.samples() + ":" + w.serviceNs())
          .containsExactly("1:4500000", "2:5000000", "3:5500000", "4:6000000");
      assertThat(executor.capabilities().get(2).warmUps().get(0).serviceNs()).isEqualTo(12_250_000);
    }
  }

  @Test
  void linearWorkloadsNeedNoTable() throws Exception {
    assertThat(
            LaneBackend.emulated(Emulation.of(experiment(true, LINEAR), null, 1, name -> 1))
                .deviceKind())
        .isEqualTo("emulated-linear");
  }

  @Test
  void aWorkloadWithoutAServiceTimeIsTheUsersMistake() throws Exception {
    assertThatThrownBy(
            () -> LaneBackend.emulated(Emulation.of(experiment(true, RESNET), null, 1, name -> 1)))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("workload (resnet18) has neither alpha_ms and beta_ms nor");
    var path = Path.of("../configs/latency/cpu-2core.csv");
    var table = LatencyTable.read(path);
    assertThatThrownBy(
            () -> LaneBackend.emulated(Emulation.of(experiment(true, OWN), table, 1, name -> 1)))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageStartingWith(
            path + ": error: the latency table holds no row for (own on pytorch in fp32).");
  }

  @Test
  void clockOffsetIsWhatRemainsUnexplained() {
    assertThat(KafkaExecutorLog.clockOffsetNs(10, 9, 12, 15)).isZero();
    assertThat(KafkaExecutorLog.clockOffsetNs(10, 5, 7, 15)).as("broker behind").isEqualTo(3);
    assertThat(KafkaExecutorLog.clockOffsetNs(10, 20, 22, 15)).as("ahead").isEqualTo(5);
  }
}
