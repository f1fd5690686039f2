package dev.sluice.bench;

import static dev.sluice.bench.Bench.Row.atMostLoops;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** All measurements of {@code ./sluice bench}, in the order of its table. */
final class Benches {
  /** Keys of an experiment whose waiting jobs share batches of at most 32. */
  static final String BATCHES_OF_32 =
      """
      interactive_ratio: 0
      microbatch: {window_ms: 5, max_batch: 32, policies: [fifo]}
      """;

  private static final String ONE_BY_ONE = "microbatch: {enabled: false}\n";

  /** A thousand jobs a second beside two lanes that compute all the time. */
  private static final String LATENESS =
      """
      duration_seconds: %d
      warmup_seconds: %d
      tail_seconds: 0
      arrival_rate_jobs_per_sec: 1000
      workloads: [resnet18]
      backends_enabled: [onnx]
      batch_sizes: [1]
      resources: {enabled: false}
      lanes: {num_lanes: 2, threads: 1}
      """;

  private Benches() {}

  /**
   * The stretch of a run that a bench measures.
   *
   * @param seconds its length
   * @param warmUpSeconds warm-up before it
   */
  record Window(int seconds, int warmUpSeconds) {
    Window atMost(int secondsMax, int warmUpSecondsMax) {
      return new Window(Math.min(seconds, secondsMax), Math.min(warmUpSeconds, warmUpSecondsMax));
    }

    int allSeconds() {
      return seconds + warmUpSeconds;
    }
  }

  /**
   * Returns the benches of the table, in its order.
   *
   * @param home the folder that Sluice was started from
   * @param folder where files of the measurements go
   * @param loop window of each loop, except those of inference and of 100,000 jobs
   * @param memory window of the memory's bench
   * @param out receives what a measurement says beside its readings
   * @throws IOException if a shipped experiment cannot be read
   */
  static List<Bench> ofTable(
      Path home, Path folder, Window loop, Window memory, Consumer<String> out) throws IOException {
    return List.of(
        new LoopBench(
                "first-dispatch",
                Files.readString(home.resolve("configs/quickstart.yaml")),
                folder,
                List.of("--set", "duration_seconds=3", "--set", "warmup_seconds=0"))
            .reads(
                atMostLoops("first_dispatch_s", "s", 75),
                run -> run.figure("start_to_first_dispatch_ms") / 1e3),
        hop(100, emulated(loop, 100, 20, 8), 0.021, 0.085, folder),
        hop(1000, emulated(loop, 1000, 5, 32), 0.035, 0.15, folder),
        new LoopBench("bubble", emulated(loop, 500, 20, 8) + ONE_BY_ONE, folder)
            .reads(atMostLoops("bubble_p50_ms", "ms", 0.022), "bubble_p50_ms"),
        new SustainedBench(loop.atMost(10, 5), folder, out),
        new LoopBench(
                "lateness", LATENESS.formatted(loop.allSeconds(), loop.warmUpSeconds()), folder)
            .reads(atMostLoops("lateness_1000_p99_ms", "ms", 0.015), "lateness_p99_ms"),
        new LoopBench("report", emulated(new Window(21, 0), 5000, 1, 16) + BATCHES_OF_32, folder)
            .reads(
                atMostLoops("report_100000_s", "s", 18),
                run -> run.figure("all_done") < 100_000 ? Double.NaN : run.secondsAfterLoad()),
        new CommandsBench(home, folder, out),
        new WorkflowBench(),
        new PlanBench(out),
        new LayersBench(folder, out),
        new SweepBench(folder),
        new TakeoverBench(folder, out),
        new InferenceBench("resnet18", 1, 200, 0.9, 30, folder),
        new InferenceBench("resnet50", 8, 20, 0.95, 30, folder),
        new MemoryBench(folder, memory.seconds(), memory.warmUpSeconds(), out));
  }

  /**
   * Returns the benches that run only where they are named.
   *
   * @param out receives what a measurement says beside its readings
   */
  static List<Bench> onlyByName(Consumer<String> out) {
    return List.of(new CoreBench(), new DecisionBench(out));
  }

  private static Bench hop(
      int ratePerSecond, String config, double p50LoopsMax, double p99LoopsMax, Path folder) {
    String name = "hop_" + ratePerSecond;
    return new LoopBench(name.replace('_', '-'), config + ONE_BY_ONE, folder)
        .reads(atMostLoops(name + "_p50_ms", "ms", p50LoopsMax), "hop_p50_ms")
        .reads(atMostLoops(name + "_p99_ms", "ms", p99LoopsMax), "hop_p99_ms");
  }

  /**
   * Returns an experiment of one class of jobs and one workload of constant service time on
   * emulated lanes.
   */
  static String emulated(Window window, int ratePerSecond, int serviceMs, int lanes) {
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
        lanes: {kind: emulated, num_lanes: %d}
        """,
        window.allSeconds(),
        window.warmUpSeconds(),
        ratePerSecond,
        serviceMs,
        lanes);
  }
}
