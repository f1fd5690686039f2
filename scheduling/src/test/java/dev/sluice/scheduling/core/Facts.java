package dev.sluice.scheduling.core;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchCompleted.Result;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.Lane;
import dev.sluice.contract.event.ExecutorReported.WarmUp;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.Ticked;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.driver.CoreSettings.Admission;
import dev.sluice.scheduling.driver.CoreSettings.Bounds;
import dev.sluice.scheduling.driver.CoreSettings.Leases;
import dev.sluice.scheduling.driver.CoreSettings.Microbatch;
import dev.sluice.scheduling.driver.CoreSettings.Placing;
import dev.sluice.scheduling.driver.CoreSettings.Switching;
import dev.sluice.scheduling.policy.JobClass;
import dev.sluice.scheduling.policy.JobSpec;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Facts and settings for hand-made states. Times given in ms become nanoseconds. */
public final class Facts {
  public static final long MS = 1_000_000;
  public static final Fact TICK = new Ticked();
  public static final Fact START = started(1, Long.MAX_VALUE);
  static final Microbatch ALONE = new Microbatch(false, 0, 1);

  private static final List<JobClass> CLASSES =
      List.of(
          new JobClass("interactive", 1, true, false),
          new JobClass("batch", 5, false, true),
          new JobClass("bulk", 5, false, true));

  private Facts() {}

  /**
   * The beginning of a run.
   *
   * @param arrivalsEndAtNsMax {@link Long#MAX_VALUE}: not known
   */
  public static RunStarted started(int sources, long arrivalsEndAtNsMax) {
    return new RunStarted(
        "run",
        0,
        1,
        "",
        "",
        1,
        sources,
        arrivalsEndAtNsMax == Long.MAX_VALUE ? null : arrivalsEndAtNsMax);
  }

  static CoreSettings settings(Microbatch microbatch, Admission admission) {
    Map<String, Integer> tokens = Map.of("resnet18", 80, "resnet50", 160, "vit", 260);
    return CoreSettings.of(7, CLASSES, tokens).with(microbatch).with(admission);
  }

  /** The same with leases: a heartbeat of 200 ms, a lease of 2 s and two attempts. */
  static CoreSettings leased(CoreSettings settings) {
    return settings.with(new Leases(200 * MS, 2000 * MS, 2));
  }

  public static CoreSettings ahead(CoreSettings settings) {
    return settings.with(new Placing(1, settings.placing().cpuFallback(), Switching.NONE, 0));
  }

  static CoreSettings bounded(int maxWaiting, long expireAfterMs) {
    CoreSettings settings = alone();
    return settings.with(new Bounds(maxWaiting, expireAfterMs * MS));
  }

  static CoreSettings cpuFallback(CoreSettings settings) {
    return settings.with(new Placing(settings.placing().ahead(), true, Switching.NONE, 0));
  }

  public static CoreSettings alone() {
    return settings(ALONE, Admission.NONE);
  }

  public static CoreSettings joining(long windowMs, int maxBatch) {
    return settings(new Microbatch(true, windowMs * MS, maxBatch), Admission.NONE);
  }

  /** An executor that runs every model of the settings on pytorch. */
  public static ExecutorReported executor(String id, int lanes, long tokens) {
    return executor(id, 1, false, lanes, tokens, capabilities());
  }

  public static ExecutorReported executor(
      String id,
      long incarnation,
      boolean leaving,
      int lanes,
      long tokens,
      List<Capability> capabilities) {
    return executor(id, incarnation, leaving, "cpu", lanes, tokens, capabilities);
  }

  /** An executor whose lanes all hold something, as far as it says. */
  static ExecutorReported executor(
      String id,
      long incarnation,
      boolean leaving,
      String deviceKind,
      int lanes,
      long tokens,
      List<Capability> capabilities) {
    return ExecutorReported.of(
        id,
        incarnation,
        leaving,
        deviceKind,
        tokens == Long.MAX_VALUE ? null : tokens,
        IntStream.range(0, lanes).mapToObj(Facts::holding).toList(),
        capabilities);
  }

