package dev.sluice.bench;

import static dev.sluice.bench.Bench.Row.atLeast;
import static dev.sluice.bench.Bench.Row.atMost;

import dev.sluice.harness.machine.MachineClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** All measurements of {@code ./sluice bench}, in the order of its table. */
public final class Benches {
  private static final String ONE_BY_ONE = "microbatch: {enabled: false}\n";

  /** Jobs a second that the loop keeps up with. */
  private static final int LOOP_RATE = 20_500;

  private static final int LOOP_SERVICE_MS = 1;

  private static final String IN_BATCHES_OF_32 = inBatchesOf32(5);

  /** Jobs that wait share a batch, and none waits for company. */
  private static final String IN_BATCHES_AT_ONCE = inBatchesOf32(0);

  /** A thousand jobs a second beside two lanes that compute all the time. */
  private static final String LATENESS =
      """
      duration_seconds: 40
      warmup_seconds: 10
      tail_seconds: 0
      arrival_rate_jobs_per_sec: 1000
      workloads: [resnet18]
      backends_enabled: [onnx]
      batch_sizes: [1]
      resources: {enabled: false}
      lanes: {num_lanes: 2, threads: 1}
      """;

  /** About 105,000 jobs in all, at a low rate, because speed is not measured here. */
  private static final String SMALL_HEAP =
      emulated(new Window(105, 0), 1000, 5, 16, 0) + ONE_BY_ONE;

  private Benches() {}

  /**
   * The stretch of a run that a bench measures.
   *
   * @param seconds its length
   * @param warmUpSeconds warm-up before it
   */
  public record Window(int seconds, int warmUpSeconds) {}

  /**
   * Returns every bench, in the order of the table.
   *
   * @param folder where files of the measurements go
   * @param configs folder of the experiments that are shipped
   * @param loop window of each loop, except those of inference and of 100,000 jobs
   * @param memory window of the memory's bench
   * @param out receives what a measurement says beside its readings
   * @throws IOException if a shipped experiment cannot be read
   */
  public static List<Bench> all(
      Path folder, Path configs, Window loop, Window memory, Consumer<String> out)
      throws IOException {
    Path accelerator = configs.resolve("emulated_accelerator.yaml");
    return List.of(
        new CoreBench(folder),
        new SimulatorInChild(out),
        new SimulateBench(folder, accelerator, MachineClock::monotonicNs, out),
        new CompareBench(accelerator),
        new CapacityBench(folder, accelerator, MachineClock::monotonicNs),
        new WorkflowBench(),
        new PlanBench(out),
        new AutoScheduleBench(MachineClock::monotonicNs),
        new CheckBench(folder, MachineClock::monotonicNs),
        new ExplainBench(folder, MachineClock::monotonicNs),
        new DecisionReplayBench(folder, MachineClock::monotonicNs),
        new TraceBench(folder, MachineClock::monotonicNs),
        new PredictLookupBench(folder),
        new PredictTableBench(folder, MachineClock::monotonicNs),
        hop(100, emulated(loop, 100, 20, 8, 0) + ONE_BY_ONE, 2, 8, folder),
        hop(1000, emulated(loop, 1000, 5, 16, 0) + ONE_BY_ONE, 3, 12, folder),
        hop(5000, emulated(loop, 5000, 1, 16, 0) + IN_BATCHES_AT_ONCE, 6, 30, folder),
        new LoopBench("bubble", saturated(loop, 0), folder)
            .reads(atMost("bubble_p50_ms", "ms", 2), "bubble_p50_ms")
            .reads(atMost("bubble_p99_ms", "ms", 8), "bubble_p99_ms"),
        new LoopBench("bubble-ahead", saturated(loop, 1), folder)
            .reads(atMost("bubble_ahead_p50_ms", "ms", 0.1), "bubble_p50_ms"),
        new LoopBench("loop", emulated(loop, LOOP_RATE, 1, 16, 0) + IN_BATCHES_OF_32, folder)
            .reads(atLeast("loop_jobs_per_s", "jobs/s", 20_000), Benches::keptUpJobsPerSecond),
        new LoopBench(
                "loop-shards",
                emulated(loop, LOOP_RATE, 1, 4, 0) + IN_BATCHES_OF_32 + "kafka: {shards: 4}\n",
                folder)
            .reads(
                atLeast("loop_4_shards_jobs_per_s", "jobs/s", 20_000),
                Benches::keptUpJobsPerSecond),
        new LoopBench("half", emulated(loop, LOOP_RATE / 2, 1, 16, 0) + IN_BATCHES_OF_32, folder)
            .reads(
                atMost("half_rate_processor_us_per_job", "us", 60),
                run -> run.processorUsPerJob(loop))
            .reads(
                atMost("half_rate_wait_p50_ms", "ms", 10),
                run -> run.figure("all_p50_e2e_ms") - LOOP_SERVICE_MS)
            .reads(
                atMost("half_rate_wait_p99_ms", "ms", 40),
                run -> run.figure("all_p99_e2e_ms") - LOOP_SERVICE_MS),
        new LoopBench(
                "overload", emulated(loop, 2 * LOOP_RATE, 1, 16, 0) + IN_BATCHES_OF_32, folder)
            .reads(
                atLeast("overload_done_share", "of the loop's rate", 0.9),
                run -> run.figure("overall_throughput_jobs_sec") / LOOP_RATE),
        new BacklogBench(folder),
        new ReportBench(emulated(new Window(21, 0), 5000, 1, 16, 0) + IN_BATCHES_OF_32, folder),
        new InferenceBench("resnet18", 1, 200, 0.95, 30, folder),
        new InferenceBench("resnet50", 8, 20, 0.98, 60, folder),
        new LoopBench("lateness", LATENESS, folder)
            .reads(atMost("lateness_1000_p99_ms", "ms", 1), "lateness_p99_ms"),
        new ReplayLatenessBench(emulated(loop, 5000, 1, 16, 0) + IN_BATCHES_OF_32, folder),
        new LoopBench(
                "first-dispatch",
                Files.readString(configs.resolve("quickstart.yaml")),
                folder,
                List.of(),
                List.of("--set", "duration_seconds=3", "--set", "warmup_seconds=0"))
            .reads(
                atMost("first_dispatch_s", "s", 7),
                run -> run.figure("start_to_first_dispatch_ms") / 1e3),
        new LoopBench("small-heap", SMALL_HEAP, folder, List.of("-Xmx512m"), List.of())
            .reads(atLeast("jobs_done_in_512_mib", "jobs", 100_000), "all_done"),
        new LogBench(SMALL_HEAP, folder, out),
        new SweepBench(folder),
        new SweepKillsBench(folder),
        TakeoverBench.idle(folder, out),
        TakeoverBench.behindABacklog(folder, out),
        new PageBench(folder, out),
        new LayersBench(folder, out),
        new MemoryBench(folder, memory.seconds(), memory.warmUpSeconds(), out));
  }

