package dev.sluice.analytics.fold;

import dev.sluice.analytics.report.RunReport;
import dev.sluice.analytics.row.Origin;
import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.Decision;
import dev.sluice.contract.event.BatchDispatched.Place;
import dev.sluice.contract.event.BatchDispatched.Work;
import dev.sluice.contract.event.Event;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.LogFold;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunRecord;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.Ticked;
import dev.sluice.contract.experiment.Arrivals;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.JobClass;
import dev.sluice.contract.experiment.Experiment.KafkaSettings;
import dev.sluice.contract.experiment.Experiment.Lanes;
import dev.sluice.contract.experiment.Experiment.Microbatch;
import dev.sluice.contract.experiment.Experiment.Predictor;
import dev.sluice.contract.experiment.Experiment.Resources;
import dev.sluice.contract.experiment.Experiment.Threshold;
import dev.sluice.contract.experiment.Experiment.WorkloadChoice;
import dev.sluice.contract.experiment.LoadShape;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Prediction;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * A made-up but consistent event log: Poisson arrivals on lanes that serve in order of arrival,
 * with hops of about two milliseconds, some drops (every 97th job) and some failed batches if asked
 * for.
 */
public final class SyntheticRun {
  public static final long ZERO_EPOCH_MS = 1_700_000_000_000L;
  private static final List<String> WORKLOADS = List.of("resnet18", "resnet50", "vit_tiny");
  private static final double[] SERVICE_MS = {18, 42, 30};

  /** A record of the log. */
  public record Entry(Event event, String topic, long appendedAtEpochMs) {}

  private final List<Entry> entries = new ArrayList<>();
  public final Experiment experiment;
  private long factOffset;

  private SyntheticRun(Experiment experiment) {
    this.experiment = experiment;
  }

  public static Experiment experiment(
      double rate, double warmup, double duration, int lanes, Map<String, Threshold> thresholds) {
    return experiment(
        rate,
        warmup,
        duration,
        lanes,
        thresholds,
        List.of(
            new JobClass("interactive", 200, 1, true, false),
            new JobClass("batch", 1000, 5, false, true)));
  }

  public static Experiment experiment(
      double rate,
      double warmup,
      double duration,
      int lanes,
      Map<String, Threshold> thresholds,
      List<JobClass> classes) {
    return new Experiment(
        "quickstart",
        42,
        new Experiment.Load(
            duration,
            warmup,
            30,
            rate,
            Arrivals.POISSON,
            LoadShape.even(),
            Experiment.Scenario.SERVER,
            1,
            null),
        new Experiment.Jobs(
            0.4,
            classes,
            WORKLOADS.stream().map(w -> new WorkloadChoice(w, 1, 80, null, null)).toList(),
            List.of("onnx"),
            List.of("fp32"),
            false,
            List.of(1, 2)),
        new Experiment.Scheduling(
            "dynamic",
            Map.of(),
            "none",
            null,
            null,
            new Microbatch(true, 10, 128, List.of("dynamic"), false, Map.of()),
            List.of()),
        new Resources(true, 1000, false),
        new Lanes(true, lanes, 1, "auto", "emulated", null, 200, 0, 2000, 3, 1, List.of(), null),
        new Predictor(false, "models/latency", 0.95, 60),
        new KafkaSettings("embedded", 1),
        thresholds,
        new Experiment.Simulation(null, null, null));
  }

  public static RunContext context(Experiment experiment) {
    return new RunContext(
        experiment, "run-1", List.of(), Map.of("sluice", "0.1.0"), null, false, Origin.UNKNOWN);
  }

  public Experiment experiment() {
    return experiment;
  }

  public List<Entry> entries() {
    return entries;
  }

  public RunReport report() {
    return RunReport.of(fold(entries), context(experiment));
  }

  RunRows rows() {
    return fold(entries).rows(context(experiment));
  }

  public static RunFold fold(List<Entry> entries) {
    var fold = new RunFold();
    entries.forEach(entry -> apply(fold, entry, 0));
    return fold;
  }

  public static void apply(LogFold fold, Entry entry, int shard) {
    switch (entry.topic()) {
      case "runs" -> fold.onRunRecord((RunRecord) entry.event(), entry.appendedAtEpochMs());
      case "facts" -> fold.onFact((Fact) entry.event(), shard, entry.appendedAtEpochMs());
      case "dispatches" ->
          fold.onDispatch((BatchDispatched) entry.event(), shard, entry.appendedAtEpochMs());
      default -> fold.onOutcome((Outcome) entry.event(), shard, entry.appendedAtEpochMs());
    }
  }

  /** The records in another order among topics, each topic's in its own. */
  static List<Entry> interleaved(List<Entry> log, Random random) {
    Map<String, Deque<Entry>> byTopic = new TreeMap<>();
    log.forEach(e -> byTopic.computeIfAbsent(e.topic(), t -> new ArrayDeque<>()).add(e));
    List<Entry> mixed = new ArrayList<>(log.size());
    while (!byTopic.isEmpty()) {
      List<String> topics = List.copyOf(byTopic.keySet());
      String topic = topics.get(random.nextInt(topics.size()));
      Deque<Entry> rest = byTopic.get(topic);
      for (int i = 1 + random.nextInt(9); i > 0 && !rest.isEmpty(); i--) {
        mixed.add(rest.remove());
      }
      if (rest.isEmpty()) {
        byTopic.remove(topic);
      }
    }
    return mixed;
  }