  private static Lane holding(int lane) {
    return new Lane(lane, List.of(new DispatchId(0, 0)));
  }

  /** A report of the same executor that says which of its lanes hold nothing. */
  static ExecutorReported empty(ExecutorReported report, Integer... lanes) {
    return ExecutorReported.of(
        report.executorId(),
        report.incarnation(),
        report.leaving(),
        report.deviceKind(),
        report.tokens(),
        report.lanes().stream()
            .map(
                lane ->
                    List.of(lanes).contains(lane.index())
                        ? new Lane(lane.index(), List.of())
                        : holding(lane.index()))
            .toList(),
        report.capabilities());
  }

  /** resnet18 takes 10 ms a sample, resnet50 20 ms, vit 100 ms. */
  static List<Capability> capabilities() {
    return List.of(capability("resnet18", 10), capability("resnet50", 20), capability("vit", 100));
  }

  static Capability capability(String workload, long msPerSample) {
    return new Capability(
        workload, "pytorch", "fp32", 1_000_000, List.of(new WarmUp(1, msPerSample * MS)));
  }

  public static Job job(int index) {
    return new Job(index, "batch", "resnet18", "fp32", 1, 1000, 0, 1);
  }

  /** A job under construction; its id is "j" and its index. */
  public record Job(
      int index,
      String classType,
      String workload,
      String precision,
      int samples,
      long sloMs,
      long intendedMs,
      int lanes) {
    public Job interactive() {
      return new Job(index, "interactive", workload, precision, samples, 100, intendedMs, lanes);
    }

    public Job of(String newClassType) {
      return new Job(index, newClassType, workload, precision, samples, sloMs, intendedMs, lanes);
    }

    public Job on(String newWorkload) {
      return new Job(index, classType, newWorkload, precision, samples, sloMs, intendedMs, lanes);
    }

    public Job in(String newPrecision) {
      return new Job(index, classType, workload, newPrecision, samples, sloMs, intendedMs, lanes);
    }

    public Job samples(int newSamples) {
      return new Job(index, classType, workload, precision, newSamples, sloMs, intendedMs, lanes);
    }

    public Job sloMs(long newSloMs) {
      return new Job(index, classType, workload, precision, samples, newSloMs, intendedMs, lanes);
    }

    public Job atMs(long newIntendedMs) {
      return new Job(index, classType, workload, precision, samples, sloMs, newIntendedMs, lanes);
    }

    public Job lanes(int newLanes) {
      return new Job(index, classType, workload, precision, samples, sloMs, intendedMs, newLanes);
    }

    public JobSpec spec() {
      return new JobSpec(
          "j" + index,
          0,
          index,
          classType,
          workload,
          "pytorch",
          precision,
          samples,
          lanes,
          sloMs * MS,
          intendedMs * MS,
          null);
    }

    public Step arrives() {
      return Step.of(spec());
    }
  }

  public static BatchCompleted done(BatchDispatched dispatch) {
    return completed(dispatch, Result.DONE, 10 * MS);
  }

  static BatchCompleted completed(BatchDispatched dispatch, Result result, long serviceNs) {
    return completed(dispatch, result, result == Result.DONE ? null : "it broke", serviceNs);
  }

  static BatchCompleted refusedAsBusy(BatchDispatched dispatch) {
    return completed(dispatch, Result.REFUSED, "busy", 0);
  }

  static BatchCompleted completed(
      BatchDispatched dispatch, Result result, @Nullable String cause, long serviceNs) {
    boolean ran = result != Result.REFUSED;
    return new BatchCompleted(
        dispatch.dispatchId(),
        dispatch.executorId(),
        dispatch.incarnation(),
        dispatch.lanes().get(0),
        ran ? 0L : null,
        ran ? serviceNs : null,
        serviceNs,
        0,
        result,
        cause,
        List.of(),
        null,
        null);
  }
}
