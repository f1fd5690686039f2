package dev.sluice.bench;

import static dev.sluice.bench.Bench.Row.atLeast;
import static dev.sluice.bench.Bench.Row.atMostLoops;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.Launch;
import dev.sluice.harness.process.TemporaryFolder;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Consumer;

/**
 * Durations of whole commands, from the start of the launcher to its exit: simulations, and what a
 * user asks of a finished run of some 100,000 jobs. Each is one reading.
 */
final class CommandsBench implements Bench {
  private static final Row ACCELERATOR = atMostLoops("simulate_accelerator_s", "s", 11);
  private static final Row SUMMARY = atMostLoops("simulate_1m_summary_s", "s", 26);
  private static final Row FOLDER = atMostLoops("simulate_1m_folder_s", "s", 45);
  private static final Row TIMES_SIMPY =
      atLeast("simulate_times_simpy", "x SimPy", 1).beside("SimPy");
  private static final Row CHECK = atMostLoops("check_100k_s", "s", 26);
  private static final Row COMPARE = atMostLoops("compare_100k_s", "s", 30);
  private static final Row EXPLAIN = atMostLoops("explain_100k_s", "s", 20);
  private static final Row REPLAY = atMostLoops("replay_decisions_100k_s", "s", 30);

  private static final int MILLION = 1_000_000;

  private static final int LANES = 16;

  /** Jobs of 1, 8 or 32 samples take 2 or 4 ms, and a quarter of a millisecond for each sample. */
  private static final double JOBS_PER_SECOND = 0.9 * LANES / (3 + 0.25 * (1 + 8 + 32) / 3) * 1000;

  private static final String HUNDRED_THOUSAND =
      """
      duration_seconds: 203
      warmup_seconds: 3
      arrival_rate_jobs_per_sec: 500
      classes:
        interactive: {slo_ms: 100}
        batch: {slo_ms: 1000}
      workloads:
      - {name: short, alpha_ms: 4, beta_ms: 1, tokens: 50}
      - {name: long, alpha_ms: 12, beta_ms: 2, tokens: 100}
      backends_enabled: [onnx]
      batch_sizes: [1, 2]
      scheduler_name: dynamic
      microbatch: {window_ms: 10, max_batch: 8}
      lanes: {kind: emulated, num_lanes: 8}
      """;

  private static final String LAST_JOB = "job-99999";

  private final Path home;
  private final Path folder;
  private final Consumer<String> out;

  /** A command's duration and standard output. */
  private record Ended(double seconds, String printed) {}

  /**
   * @param home folder of the launcher and of the experiments that are shipped
   * @param folder where runs go while they are measured
   * @param out receives SimPy's own words, or that it is missing
   */
  CommandsBench(Path home, Path folder, Consumer<String> out) {
    this.home = home;
    this.folder = folder;
    this.out = out;
  }

  /** Returns the command line of a program on one core. */
  static List<String> onOneCore(List<String> command) {
    List<String> pinned = new ArrayList<>(List.of("taskset", "-c", "0"));
    pinned.addAll(command);
    return pinned;
  }

  @Override
  public String name() {
    return "commands";
  }

  @Override
  public List<Row> rows() {
    return List.of(ACCELERATOR, SUMMARY, FOLDER, TIMES_SIMPY, CHECK, COMPARE, EXPLAIN, REPLAY);
  }

  @Override
  public Map<Row, Double> measure() throws IOException, InterruptedException {
    Path own = Files.createTempDirectory(Files.createDirectories(folder), name());
    try {
      Map<Row, Double> readings = new LinkedHashMap<>();
      simulate(own, readings);
      askOfARun(own, readings);
      return readings;
    } finally {
      TemporaryFolder.remove(own);
    }
  }

  private void simulate(Path own, Map<Row, Double> readings)
      throws IOException, InterruptedException {
    String shipped = home.resolve("configs/emulated_accelerator.yaml").toString();
    List<String> accelerator = simulation(own, shipped, "accelerator");
    readings.put(ACCELERATOR, ended(accelerator).seconds);
    readings.put(SUMMARY, queueSeconds(own, MILLION, false, "--no-trace"));
    readings.put(FOLDER, queueSeconds(own, MILLION, false));
    OptionalDouble simPy = SimPy.seconds(MILLION, JOBS_PER_SECOND, LANES, own, out);
    if (simPy.isPresent()) {
      double seconds = queueSeconds(own, MILLION, true, "--no-trace");
      out.accept(String.format(Locale.ROOT, "  Sluice on one core: %.2f s", seconds));
      readings.put(TIMES_SIMPY, simPy.getAsDouble() / seconds);
    }
  }

