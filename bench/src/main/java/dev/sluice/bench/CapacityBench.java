package dev.sluice.bench;

import dev.sluice.analytics.capacity.CapacitySearch.Answer;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.Launch;
import dev.sluice.harness.process.TemporaryFolder;
import dev.sluice.harness.report.CapacityOptions;
import dev.sluice.harness.report.CapacityRun;
import dev.sluice.harness.terminal.Console;
import dev.sluice.producer.arrivals.RepeatSeeds;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Truth of capacities, of one lane of constant time whose capacity is known, and their duration on
 * the experiment that is shipped. All of it is simulated, the former in this process.
 */
public final class CapacityBench implements Bench {
  private static final Row HELD = Row.atLeast("capacity_100_intervals_hold_truth", "", 95);
  private static final Row SECONDS = Row.atMost("capacity_3_policies_simulated_s", "s", 60);
  private static final int SEARCHES = 100;
  private static final int RUNS_MAX = 400;
  private static final double NS_PER_SECOND = 1e9;
  private static final String TARGET = "slo_violation_rate < 0.01";

  private static final String ONE_LANE =
      """
      duration_seconds: 200
      warmup_seconds: 5
      arrival_rate_jobs_per_sec: 50
      interactive_ratio: 1
      classes: {only: {slo_ms: 50, interactive: true}}
      workloads: [{name: m, alpha_ms: 10, beta_ms: 0.000001, tokens: 1}]
      backends_enabled: [onnx]
      batch_sizes: [1]
      lanes: {kind: emulated, num_lanes: 1}
      scheduler_name: fifo
      simulation: {hops: none}
      """;

  /**
   * Rate at which 1 % of Poisson arrivals wait longer than 40 ms for a lane that takes 10 ms each,
   * by the distribution of the wait in M/D/1 (A. K. Erlang 1909).
   */
  private static final double CAPACITY = 56.0783;

  private final Path folder;
  private final Path shipped;
  private final LongSupplier nanoTime;

  /**
   * @param folder where searches leave their files while they are measured
   * @param shipped file of the experiment {@code emulated_accelerator}
   * @param nanoTime a monotonic clock
   */
  public CapacityBench(Path folder, Path shipped, LongSupplier nanoTime) {
    this.folder = folder;
    this.shipped = shipped;
    this.nanoTime = nanoTime;
  }

  @Override
  public String name() {
    return "capacity";
  }

  @Override
  public List<Row> rows() {
    return List.of(HELD, SECONDS);
  }

  @Override
  public Map<Row, Double> measure() throws IOException, InterruptedException {
    Path own = Files.createTempDirectory(Files.createDirectories(folder), name());
    try {
      long beganNs = nanoTime.getAsLong();
      searchThree(own);
      double seconds = (nanoTime.getAsLong() - beganNs) / NS_PER_SECOND;
      Path oneLane = Files.writeString(own.resolve("one-lane.yaml"), ONE_LANE);
      int held = 0;
      for (int i = 1; i <= SEARCHES; i++) {
        for (Answer answer : search(own, oneLane, i).values()) {
          held += answer.pass() < CAPACITY && CAPACITY < answer.fail() ? 1 : 0;
        }
      }
      return Map.of(SECONDS, seconds, HELD, (double) held);
    } finally {
      TemporaryFolder.remove(own);
    }
  }

  /** A process of its own, as a user types it, with the launcher's options. */
  private void searchThree(Path own) throws IOException, InterruptedException {
    List<String> arguments =
        List.of(
            "capacity",
            shipped.toString(),
            "--target=" + TARGET,
            "--policies=fifo,dynamic,batch_aware",
            "--between=50..2000",
            "--simulate",
            "--results=" + own);
    int status =
        Launch.of(ChildJvm.of(ChildJvm.launchedParallel(), ChildJvm.SLUICE, arguments)).status();
    if (status != ExitStatus.DONE && status != ExitStatus.INCONCLUSIVE) {
      throw new IOException("the search of three policies failed (exit status " + status + ")");
    }
  }

  private static Map<String, Answer> search(Path own, Path config, int number)
      throws IOException, InterruptedException {
    var options =
        new CapacityOptions(
            config,
            List.of("seed=" + RepeatSeeds.of(7, number)),
            own,
            "one-lane-" + number,
            TARGET,
            /* policies= */ null,
            "30..90",
            "5%",
            RUNS_MAX,
            /* simulate= */ true);
    var silent =
        new Console(
            new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8), false);
    var run = new CapacityRun(options, silent);
    try {
      int unused = run.execute();
    } catch (UserMistakeException e) {
      throw new IllegalStateException("an experiment of the bench is refused", e);
    }
    return run.answers();
  }
}
