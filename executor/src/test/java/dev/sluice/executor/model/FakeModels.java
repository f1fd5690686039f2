package dev.sluice.executor.model;

import dev.sluice.contract.experiment.ModelInput;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.network.Workloads.WorkloadInfo;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Models whose inference the test supplies. */
public final class FakeModels implements RunModels {
  /** Events in their order: open, infer, close. */
  public final List<String> events = new CopyOnWriteArrayList<>();

  /** Sessions in the order in which they were opened. */
  public final List<Opened> opened = new CopyOnWriteArrayList<>();

  public int devices = 1;

  public volatile Inference inference = FakeModels::oneHot;

  /** Action at the opening of a session, which may throw. */
  public volatile Opening opening = lane -> {};

  /** Action whenever inputs are about to be made. */
  public volatile Runnable preparing = () -> {};

  public interface Opening {
    void open(int lane) throws InferenceException;
  }

  public record Opened(ModelKey model, int lane, InputBuffer buffer) {}

  public interface Inference {
    float[][] infer(List<JobInput> jobs) throws InferenceException;
  }

  /** Returns logits by which each sample's class is its job's number of samples. */
  public static float[][] oneHot(List<JobInput> jobs) {
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

  /** Returns once an event has happened. */
  public synchronized void awaitEvent(String event) throws InterruptedException {
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
    preparing.run();
    return new WorkloadInfo(
        model.workload(), 80, 1_000, 11, List.of(ModelInput.of(List.of(3, 2, 2))));
  }
}
