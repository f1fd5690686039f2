package dev.sluice.contract.event;

import dev.sluice.contract.value.Checks;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An executor joined, is alive, or leaves. Topic {@code facts}.
 *
 * <p>Version 2 adds {@code fitCpuNs}, version 3 {@code loadNs} of its capabilities, version 4 their
 * {@code memoryBytes}.
 *
 * @param incarnation number that rises with each start of the same executor
 * @param deviceKind kind of device that its lanes compute on, for example {@code cpu} or {@code
 *     emulated-accelerator}; predictions are kept per device kind
 * @param tokens the memory budget that its lanes share; null: no budget
 * @param clockOffsetNsMax largest distance seen between its clock and the broker's append time
 * @param cpuPerLane processor cores that one busy lane was seen to use at warm-up; null: unknown
 * @param fitCpuNs processor time that fitting latency models beside the run has taken since this
 *     incarnation began; null before version 2
 */
@Event.Version(4)
public record ExecutorReported(
    String executorId,
    long incarnation,
    boolean leaving,
    String deviceKind,
    @Nullable Long tokens,
    List<Lane> lanes,
    List<Capability> capabilities,
    long clockOffsetNsMax,
    @Nullable Double cpuPerLane,
    @Nullable Long fitCpuNs)
    implements Fact {
  public ExecutorReported {
    lanes = List.copyOf(lanes);
    capabilities = List.copyOf(capabilities);
  }

  /** An executor whose clock agrees with the broker's, without measurements of its cost. */
  public static ExecutorReported of(
      String executorId,
      long incarnation,
      boolean leaving,
      String deviceKind,
      @Nullable Long tokens,
      List<Lane> lanes,
      List<Capability> capabilities) {
    return new ExecutorReported(
        executorId, incarnation, leaving, deviceKind, tokens, lanes, capabilities, 0, null, null);
  }

  /**
   * A lane and the dispatches it holds.
   *
   * @param index index within its executor, from 0
   */
  public record Lane(int index, List<DispatchId> holds) {
    public Lane {
      holds = List.copyOf(holds);
    }
  }

  /**
   * A model that each lane of the executor can run.
   *
   * @param flopsPerSample floating-point operations of one sample's inference
   * @param warmUps service times seen at warm-up, by samples, ascending
   * @param loadNs time that a lane which held another model took at warm-up until it held this one;
   *     null: lanes hold all their models at once; null before version 3
   * @param memoryBytes memory of a lane that the model takes; null: lanes hold all their models at
   *     once, or one at a time; null before version 4
   */
  public record Capability(
      String workload,
      String backend,
      String precision,
      long flopsPerSample,
      List<WarmUp> warmUps,
      @Nullable Long loadNs,
      @Nullable Long memoryBytes) {
    public Capability {
      warmUps = List.copyOf(warmUps);
      Checks.atLeastOrNull(1, loadNs, "loadNs");
      Checks.atLeastOrNull(1, memoryBytes, "memoryBytes");
    }

    /** A model that lanes which hold all their models at once can run. */
    public Capability(
        String workload,
        String backend,
        String precision,
        long flopsPerSample,
        List<WarmUp> warmUps) {
      this(workload, backend, precision, flopsPerSample, warmUps, null, null);
    }

    /** What a lane can do with the model. */
    public Capability(
        ModelKey model,
        long flopsPerSample,
        List<WarmUp> warmUps,
        @Nullable Long loadNs,
        @Nullable Long memoryBytes) {
      this(
          model.workload(),
          model.backend(),
          model.precision(),
          flopsPerSample,
          warmUps,
          loadNs,
          memoryBytes);
    }

    public ModelKey model() {
      return new ModelKey(workload, backend, precision);
    }
  }

  /** The service time of a batch of one samples count, as timed at warm-up. */
  public record WarmUp(int samples, long serviceNs) {
    public WarmUp {
      Checks.atLeast(1, samples, "samples");
      Checks.atLeast(1, serviceNs, "serviceNs");
    }
  }
}
