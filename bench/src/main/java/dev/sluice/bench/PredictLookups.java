package dev.sluice.bench;

import dev.sluice.contract.value.JobId;
import dev.sluice.scheduling.core.SchedulingCore;
import dev.sluice.scheduling.fact.CoreFact;
import dev.sluice.scheduling.fact.CoreFact.PredictionsPublished;
import dev.sluice.scheduling.fact.CoreFact.PredictionsPublished.Service;
import dev.sluice.scheduling.fact.CoreListener;
import dev.sluice.scheduling.fact.CoreSettings;
import dev.sluice.scheduling.fact.CoreSettings.Microbatch;
import dev.sluice.scheduling.fact.CoreSettings.Predictor;
import dev.sluice.scheduling.fact.Dispatch;
import dev.sluice.scheduling.fact.JobEnd;
import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.policy.JobClass;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Look-ups of predictions as a policy does them: {@link SchedulerState#predictedNs} by a published
 * table of four workloads, two engines, {@value #SAMPLES} samples and {@value #LANES} busy lanes.
 * JMH makes and drives it, which is why it is public.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class PredictLookups implements CoreListener, SchedulingPolicy {
  private static final List<String> WORKLOADS = List.of("resnet18", "resnet50", "vit", "vit_tiny");
  private static final List<String> BACKENDS = List.of("pytorch", "onnx");
  private static final int GROUPS = 8;
  private static final int SAMPLES = 128;
  private static final int LANES = 4;
  private static final long NS_PER_MS = 1_000_000;

  /** State that the core asked this policy with; null: it has not asked yet. */
  private @Nullable SchedulerState asked;

  /**
   * Builds a core with the table, and checks the predictions once.
   *
   * @throws IllegalStateException if the predictions are not those of the table
   */
  @Setup
  public void fill() {
    CoreSettings settings =
        CoreSettings.of(
                7,
                List.of(new JobClass("batch", 5, false, true)),
                Map.of("resnet18", 80, "resnet50", 160, "vit", 260, "vit_tiny", 40))
            .with(new Microbatch(false, 0, SAMPLES))
            .with(new Predictor(true, 0.95));
    SchedulingCore core = new SchedulingCore(settings, this);
    List<CoreFact> facts = new ArrayList<>(List.of(executor(), table()));
    int jobs = 0;
    for (String workload : WORKLOADS) {
      for (String backend : BACKENDS) {
        facts.add(new CoreFact.JobArrived(job(jobs++, workload, backend)));
      }
    }
    facts.add(new CoreFact.RunStarted(7, 1, Long.MAX_VALUE)); // the policy is asked from here on
    for (int i = 0; i < facts.size(); i++) {
      core.apply(i, 0, facts.get(i), this);
    }
    long each = SAMPLES * (SAMPLES + 1L) / 2 + SAMPLES; // one lane is busy with it
    long sumNs = sumOfLookups();
    if (sumNs != GROUPS * each * NS_PER_MS) {
      throw new IllegalStateException("the predictions add up to " + sumNs);
    }
  }

  /** Looks up each number of samples of each group, and returns the sum. */
  @Benchmark
  @OperationsPerInvocation(GROUPS * SAMPLES)
  public long sumOfLookups() {
    SchedulerState state = asked;
    if (state == null) {
      throw new IllegalStateException("the core did not ask the policy");
    }
    SchedulerState.Lane lane = state.lanes().get(0);
    long sumNs = 0;
    for (SchedulerState.Group group : state.groups()) {
      for (int samples = 1; samples <= SAMPLES; samples++) {
        sumNs += state.predictedNs(group, samples, lane);
      }
    }
    return sumNs;
  }

  private static CoreFact executor() {
    List<CoreFact.Capability> capabilities = new ArrayList<>();
    for (String workload : WORKLOADS) {
      for (String backend : BACKENDS) {
        capabilities.add(new CoreFact.Capability(workload, backend, "fp32", 1, List.of()));
      }
    }
    return new CoreFact.ExecutorReported(
        "executor-0", 1, false, "cpu", Long.MAX_VALUE, LANES, capabilities, List.of());
  }

  private static CoreFact table() {
    List<Service> services = new ArrayList<>();
    for (String workload : WORKLOADS) {
      for (String backend : BACKENDS) {
        List<List<Long>> meanNs =
            IntStream.rangeClosed(1, LANES)
                .mapToObj(
                    busy ->
                        IntStream.rangeClosed(1, SAMPLES)
                            .mapToObj(samples -> (samples + busy) * NS_PER_MS)
                            .toList())
                .toList();
        services.add(new Service(workload, backend, "fp32", meanNs));
      }
    }
    return new PredictionsPublished("executor-0", "cpu", "bench", 1, services, List.of());
  }

  private static JobSpec job(int index, String workload, String backend) {
    return new JobSpec(
        JobId.of(index), 0, index, "batch", workload, backend, "fp32", 1, 1, 1000 * NS_PER_MS, 0);
  }

  @Override
  public Needs needs() {
    return new Needs(Set.of(), false, true, false);
  }

  @Override
  public Choice choose(SchedulerState state) {
    asked = state;
    return Choice.nothing(Cause.POLICY);
  }

  @Override
  public void refused(PredictionsPublished table, String reason) {
    throw new IllegalStateException(reason);
  }

  @Override
  public void started(Dispatch dispatch) {}

  @Override
  public void ended(JobEnd end) {}

  @Override
  public void blocked(long fromNs, long toNs, Cause cause) {}
}