  /** Throughput; zero where the lanes did not keep up, or a job was left without an end. */
  private static double keptUpJobsPerSecond(LoopBench.Finished run) {
    boolean keptUp =
        !run.summary().path("unstable").asBoolean(true)
            && run.summary().path("all_open").asLong(-1) == 0
            && run.summary().path("all_dropped").asLong(-1) == 0;
    return keptUp ? run.figure("overall_throughput_jobs_sec") : 0;
  }

  private static Bench hop(
      int ratePerSecond, String config, double p50MsMax, double p99MsMax, Path folder) {
    String name = "hop_" + ratePerSecond;
    return new LoopBench(name.replace('_', '-'), config, folder)
        .reads(atMost(name + "_p50_ms", "ms", p50MsMax), "hop_p50_ms")
        .reads(atMost(name + "_p99_ms", "ms", p99MsMax), "hop_p99_ms");
  }

  private static String inBatchesOf32(int windowMs) {
    return """
        interactive_ratio: 0
        microbatch: {window_ms: %d, max_batch: 32, policies: [fifo]}
        """
        .formatted(windowMs);
  }

  /** A queue that grows without end before eight lanes. */
  private static String saturated(Window window, int ahead) {
    return emulated(window, 500, 20, 8, ahead) + ONE_BY_ONE;
  }

  /**
   * Experiment of one class of jobs and one workload of constant service time on emulated lanes.
   */
  private static String emulated(
      Window window, int ratePerSecond, int serviceMs, int lanes, int ahead) {
    return String.format(
            Locale.ROOT,
            """
      duration_seconds: %d
      warmup_seconds: %d
      tail_seconds: 5
      arrival_rate_jobs_per_sec: %d
      workloads: [{name: steady, tokens: 1, alpha_ms: %d, beta_ms: 0}]
      backends_enabled: [onnx]
      batch_sizes: [1]
      resources: {enabled: false}
      """,
            window.seconds() + window.warmUpSeconds(),
            window.warmUpSeconds(),
            ratePerSecond,
            serviceMs)
        + "lanes: {kind: emulated, num_lanes: %d, ahead: %d}\n".formatted(lanes, ahead);
  }
}
