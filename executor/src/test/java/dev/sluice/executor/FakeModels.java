package dev.sluice.executor;

import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.model.InferenceSession;
import dev.sluice.executor.model.JobInput;
import dev.sluice.executor.model.WorkloadInfo;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Models whose inference is what the test says. */
final class FakeModels implements RealDevice.Models {
  /** What happened, in its order: opened, infer, closed. */
  final List<String> events = new CopyOnWriteArrayList<>();

  volatile Inference inference = FakeModels::oneHot;

  interface Inference {
    float[][] infer(List<JobInput> jobs) throws InferenceException;
  }

  /** Each sample's class is its job's number of samples. */
  static float[][] oneHot(List<JobInput> jobs) {
    int rows = jobs.stream().mapToInt(JobInput::samples).sum();
    var logits = new float[rows][10];
    int row = 0;
    for (JobInput job : jobs) {
      for (int i = 0; i < job.samples(); i++) {
        logits[row++][job.samples()] = 1;
      }
    }
    return logits;
  }

  @Override
  public InferenceSession openSession(ModelKey model) {
    String thread = Thread.currentThread().getName();
    events.add("open " + thread);
    return new InferenceSession() {
      @Override
      public float[][] infer(List<JobInput> jobs) throws InferenceException {
        var logits = inference.infer(jobs);
        events.add("infer " + Thread.currentThread().getName());
        return logits;
      }

      @Override
      public void close() {
        events.add("close " + Thread.currentThread().getName());
      }
    };
  }

  @Override
  public WorkloadInfo info(ModelKey model) {
    return new WorkloadInfo(model.workload(), 80, 1_000, 11, List.of(3, 2, 2));
  }
}