  /** The records as they are read: facts at once, the others as much later as a commit takes. */
  static List<Entry> interleavedBehindFacts(List<Entry> log, long commitMs) {
    List<Entry> read = new ArrayList<>(log.size());
    List<Entry> uncommitted = new ArrayList<>();
    long committedMs = 0;
    for (Entry entry : log) {
      if (entry.appendedAtEpochMs() >= committedMs + commitMs) {
        committedMs = entry.appendedAtEpochMs();
        read.addAll(uncommitted);
        uncommitted.clear();
      }
      (entry.topic().equals("facts") ? read : uncommitted).add(entry);
    }
    read.addAll(uncommitted);
    return read;
  }

  /** Reports of an executor with one lane and ticks, each heartbeat from fromMs to toMs. */
  public static List<Entry> heartbeats(
      String executorId, long incarnation, long fromMs, long toMs) {
    List<Entry> beats = new ArrayList<>();
    for (long ms = fromMs; ms <= toMs; ms += 200) {
      beats.add(new Entry(report(executorId, incarnation, 1, false), "facts", ZERO_EPOCH_MS + ms));
      beats.add(new Entry(new Ticked(), "facts", ZERO_EPOCH_MS + ms));
    }
    return beats;
  }

  static ExecutorReported report(String executorId, long incarnation, int lanes, boolean leaving) {
    return new ExecutorReported(
        executorId,
        incarnation,
        leaving,
        "cpu",
        1000L,
        IntStream.range(0, lanes).mapToObj(i -> new ExecutorReported.Lane(i, List.of())).toList(),
        List.of(),
        200_000,
        1.0,
        null);
  }

  /** Both logs as one, by append time; of two at the same time the first one's comes first. */
  public static List<Entry> merged(List<Entry> first, List<Entry> second) {
    List<Entry> all = new ArrayList<>(first);
    all.addAll(second);
    all.sort(Comparator.comparingLong(Entry::appendedAtEpochMs));
    return all;
  }

  /** A run with that load; the lanes' capacity is about 33 jobs a second each. */
  public static SyntheticRun of(Experiment experiment, long seed) {
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
    var started = new RunStarted("run-1", ZERO_EPOCH_MS, 42, "c0ffee", "feed", 1, 1, null);
    entries.add(new Entry(started, "runs", ZERO_EPOCH_MS - 100));
    fact(report("local", 1, lanes, false), -120_000_000);
    fact(started, -90_000_000);
    long reportedAtNs = 0;
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
      while (reportedAtNs + 200_000_000 <= nowNs) {
        reportedAtNs += 200_000_000;
        fact(report("local", 1, lanes, false), nowNs);
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
    long endNs = Math.round((experiment.load().durationSeconds() + 5) * 1e9);
    fact(new ArrivalsEnded(0, requests.size(), 1_000_000, 2_000_000, 300_000), endNs);
    fact(new Ticked(), endNs + 1);
    entries.add(
        new Entry(
            new RunEnded("run-1", requests.size(), false, false, endNs, null, null),
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
                new Place("local", 1, List.of(lane)),
                Work.firstAttempt(
                    new ModelKey(job.workload(), job.backend(), job.precision()),
                    List.of(new BatchDispatched.DispatchedJob(job.jobId(), job.samples())),
                    80 + 4 * job.samples()),
                new Decision(
                    floorMs(nowNs),
                    null,
                    Map.of("interactive", 10.0, "urgency", random.nextDouble(), "tokens", -0.01),
                    null,
                    null),
                new Prediction(
                    Math.round(typicalMs * 1.04e6),
                    "running_mean",
                    1,
                    "made-up-1",
                    bound(typicalMs, 1.2816),
                    bound(typicalMs, 1.6449),
                    bound(typicalMs, 2.3263))),
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
            serviceNs - 100_000,
            1);
    return new Running(job.jobId(), startNs + serviceNs + 400_000, completion);
  }

  /** So many standard deviations of the noise above the typical time. */
  private static long bound(double typicalMs, double deviations) {
    return Math.round(typicalMs * Math.exp(0.12 * deviations) * 1e6);
  }

  private void outcome(JobEnded end, long atNs) {
    entries.add(new Entry(end, "outcomes", ZERO_EPOCH_MS + Math.floorDiv(atNs, 1_000_000L)));
  }

  private List<JobRequested> requests(Random random) {
    List<JobRequested> requests = new ArrayList<>();
    double atS = 0;
    while (true) {
      atS += -Math.log(1 - random.nextDouble()) / experiment.load().arrivalRateJobsPerSec();
      if (atS > experiment.load().durationSeconds() + 2) {
        return requests;
      }
      long intendedNs = Math.round(atS * 1e9);
      boolean interactive = random.nextDouble() < experiment.jobs().interactiveRatio();
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
