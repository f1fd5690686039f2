package dev.sluice.scheduler.topology;

import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.Ticked;
import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.scheduling.core.SchedulingCore;
import dev.sluice.scheduling.driver.CoreListener;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.driver.CoreSettings.Admission;
import dev.sluice.scheduling.driver.CoreSettings.Microbatch;
import dev.sluice.scheduling.policy.JobClass;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * A log of facts as a run would leave it, and the decisions of the bare core on it: two executors,
 * two classes, three models, some workflows with gangs among the jobs, ticks where the core asks
 * for them, two tables of predictions and one that is stale. One executor falls silent for longer
 * than its lease, answers late, and comes back; the other is started again under load.
 *
 * @param settings settings of the core that made the decisions
 * @param facts in log order; a fact's offset is its place
 * @param dispatches batches that the bare core started, in order
 * @param outcomes outcomes of the jobs, in order
 */
public record RecordedRun(
    CoreSettings settings,
    List<Dated> facts,
    List<BatchDispatched> dispatches,
    List<Outcome> outcomes) {
  public static final long TIME_ZERO_EPOCH_MS = 1_700_000_000_000L;

  public static final CoreSettings SETTINGS =
      CoreSettings.of(
              7,
              List.of(
                  new JobClass("interactive", 1, true, false),
                  new JobClass("batch", 5, false, true)),
              Map.of("small", 80, "middle", 160, "large", 260))
          .with(new Microbatch(true, 10_000_000, 16))
          .with(Admission.EXPIRED)
          .with(new CoreSettings.Bounds(30, 900_000_000))
          .with(new CoreSettings.Leases(20_000_000, 200_000_000, 2))
          .with(new CoreSettings.Placing(1, true, CoreSettings.Switching.NONE, 0))
          .with(new CoreSettings.Predictor(true, 0.9));

  private static final List<String> WORKLOADS = List.of("small", "middle", "large");
  private static final int REQUESTS = 400;

  /** Number of requests of which one is for a workflow. */
  private static final int WORKFLOW_EACH = 20;

  private static final int NODES = 4;

  /** Returns how many jobs there are, including jobs of workflows. */
  static final int JOBS = REQUESTS + (NODES - 1) * REQUESTS / WORKFLOW_EACH;

  private static final long RESTARTED_AT_MS = 1100;
  private static final long SILENT_FROM_MS = 400;
  private static final long SILENT_TO_MS = 800;

  /**
   * What a log is made of.
   *
   * @param seed seed of all that is drawn
   * @param gapMs times between two requests, in ms, are below it
   */
  record Load(long seed, int requests, int gapMs, CoreSettings settings) {
    static final Load USUAL = new Load(11, REQUESTS, 9, SETTINGS);

    /** Far more requests than the lanes can do, of which none is dropped before the run's end. */
    static Load overload(long seed) {
      return new Load(
          seed,
          2_500,
          2,
          SETTINGS.with(Admission.NONE).with(new CoreSettings.Bounds(10_000, Long.MAX_VALUE)));
    }
  }

  /** A fact and its append time. */
  public record Dated(long appendedAtEpochMs, Fact fact) {}

  private record Pending(long atMs, long sequence, Fact fact) {}

  public static RecordedRun of(SchedulingPolicy policy) {
    return of(policy, Load.USUAL);
  }

  static RecordedRun of(SchedulingPolicy policy, Load load) {
    return new Recorder(policy, load).record();
  }

  private static final class Recorder implements CoreListener {
    private final SchedulingCore core;
    private final PriorityQueue<Pending> pending =
        new PriorityQueue<>(
            Comparator.comparingLong(Pending::atMs).thenComparingLong(Pending::sequence));
    private final List<Dated> facts = new ArrayList<>();
    private final List<BatchDispatched> dispatches = new ArrayList<>();
    private final List<Outcome> outcomes = new ArrayList<>();
    private final Load load;
    private final Random random;
    private final Map<String, Long> freeAtMs = new HashMap<>();
    private long sequence;
    private long nowMs;

    Recorder(SchedulingPolicy policy, Load load) {
      this.load = load;
      random = new Random(load.seed);
      core = new SchedulingCore(load.settings, policy);
    }

    RecordedRun record() {
      at(-20, report("executor-0", 1));
      at(-20, report("executor-1", 1));
      at(-1, new RunStarted("recorded", TIME_ZERO_EPOCH_MS, 7, "c", "r", 1, 1, null));
      long atMs = 0;
      for (int i = 0; i < load.requests; i++) {
        atMs += random.nextInt(load.gapMs);
        at(atMs, i % WORKFLOW_EACH == 0 ? workflow(i, atMs) : job(i, atMs));
      }
      for (long reportMs = 0; reportMs < atMs; reportMs += 20) {
        at(reportMs, report("executor-0", reportMs < RESTARTED_AT_MS ? 1 : 2));
        if (!silent(reportMs)) {
          at(reportMs, report("executor-1", 1));
        }
      }
      at(-10, table(2, 1.2));
      at(500, table(1, 5));
      at(900, table(3, 0.9));
      at(atMs + 40, ArrivalsEnded.punctual(0, load.requests));
      long tickedForNs = -1;
      while (!pending.isEmpty() || core.wakeAtNs() != Long.MAX_VALUE) {
        long wakeMs = -Math.floorDiv(-core.wakeAtNs(), 1_000_000L);
        Pending next = pending.peek();
        if (core.wakeAtNs() != tickedForNs
            && core.wakeAtNs() != Long.MAX_VALUE
            && (next == null || wakeMs < next.atMs())) {
          tickedForNs = core.wakeAtNs();
          at(Math.max(wakeMs, nowMs), new Ticked());
        }
        apply(pending.remove());
      }
      return new RecordedRun(load.settings, facts, dispatches, outcomes);
    }

    private void apply(Pending next) {
      nowMs = next.atMs();
      long offset = facts.size();
      facts.add(new Dated(TIME_ZERO_EPOCH_MS + nowMs, next.fact()));
      core.apply(offset, Math.max(0, nowMs) * 1_000_000, next.fact(), this);
    }

    private void at(long atMs, Fact fact) {
      pending.add(new Pending(atMs, sequence++, fact));
    }

    private static boolean silent(long atMs) {
      return atMs >= SILENT_FROM_MS && atMs < SILENT_TO_MS;
    }

    private static ExecutorReported report(String executorId, long incarnation) {
      return new ExecutorReported(
          executorId,
          incarnation,
          false,
          "cpu",
          400L,
          List.of(new ExecutorReported.Lane(0, List.of()), new ExecutorReported.Lane(1, List.of())),
          WORKLOADS.stream()
              .map(
                  w ->
                      new ExecutorReported.Capability(
                          w,
                          "onnx",
                          "fp32",
                          1_000_000_000,
                          List.of(
                              new ExecutorReported.WarmUp(1, 3_000_000),
                              new ExecutorReported.WarmUp(4, 9_000_000))))
              .toList(),
          0,
          1.0,
          null);
    }

    /** Predictions for two of the models, up to 20 samples and two busy lanes. */
    private static PredictionsPublished table(long version, double slowness) {
      List<PredictionsPublished.Service> services = new ArrayList<>();
      for (String workload : WORKLOADS.subList(0, 2)) {
        services.add(
            new PredictionsPublished.Service(
                workload,
                "onnx",
                "fp32",
                IntStream.rangeClosed(1, 2)
                    .mapToObj(
                        busy ->
                            IntStream.rangeClosed(1, 20)
                                .mapToObj(n -> Math.round((5 + 0.3 * n + busy) * slowness * 1e6))
                                .toList())
                    .toList()));
      }
      List<Double> residuals = IntStream.range(-60, 60).mapToObj(i -> 0.01 * i).toList();
      return new PredictionsPublished(
          "executor-0",
          "cpu",
          "model-" + version,
          version,
          services,
          List.of(new PredictionsPublished.Calibration("small", "onnx", residuals)));
    }

    /** Returns a diamond whose second node needs both lanes of an executor. */
    private static WorkflowRequested workflow(int index, long atMs) {
      return new WorkflowRequested(
          "workflow-" + index,
          0,
          index,
          "diamond",
          "interactive",
          400_000_000L,
          atMs * 1_000_000,
          atMs * 1_000_000,
          List.of(
              node("a", "small", 1),
              node("b", "middle", 2, 0),
              node("c", "small", 1, 0),
              node("d", "large", 1, 1, 2)));
    }

    private static WorkflowRequested.Node node(
        String id, String workload, int lanes, Integer... inputs) {
      return new WorkflowRequested.Node(
          id, workload, "onnx", "fp32", 1, lanes, 5_000_000, List.of(inputs));
    }

    private JobRequested job(int index, long atMs) {
      boolean interactive = random.nextInt(10) < 3;
      return new JobRequested(
          "job-" + index,
          0,
          index,
          interactive ? "interactive" : "batch",
          WORKLOADS.get(random.nextInt(WORKLOADS.size())),
          "onnx",
          "fp32",
          1 << random.nextInt(4),
          interactive ? 100_000_000 : 1_000_000_000,
          atMs * 1_000_000,
          atMs * 1_000_000);
    }

    @Override
    public void started(BatchDispatched event) {
      dispatches.add(event);
      String executorId = event.place().executorId();
      long serviceMs = 1 + random.nextInt(12);
      long startsMs =
          Math.max(nowMs, freeAtMs.getOrDefault(executorId + event.place().lanes(), 0L));
      boolean refused = random.nextInt(25) == 0;
      boolean failed = !refused && random.nextInt(25) == 0;
      long endsMs = startsMs + serviceMs;
      freeAtMs.put(executorId + event.place().lanes(), endsMs);
      boolean diesInIt =
          executorId.equals("executor-0")
              && event.place().incarnation() == 1
              && endsMs >= RESTARTED_AT_MS;
      if (diesInIt) {
        return;
      }
      boolean answersLate = executorId.equals("executor-1") && silent(endsMs);
      at(
          answersLate ? SILENT_TO_MS + endsMs - SILENT_FROM_MS : endsMs,
          new BatchCompleted(
              event.dispatchId(),
              event.place().executorId(),
              event.place().incarnation(),
              event.place().lanes().get(0),
              refused ? null : startsMs * 1_000_000,
              refused ? null : endsMs * 1_000_000,
              refused ? 0 : serviceMs * 1_000_000,
              0,
              refused
                  ? BatchCompleted.Result.REFUSED
                  : failed ? BatchCompleted.Result.FAILED : BatchCompleted.Result.DONE,
              refused ? "busy" : failed ? "out of luck" : null,
              List.of(),
              null,
              refused ? null : 1));
    }

    @Override
    public void ended(JobEnded end) {
      outcomes.add(end);
    }

    @Override
    public void blocked(Blocked span) {
      outcomes.add(span);
    }
  }
}
