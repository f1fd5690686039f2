package dev.sluice.bench;

import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.Lane;
import dev.sluice.contract.event.ExecutorReported.WarmUp;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.Ticked;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.scheduling.core.SchedulingCore;
import dev.sluice.scheduling.driver.CoreListener;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.driver.CoreSettings.Microbatch;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.JobClass;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A run of the scheduling core on one thread and in virtual time, as fast as it goes. A job arrives
 * for each one that ends, so that {@value #WAITING} jobs stay waiting; batches end in the order of
 * their times on {@value #EXECUTORS} executors of {@value #LANES_EACH} lanes and {@value #TOKENS}
 * tokens each, so that both lanes and tokens run short. Every answer is checked, as in a run;
 * nothing of the state is kept, as in a simulation.
 *
 * <p>The rates depend on the compiler: a JVM that runs on the quick compiler alone, as {@code
 * ./sluice} does, is about half as fast as one with its defaults. Both compilers need some seven
 * seconds until joined jobs of many groups are at full speed.
 */
final class CoreJobs implements CoreListener {
  private static final int WAITING = 10_000;
  private static final int EXECUTORS = 4;
  private static final int LANES_EACH = 4;
  private static final long TOKENS = 1000;
  private static final int JOBS_DRAWN_AT_ONCE = 10_000;
  private static final int JOBS_ENDED_AT_ONCE = 5_000;
  private static final long NS_PER_MS = 1_000_000;

  private static final List<JobClass> CLASSES =
      List.of(new JobClass("interactive", 1, true, false), new JobClass("batch", 5, false, true));
  private static final List<String> BACKENDS = List.of("pytorch", "onnxruntime");
  private static final List<String> PRECISIONS = List.of("fp32", "bf16");

  private static final int WINDOWS = 5;
  private static final long WARM_UP_NS = 8_000_000_000L;
  private static final long WINDOW_NS = 400_000_000;

  /** What the jobs of a group have in common. */
  private record Kind(
      String classType, String workload, String backend, String precision, int samples) {}

  /** A batch on its way. */
  private record Running(DispatchId name, int jobs, long endsAtNs, long serviceNs) {}

  private final SplittableRandom random = new SplittableRandom(7);
  private final int promiseFactor;
  private final List<Kind> kinds;
  private final List<String> executorIds = new ArrayList<>();
  private final SchedulingCore core;
  private final @Nullable Running[] runningByLane = new Running[EXECUTORS * LANES_EACH];
  private final long[] endsAtNsByLane = new long[EXECUTORS * LANES_EACH];

  /** Facts that batches were cancelled, on their way to the core. */
  private final ArrayDeque<BatchCompleted> cancelled = new ArrayDeque<>();

  /** The next jobs, drawn before the clock runs. */
  private final String[] ids = new String[JOBS_DRAWN_AT_ONCE];

  private final int[] idHash = new int[JOBS_DRAWN_AT_ONCE];
  private final Kind[] kindOf = new Kind[JOBS_DRAWN_AT_ONCE];
  private final long[] sloNs = new long[JOBS_DRAWN_AT_ONCE];
  private final long[] delayNs = new long[JOBS_DRAWN_AT_ONCE];
  private final double[] noise = new double[JOBS_DRAWN_AT_ONCE];
  private int drawn = JOBS_DRAWN_AT_ONCE;

  private long nowNs;
  private long factId;
  private long idsDrawn;
  private long sent;

  /** Number of jobs that are in the core between two facts of lanes. */
  private long inCore;

  private long sentIdsHash;
  private long ended;
  private long endedIdsHash;

  /** Number of ended jobs at which the current call returns. */
  private long endUntil;

  /**
   * @param microbatch whether jobs are joined into batches
   * @param groups number of groups that the waiting jobs are of
   * @param promiseFactor factor on the promises, which are 0.1 and 1 s in the mean
   */
  CoreJobs(SchedulingPolicy policy, boolean microbatch, int groups, int promiseFactor) {
    this.promiseFactor = promiseFactor;
    List<String> workloads = workloads(groups);
    int samplesCounts = groups / (CLASSES.size() * workloads.size() * 4);
    this.kinds = kinds(workloads, samplesCounts);
    if (kinds.size() != groups) {
      throw new IllegalArgumentException("no mix of (" + groups + ") groups");
    }
    Arrays.fill(endsAtNsByLane, Long.MAX_VALUE);
    CoreSettings settings =
        CoreSettings.of(
                7,
                CLASSES,
                Map.of("resnet18", 80, "resnet50", 160, "vit", 260, "vit_tiny", 40, "own", 100))
            .with(new Microbatch(microbatch, 10 * NS_PER_MS, 128));
    core = new SchedulingCore(settings, policy);
    List<Capability> capabilities =
        kinds.stream()
            .map(kind -> new Kind("", kind.workload, kind.backend, kind.precision, 1))
            .distinct()
            .map(k -> capability(k.workload, k.backend, k.precision))
            .toList();
    for (int i = 0; i < EXECUTORS; i++) {
      String id = "executor-" + i;
      executorIds.add(id);
      apply(
          ExecutorReported.of(
              id,
              1,
              false,
              "accelerator",
              TOKENS,
              IntStream.range(0, LANES_EACH).mapToObj(lane -> new Lane(lane, List.of())).toList(),
              capabilities));
    }
    apply(new RunStarted("bench", 0, 7, "", "", 1, 1, null));
  }

  /**
   * Main of the child: prints jobs a second, the median of some windows after a warm-up.
   *
   * @param arguments policy, whether jobs are joined into micro-batches, and the number of groups
   *     that the waiting jobs are of
   * @throws IllegalStateException if a job was lost or counted twice
   */
  public static void main(String[] arguments) {
    var jobs =
        new CoreJobs(
            Policies.create(arguments[0], Map.of()),
            Boolean.parseBoolean(arguments[1]),
            Integer.parseInt(arguments[2]),
            1);
    jobs.fill();
    double unused = jobs.perSecond(WARM_UP_NS);
    double[] perSecond = new double[WINDOWS];
    for (int i = 0; i < WINDOWS; i++) {
      perSecond[i] = jobs.perSecond(WINDOW_NS);
    }
    jobs.finish();
    Arrays.sort(perSecond);
    System.out.printf(Locale.ROOT, "%.0f%n", perSecond[WINDOWS / 2]);
  }

  /** Returns jobs that end in a second, less the time in which new jobs are drawn. */
  double perSecond(long leastNs) {
    long tookNs = 0;
    long endedBefore = ended;
    while (tookNs < leastNs) {
      draw();
      long beganNs = MachineClock.monotonicNs();
      endJobs();
      tookNs += MachineClock.monotonicNs() - beganNs;
    }
    return (ended - endedBefore) * 1e9 / tookNs;
  }

  private static List<String> workloads(int groups) {
    return groups < 100
        ? List.of("resnet18", "vit")
        : List.of("resnet18", "resnet50", "vit", "vit_tiny", "own");
  }

  private static List<Kind> kinds(List<String> workloads, int samplesCounts) {
    List<Kind> kinds = new ArrayList<>();
    for (JobClass jobClass : CLASSES) {
      for (String workload : workloads) {
        for (String backend : BACKENDS) {
          for (String precision : PRECISIONS) {
            for (int i = 0; i < samplesCounts; i++) {
              int samples = samplesCounts == 3 ? List.of(1, 8, 32).get(i) : 1 + 3 * i;
              kinds.add(new Kind(jobClass.name(), workload, backend, precision, samples));
            }
          }
        }
      }
    }
    return kinds;
  }

  private static Capability capability(String workload, String backend, String precision) {
    return new Capability(
        workload,
        backend,
        precision,
        1_800_000_000L,
        List.of(
            new WarmUp(1, serviceNs(workload, backend, 1)),
            new WarmUp(8, serviceNs(workload, backend, 8)),
            new WarmUp(32, serviceNs(workload, backend, 32))));
  }

  /** About an accelerator's: a fixed part, and one in proportion to the samples. */
  private static long serviceNs(String workload, String backend, int samples) {
    long alphaNs = workload.startsWith("vit") ? 4 * NS_PER_MS : 2 * NS_PER_MS;
    long betaNs = backend.equals("pytorch") ? 300_000 : 200_000;
    return alphaNs + betaNs * samples;
  }

  /** Lets jobs arrive until the given number waits. */
  void fill() {
    while (core.waiting() < WAITING) {
      draw();
      arrive();
    }
    inCore = sent - ended;
  }

  /**
   * Ends {@value #JOBS_ENDED_AT_ONCE} jobs. A batch that ends more counts for the next call, so
   * that the mean number is exact.
   */
  void endJobs() {
    endUntil += JOBS_ENDED_AT_ONCE;
    while (ended < endUntil) {
      endNextBatch();
    }
  }

  /** Ends the run, and checks that each job that was sent has ended once. */
  void finish() {
    apply(ArrivalsEnded.punctual(0, sent));
    while (core.running() > 0) {
      complete(nextLane());
    }
    while (core.waiting() > 0) { // one fact does not drop them all
      tick();
    }
    if (ended != sent || endedIdsHash != sentIdsHash || core.waiting() > 0) {
      throw new IllegalStateException(
          "of (%d) jobs (%d) ended, (%d) wait".formatted(sent, ended, core.waiting()));
    }
  }

  /** Draws new jobs in place of those that were sent. */
  private void draw() {
    for (int i = 0; i < drawn; i++) {
      ids[i] = "0-" + idsDrawn++;
      idHash[i] = ids[i].hashCode();
      kindOf[i] = kinds.get(random.nextInt(kinds.size()));
      long meanSloMs = promiseFactor * (kindOf[i].classType.equals("interactive") ? 100L : 1000L);
      sloNs[i] = (long) (meanSloMs * NS_PER_MS * random.nextDouble(0.5, 1.5));
      delayNs[i] = random.nextLong(5 * NS_PER_MS);
      noise[i] = random.nextDouble(0.8, 1.2);
    }
    drawn = 0;
  }

  private void endNextBatch() {
    int lane = nextLane();
    Running batch = runningByLane[lane];
    if (batch == null || core.wakeAtNs() < batch.endsAtNs) {
      tick();
    } else {
      complete(lane);
    }
    while (sent - ended < inCore && drawn < JOBS_DRAWN_AT_ONCE) {
      arrive();
    }
  }

  private void tick() {
    long wakeAtNs = core.wakeAtNs();
    if (wakeAtNs == Long.MAX_VALUE) {
      throw new IllegalStateException("jobs wait, nothing runs, and no time was named");
    }
    nowNs = Math.max(nowNs, wakeAtNs);
    apply(core.hasFineTime() ? new Ticked(nowNs) : new Ticked());
  }

  private int nextLane() {
    int next = 0;
    for (int i = 1; i < endsAtNsByLane.length; i++) {
      if (endsAtNsByLane[i] < endsAtNsByLane[next]) {
        next = i;
      }
    }
    return next;
  }

  private void complete(int lane) {
    Running batch = runningByLane[lane];
    if (batch == null) {
      throw new IllegalStateException("lane (" + lane + ") is idle");
    }
    runningByLane[lane] = null;
    endsAtNsByLane[lane] = Long.MAX_VALUE;
    nowNs = batch.endsAtNs;
    apply(
        BatchCompleted.done(
            batch.name,
            executorIds.get(lane / LANES_EACH),
            1,
            lane % LANES_EACH,
            nowNs - batch.serviceNs,
            batch.serviceNs,
            1));
  }

  private void arrive() {
    int i = drawn++;
    sentIdsHash += idHash[i];
    Kind kind = kindOf[i];
    apply(
        new JobRequested(
            ids[i],
            0,
            sent++,
            kind.classType,
            kind.workload,
            kind.backend,
            kind.precision,
            kind.samples,
            sloNs[i],
            Math.max(0, nowNs - delayNs[i]),
            nowNs));
  }

  private void apply(Fact fact) {
    long logTimeNs = nowNs - nowNs % NS_PER_MS;
    core.apply(factId++, logTimeNs, fact, this);
    while (!cancelled.isEmpty()) {
      core.apply(factId++, logTimeNs, cancelled.remove(), this);
    }
  }

  @Override
  public void started(BatchDispatched dispatch) {
    ModelKey first = dispatch.work().model();
    int executor = executorIds.indexOf(dispatch.executorId());
    int lane = executor * LANES_EACH + dispatch.lanes().get(0);
    long meanNs = serviceNs(first.workload(), first.backend(), dispatch.samples());
    long tookNs = (long) (meanNs * noise[(int) (factId % noise.length)]);
    Running before = runningByLane[lane];
    if (before != null && before.name.equals(dispatch.decision().cancels())) {
      cancelled.add(cancellation(before, lane));
    }
    runningByLane[lane] =
        new Running(dispatch.dispatchId(), dispatch.jobs().size(), nowNs + tookNs, tookNs);
    endsAtNsByLane[lane] = nowNs + tookNs;
  }

  /** Returns the fact that a batch was cancelled now. */
  private BatchCompleted cancellation(Running batch, int lane) {
    long startedAtNs = batch.endsAtNs - batch.serviceNs;
    return new BatchCompleted(
        batch.name,
        executorIds.get(lane / LANES_EACH),
        1,
        lane % LANES_EACH,
        startedAtNs,
        nowNs,
        nowNs - startedAtNs,
        0,
        BatchCompleted.Result.CANCELLED,
        null,
        List.of(),
        null,
        1);
  }

  @Override
  public void ended(JobEnded end) {
    ended++;
    endedIdsHash += end.jobId().hashCode();
  }

  @Override
  public void blocked(Blocked span) {}
}
