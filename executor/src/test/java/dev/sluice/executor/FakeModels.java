package dev.sluice.executor;

import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.model.InferenceSession;
import dev.sluice.executor.model.InputBuffer;
import dev.sluice.executor.model.JobInput;
import dev.sluice.executor.model.WorkloadInfo;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Models whose inference is what the test says. */
final class FakeModels implements RealDevice.Models {
  /** What happened, in its order: opened, infer, closed. */
  final List<String> events = new CopyOnWriteArrayList<>();

  /** Each session that was opened, in their order. */
  final List<Opened> opened = new CopyOnWriteArrayList<>();

  int devices = 1;

  volatile Inference inference = FakeModels::oneHot;

  /** What opening a session takes, or throws. */
  volatile Opening opening = lane -> {};

  interface Opening {
    void open(int lane) throws InferenceException;
  }

  record Opened(ModelKey model, int lane, InputBuffer buffer) {}

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

  /** Returns when that has happened. */
  synchronized void awaitEvent(String event) throws InterruptedException {
    while (!events.contains(event)) {
      wait();
    }
  }

  private synchronized void happened(String event) {
    events.add(event);
    notifyAll();
  }

  @Override
  public InferenceSession openSession(ModelKey model, int lane, InputBuffer buffer)
      throws InferenceException {
    opening.open(lane);
    opened.add(new Opened(model, lane, buffer));
    String thread = Thread.currentThread().getName();
    happened("open " + thread);
    return new InferenceSession() {
      @Override
      public float[][] infer(List<JobInput> jobs) throws InferenceException {
        var logits = inference.infer(jobs);
        happened("infer " + Thread.currentThread().getName());
        return logits;
      }

      @Override
      public void close() {
        happened("close " + Thread.currentThread().getName());
      }
    };
  }

  @Override
  public boolean isOneWithTheFirst(ModelKey model, int lane) {
    return lane % devices == 0;
  }

  @Override
  public WorkloadInfo info(ModelKey model) {
    return new WorkloadInfo(model.workload(), 80, 1_000, 11, List.of(3, 2, 2));
  }
}
