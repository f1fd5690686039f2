package dev.sluice.analytics;

import dev.sluice.contract.ArrivalsEnded;
import dev.sluice.contract.BatchCompleted;
import dev.sluice.contract.BatchDispatched;
import dev.sluice.contract.DispatchId;
import dev.sluice.contract.Event;
import dev.sluice.contract.ExecutorReported;
import dev.sluice.contract.JobEnded;
import dev.sluice.contract.JobRequested;
import dev.sluice.contract.RunEnded;
import dev.sluice.contract.RunStarted;
import dev.sluice.contract.Ticked;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.JobClass;
import dev.sluice.contract.experiment.Experiment.KafkaSettings;
import dev.sluice.contract.experiment.Experiment.Lanes;
import dev.sluice.contract.experiment.Experiment.Microbatch;
import dev.sluice.contract.experiment.Experiment.Predictor;
import dev.sluice.contract.experiment.Experiment.Resources;
import dev.sluice.contract.experiment.Experiment.Threshold;
import dev.sluice.contract.experiment.Experiment.WorkloadChoice;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;

/**
 * A made-up but consistent event log: Poisson arrivals on lanes that serve in order of arrival,
 * with hops of about two milliseconds, some drops (every 97th job) and some failed batches if asked
 * for.
 */
final class SyntheticRun {
  static final long ZERO_EPOCH_MS = 1_700_000_000_000L;
  private static final List<String> WORKLOADS = List.of("resnet18", "resnet50", "vit_tiny");
  private static final double[] SERVICE_MS = {18, 42, 30};

  /** A record of the log. */
  record Entry(Event event, String topic, long appendedAtEpochMs) {}

  private final List<Entry> entries = new ArrayList<>();
  private final Experiment experiment;
  private long factOffset;

  private SyntheticRun(Experiment experiment) {
    this.experiment = experiment;
  }

  static Experiment experiment(
      double rate, double warmup, double duration, int lanes, Map<String, Threshold> thresholds) {
    return new Experiment(
        "quickstart",
        42,
        duration,
        warmup,
        30,
        rate,
        "poisson",
        1,
        0.4,
        List.of(
            new JobClass("interactive", 200, 1, true, false),
            new JobClass("batch", 1000, 5, false, true)),
        WORKLOADS.stream().map(w -> new WorkloadChoice(w, 1, 80, null, null)).toList(),
        List.of("onnx"),
        List.of("fp32"),
        List.of(1, 2),
        "dynamic",
        Map.of(),
        "none",
        new Microbatch(true, 10, 128, List.of("dynamic")),
        new Resources(true, 1000),
        new Lanes(true, lanes, 1, "auto", "emulated", null, 200),
        new Predictor(false, "models/latency", 0.95),
        new KafkaSettings("embedded", 1),
        thresholds);
  }

  static RunContext context(Experiment experiment) {
    return new RunContext(experiment, "run-1", List.of(), Map.of("sluice", "0.1.0"));
  }

  Experiment experiment() {
    return experiment;
  }

  List<Entry> entries() {
    return entries;
  }

  RunReport report() {
    return RunReport.of(fold(entries), context(experiment));
  }

  RunRows rows() {
    return fold(entries).rows(context(experiment));
  }

  static RunFold fold(List<Entry> entries) {
    var fold = new RunFold();
    entries.forEach(entry -> fold.apply(entry.event(), 0, entry.appendedAtEpochMs()));
    return fold;
  }

  /** A run with that load; the lanes' capacity is about 33 jobs a second each. */
  static SyntheticRun of(Experiment experiment, long seed) {
    var run = new SyntheticRun(experiment);
    run.simulate(new Random(seed));
    return run;
  }

  private long fact(Event event, long atNs) {
    entries.add(new Entry(event, "facts", ZERO_EPOCH_MS + Math.floorDiv(atNs, 1_000_000L)));
    return factOffset++;
  }