  /** Returns the duration of a simulation of the queue, with the number of jobs checked. */
  private double queueSeconds(Path own, int jobs, boolean oneCore, String... options)
      throws IOException, InterruptedException {
    String text =
        String.format(
            Locale.ROOT,
            """
            duration_seconds: %s
            tail_seconds: 0
            arrival_rate_jobs_per_sec: %s
            workloads:
            - {name: quick, tokens: 1, alpha_ms: 2, beta_ms: 0.25}
            - {name: slow, tokens: 1, alpha_ms: 4, beta_ms: 0.25}
            backends_enabled: [onnx]
            batch_sizes: [1, 8, 32]
            scheduler_name: fifo
            microbatch: {enabled: false}
            resources: {enabled: false}
            lanes: {kind: emulated, num_lanes: %d}
            simulation: {hops: none}
            """,
            jobs / JOBS_PER_SECOND,
            JOBS_PER_SECOND,
            LANES);
    Path experiment = Files.writeString(own.resolve("queue.yaml"), text);
    List<String> command = simulation(own, experiment.toString(), "queue", options);
    double seconds = ended(oneCore ? onOneCore(command) : command).seconds;
    checkJobs(own.resolve("queue"), jobs);
    TemporaryFolder.remove(own.resolve("queue"));
    return seconds;
  }

  /** Times what a user asks of a run; a second run with another policy is there to compare. */
  private void askOfARun(Path own, Map<Row, Double> readings)
      throws IOException, InterruptedException {
    String experiment = Files.writeString(own.resolve("hundred.yaml"), HUNDRED_THOUSAND).toString();
    Ended unused = ended(simulation(own, experiment, "run", "--log"));
    unused = ended(simulation(own, experiment, "other", "--set", "scheduler_name=fifo"));
    checkJobs(own.resolve("run"), 101_500);
    String run = own.resolve("run").toString();
    readings.put(CHECK, ended(sluice("check", run)).seconds);
    readings.put(COMPARE, ended(sluice("compare", run, own.resolve("other").toString())).seconds);
    Ended explained = ended(sluice("explain", run, LAST_JOB));
    if (!explained.printed.startsWith(LAST_JOB + "  ")) {
      throw new IOException("the explanation is none: " + explained.printed);
    }
    readings.put(EXPLAIN, explained.seconds);
    Ended replayed = ended(sluice("replay", "--decisions", run, "--json"));
    if (new JsonMapper().readTree(replayed.printed).path("others").asLong(-1) != 0) {
      throw new IOException("decisions differ from those of the log: " + run);
    }
    readings.put(REPLAY, replayed.seconds);
  }

  private List<String> sluice(String... arguments) {
    List<String> command = new ArrayList<>(List.of(home.resolve("sluice").toString()));
    command.addAll(List.of(arguments));
    return command;
  }

  private List<String> simulation(Path own, String experiment, String runId, String... options) {
    List<String> command =
        sluice("simulate", experiment, "--results", own.toString(), "--run-id", runId);
    command.addAll(List.of(options));
    return command;
  }

  private static Ended ended(List<String> command) throws IOException, InterruptedException {
    long beganNs = MachineClock.monotonicNs();
    String printed = Launch.of(command).errors(Redirect.INHERIT).printed(String.join(" ", command));
    return new Ended((MachineClock.monotonicNs() - beganNs) / 1e9, printed);
  }

  /** Refuses a reading that is not of the jobs that were asked for. */
  private static void checkJobs(Path run, int jobs) throws IOException {
    JsonNode summary = new JsonMapper().readTree(run.resolve("summary.json").toFile());
    double simulated = summary.path("all_count").asDouble();
    if (Math.abs(simulated / jobs - 1) > 0.02) {
      throw new IllegalStateException("(" + simulated + ") of " + jobs + " jobs were simulated");
    }
  }
}
