package dev.sluice.harness.bench;

import dev.sluice.scheduling.core.SchedulingCore;
import dev.sluice.scheduling.fact.CoreEntity;
import dev.sluice.scheduling.fact.CoreFact;
import dev.sluice.scheduling.fact.CoreFact.PredictionsPublished;
import dev.sluice.scheduling.fact.CoreFact.PredictionsPublished.Service;
import dev.sluice.scheduling.fact.CoreListener;
import dev.sluice.scheduling.fact.CoreSettings;
import dev.sluice.scheduling.fact.CoreSettings.Microbatch;
import dev.sluice.scheduling.fact.CoreSettings.Predictor;
import dev.sluice.scheduling.fact.Dispatch;
import dev.sluice.scheduling.fact.JobEnd;
import dev.sluice.scheduling.job.JobClass;
import dev.sluice.scheduling.job.JobSpec;
import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * How long a policy waits for one prediction: {@link SchedulerState#predictedNs} by a published
 * table of four workloads, two engines, {@value #SAMPLES} samples and {@value #LANES} busy lanes.
 */
final class PredictLookupBench implements Bench, CoreListener, SchedulingPolicy {
  private static final Row LOOKUP = Row.atMost("predict_lookup_ns", "ns", 1000);
  private static final List<String> WORKLOADS = List.of("resnet18", "resnet50", "vit", "vit_tiny");
  private static final List<String> BACKENDS = List.of("pytorch", "onnx");
  private static final int SAMPLES = 128;
  private static final int LANES = 4;
  private static final int ROUNDS_WARM_UP = 500;
  private static final int ROUNDS = 2000;
  private static final long NS_PER_MS = 1_000_000;

  private final LongSupplier nanoTime;
  private double lookupNs;

  PredictLookupBench(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  @Override
  public String name() {
    return "predict-lookup";
  }

  @Override
  public List<Row> rows() {
    return List.of(LOOKUP);
  }

  @Override
  public Map<Row, Double> measure() {
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
    return Map.of(LOOKUP, lookupNs);
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
        "job-" + index, 0, index, "batch", workload, backend, "fp32", 1, 1, 1000 * NS_PER_MS, 0);
  }

  @Override
  public Needs needs() {
    return new Needs(Set.of(), false, true, false);
  }

  @Override
  public Choice choose(SchedulerState state) {
    long unused = sumOfLookups(state, ROUNDS_WARM_UP);
    long beginNs = nanoTime.getAsLong();
    long sumNs = sumOfLookups(state, ROUNDS);
    long elapsedNs = nanoTime.getAsLong() - beginNs;
    int groups = state.groups().size();
    long each = SAMPLES * (SAMPLES + 1L) / 2 + SAMPLES; // one lane is busy with it
    if (sumNs != (long) ROUNDS * groups * each * NS_PER_MS) {
      throw new IllegalStateException("the predictions add up to " + sumNs);
    }
    lookupNs = (double) elapsedNs / ROUNDS / groups / SAMPLES;
    return Choice.nothing(Cause.POLICY);
  }

  private static long sumOfLookups(SchedulerState state, int rounds) {
    SchedulerState.Lane lane = state.lanes().get(0);
    long sumNs = 0;
    for (int round = 0; round < rounds; round++) {
      for (SchedulerState.Group group : state.groups()) {
        for (int samples = 1; samples <= SAMPLES; samples++) {
          sumNs += state.predictedNs(group, samples, lane);
        }
      }
    }
    return sumNs;
  }

  @Override
  public void refused(PredictionsPublished table, String reason) {
    throw new IllegalStateException(reason);
  }

  @Override
  public boolean keepsState() {
    return false;
  }

  @Override
  public void started(Dispatch dispatch) {}

  @Override
  public void ended(JobEnd end) {}

  @Override
  public void blocked(long fromNs, long toNs, Cause cause) {}

  @Override
  public void changed(CoreEntity entity) {}

  @Override
  public void removed(String entityKey) {}
}