  private void simulate(Random random) {
    int lanes = experiment.lanes().count();
    var started = new RunStarted("run-1", ZERO_EPOCH_MS, 42, "c0ffee", "feed", 1, 1);
    entries.add(new Entry(started, "runs", ZERO_EPOCH_MS - 100));
    fact(started, -90_000_000);
    List<ExecutorReported.Lane> laneList = new ArrayList<>();
    for (int i = 0; i < lanes; i++) {
      laneList.add(new ExecutorReported.Lane(i, List.of()));
    }
    fact(
        new ExecutorReported("local", 1, false, "cpu", 1000L, laneList, List.of(), 200_000, 1.0),
        -80_000_000);
    List<JobRequested> requests = requests(random);
    Deque<JobRequested> waiting = new ArrayDeque<>();
    PriorityQueue<Running> running =
        new PriorityQueue<>(Comparator.comparingLong(r -> r.completedAtNs));
    boolean[] busy = new boolean[lanes];
    int next = 0;
    while (next < requests.size() || !running.isEmpty()) {
      boolean arrival =
          running.isEmpty()
              || (next < requests.size()
                  && requests.get(next).sentAtNs() + 300_000 <= running.peek().completedAtNs);
      long nowNs;
      long offset;
      if (arrival) {
        JobRequested request = requests.get(next++);
        nowNs = request.sentAtNs() + 300_000;
        offset = fact(request, nowNs);
        if (next % 97 == 0) {
          outcome(
              new JobEnded(
                  request.jobId(), JobEnded.Status.DROPPED, "expired", null, 0, floorMs(nowNs)),
              nowNs + 400_000);
        } else {
          waiting.add(request);
        }
      } else {
        Running batch = running.remove();
        nowNs = batch.completedAtNs;
        offset = fact(batch.completion, nowNs);
        busy[batch.completion.lane()] = false;
        outcome(
            new JobEnded(
                batch.jobId,
                JobEnded.Status.DONE,
                null,
                batch.completion.dispatchId(),
                1,
                floorMs(nowNs)),
            nowNs + 500_000);
      }
      int index = 0;
      for (int lane = 0; lane < lanes; lane++) {
        if (!busy[lane] && !waiting.isEmpty()) {
          busy[lane] = true;
          running.add(
              start(waiting.remove(), lane, new DispatchId(offset, index++), nowNs, random));
        }
      }
    }
    long endNs = Math.round((experiment.durationSeconds() + 5) * 1e9);
    fact(new ArrivalsEnded(0, requests.size(), 1_000_000, 2_000_000, 300_000), endNs);
    fact(new Ticked(), endNs + 1);
    entries.add(
        new Entry(
            new RunEnded("run-1", requests.size(), false, false, endNs),
            "runs",
            ZERO_EPOCH_MS + endNs / 1_000_000));
  }

  private static long floorMs(long ns) {
    return Math.floorDiv(ns, 1_000_000L) * 1_000_000L;
  }

  private record Running(String jobId, long completedAtNs, BatchCompleted completion) {}

  private Running start(JobRequested job, int lane, DispatchId id, long nowNs, Random random) {
    int workload = WORKLOADS.indexOf(job.workload());
    double typicalMs = SERVICE_MS[workload] * (0.5 + 0.5 * job.samples());
    long serviceNs = Math.round(typicalMs * Math.exp(0.12 * random.nextGaussian()) * 1e6);
    long startNs = nowNs + Math.round((0.8 + random.nextDouble() * 1.5) * 1e6);
    entries.add(
        new Entry(
            new BatchDispatched(
                id,
                "local",
                1,
                List.of(lane),
                job.workload(),
                job.backend(),
                job.precision(),
                List.of(new BatchDispatched.DispatchedJob(job.jobId(), job.samples())),
                job.samples(),
                80 + 4 * job.samples(),
                1,
                floorMs(nowNs),
                null,
                Math.round(typicalMs * 1.04e6),
                "running_mean",
                Map.of("interactive", 10.0, "urgency", random.nextDouble(), "tokens", -0.01)),
            "dispatches",
            ZERO_EPOCH_MS + Math.floorDiv(nowNs, 1_000_000L)));
    var completion =
        new BatchCompleted(
            id,
            "local",
            1,
            lane,
            startNs,
            startNs + serviceNs,
            serviceNs,
            0,
            BatchCompleted.Result.DONE,
            null,
            List.of(new BatchCompleted.JobResult(job.jobId(), List.of(1, 2, 3))),
            serviceNs - 100_000);
    return new Running(job.jobId(), startNs + serviceNs + 400_000, completion);
  }

  private void outcome(JobEnded end, long atNs) {
    entries.add(new Entry(end, "outcomes", ZERO_EPOCH_MS + Math.floorDiv(atNs, 1_000_000L)));
  }

  private List<JobRequested> requests(Random random) {
    List<JobRequested> requests = new ArrayList<>();
    double atS = 0;
    while (true) {
      atS += -Math.log(1 - random.nextDouble()) / experiment.arrivalRateJobsPerSec();
      if (atS > experiment.durationSeconds() + 2) {
        return requests;
      }
      long intendedNs = Math.round(atS * 1e9);
      boolean interactive = random.nextDouble() < experiment.interactiveRatio();
      int index = requests.size();
      requests.add(
          new JobRequested(
              "job-" + index,
              0,
              index,
              interactive ? "interactive" : "batch",
              WORKLOADS.get(random.nextInt(WORKLOADS.size())),
              "onnx",
              "fp32",
              1 + random.nextInt(2),
              interactive ? 200_000_000L : 1_000_000_000L,
              intendedNs,
              intendedNs + Math.round(random.nextDouble() * 200_000)));
    }
  }
}
