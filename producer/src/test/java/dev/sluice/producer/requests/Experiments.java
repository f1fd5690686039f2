package dev.sluice.producer.requests;

import dev.sluice.contract.experiment.Arrivals;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.JobClass;
import dev.sluice.contract.experiment.Experiment.ModelFile;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.contract.experiment.Experiment.WorkloadChoice;
import dev.sluice.contract.experiment.LoadShape;
import dev.sluice.contract.experiment.ModelInput;
import java.util.List;
import java.util.Map;

/** Experiments for tests: one with all settings, and fields by which a test changes them. */
public final class Experiments {
  static final JobClass INTERACTIVE = new JobClass("interactive", 100, 1, true, false);
  static final JobClass BATCH = new JobClass("batch", 1000, 5, false, true);

  long seed = 42;
  public double durationSeconds = 20;
  public double warmupSeconds = 2;
  public double tailSeconds = 5;
  public double ratePerSecond = 100;
  public Arrivals arrivals = Arrivals.POISSON;
  public Scenario scenario = Scenario.SERVER;
  public int generators = 1;
  public int shards = 1;
  double interactiveRatio = 0.3;
  List<JobClass> classes = List.of(INTERACTIVE, BATCH);
  List<WorkloadChoice> workloads =
      List.of(workload("resnet18", 2), workload("resnet50", 1), workload("vit", 1));
  List<String> backends = List.of("pytorch", "onnx");
  List<String> precisions = List.of("fp32");
  List<Integer> batchSizes = List.of(1, 8, 32);
  String schedulerName = "fifo";

  static WorkloadChoice workload(String name, double weight) {
    return new WorkloadChoice(name, weight, 80, null, null);
  }

  static WorkloadChoice ownModel(String name, String backend) {
    ModelFile file =
        new ModelFile("models/" + name, backend, List.of(ModelInput.of(List.of(3, 224, 224))));
    return new WorkloadChoice(name, 1, 80, file, null);
  }

  public RequestList drawn() {
    return RequestList.draw(build());
  }

  public Experiment build() {
    return new Experiment(
        "test",
        seed,
        new Experiment.Load(
            durationSeconds,
            warmupSeconds,
            tailSeconds,
            ratePerSecond,
            arrivals,
            LoadShape.even(),
            scenario,
            generators,
            null),
        new Experiment.Jobs(
            interactiveRatio, classes, workloads, backends, precisions, false, batchSizes),
        new Experiment.Scheduling(
            schedulerName,
            Map.of(),
            "none",
            null,
            null,
            new Experiment.Microbatch(
                true, 10, 128, List.of("batch_aware", "dynamic"), false, Map.of()),
            List.of()),
        new Experiment.Resources(true, 1000, false),
        new Experiment.Lanes(
            true, 2, 1, "auto", "emulated", null, 200, 0, 2000, 3, 1, List.of(), null),
        new Experiment.Predictor(false, "models/latency", 0.95, 60),
        new Experiment.KafkaSettings("embedded", shards),
        Map.of(),
        new Experiment.Simulation(null, null, null));
  }
}
