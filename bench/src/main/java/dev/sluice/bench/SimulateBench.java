package dev.sluice.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.Launch;
import dev.sluice.harness.process.TemporaryFolder;
import dev.sluice.scheduling.policies.Policies;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Duration of {@code ./sluice simulate} from start to exit, without the launcher's shell: what a
 * user waits for, beside the rows of the bare engine. Short simulations are the median of three
 * processes, long ones and those of 30,000 waiting jobs are one process; each is said when it is
 * read.
 */
public final class SimulateBench implements Bench {
  private static final Row TIMES_SIMPY = Row.atLeast("simulate_times_simpy", "x SimPy", 3);
  private static final int MILLION = 1_000_000;
  private static final int WAITING = 30_000;
  private static final double OVERLOAD = 1.2;
  private static final int READINGS = 3;
  private static final double NS_PER_SECOND = 1e9;
  private static final String NO_TRACE = "--no-trace";

  private final Path folder;
  private final Path shipped;
  private final LongSupplier nanoTime;
  private final Consumer<String> out;

  /**
   * One simulation.
   *
   * @param row seconds
   * @param queue what is simulated; null: the experiment that is shipped
   * @param readings number of processes, of which the median counts
   */
  private record Load(
      Row row,
      @Nullable BenchQueue queue,
      int readings,
      List<String> jvmOptions,
      List<String> arguments) {
    Load once() {
      return new Load(row, queue, 1, jvmOptions, arguments);
    }
  }

  /**
   * @param folder where simulations go while they are measured
   * @param shipped file of the experiment {@code emulated_accelerator}
   * @param nanoTime a monotonic clock
   * @param out receives what other simulators say of the queue, or that they are missing
   */
  public SimulateBench(Path folder, Path shipped, LongSupplier nanoTime, Consumer<String> out) {
    this.folder = folder;
    this.shipped = shipped;
    this.nanoTime = nanoTime;
    this.out = out;
  }

  private static List<Load> loads() {
    List<Load> loads = new ArrayList<>();
    BenchQueue fifo = BenchQueue.fifo(MILLION);
    loads.add(load("1m_folder", 6, fifo));
    loads.add(load("1m_summary", 3, fifo, NO_TRACE));
    loads.add(
        new Load(
            row("10m_summary_1g", 15),
            BenchQueue.fifo(10 * MILLION),
            1,
            List.of("-Xmx1g"),
            List.of(NO_TRACE)));
    loads.add(load("emulated_accelerator", 2.5, null));
    loads.add(load("repeat_100", 25, null, "--repeat", "100").once());
    loads.add(
        load(
            "1m_dynamic_joined_summary",
            5,
            new BenchQueue("dynamic", true, MILLION, 0.9, Integer.MAX_VALUE),
            NO_TRACE));
    for (String policy : Policies.names()) {
      loads.add(
          load(
                  "1m_" + policy + "_30000_waiting_summary",
                  5,
                  new BenchQueue(policy, false, MILLION, OVERLOAD, WAITING),
                  NO_TRACE)
              .once());
    }
    return loads;
  }

  private static Load load(
      String name, double goalSeconds, @Nullable BenchQueue queue, String... arguments) {
    return new Load(row(name, goalSeconds), queue, READINGS, List.of(), List.of(arguments));
  }

  private static Row row(String name, double goalSeconds) {
    return Row.atMost("simulate_" + name + "_s", "s", goalSeconds);
  }

  @Override
  public String name() {
    return "simulate";
  }

  @Override
  public List<Row> rows() {
    List<Row> rows = new ArrayList<>(loads().stream().map(Load::row).toList());
    rows.add(TIMES_SIMPY);
    return rows;
  }

  @Override
  public Map<Row, Double> measure() throws IOException, InterruptedException {
    Path own = Files.createTempDirectory(Files.createDirectories(folder), name());
    try {
      Map<Row, Double> readings = new LinkedHashMap<>();
      for (Load load : loads()) {
        double seconds = seconds(load, own, false);
        readings.put(load.row, seconds);
        String of = load.readings == 1 ? "one process" : "median of " + load.readings;
        out.accept(String.format(Locale.ROOT, "  %s: %.2f s, %s", load.row.name(), seconds, of));
      }
      measureOthers(own, readings);
      return readings;
    } finally {
      TemporaryFolder.remove(own);
    }
  }

  /** Compares whole processes on one core, with equal jobs, lanes and load. */
  private void measureOthers(Path own, Map<Row, Double> readings)
      throws IOException, InterruptedException {
    BenchQueue queue = BenchQueue.fifo(MILLION);
    var others = new OtherSimulators(own, nanoTime, out);
    var simPy = others.simPySeconds(queue);
    var ssj = others.ssjSeconds(queue);
    if (simPy.isPresent() || ssj.isPresent()) {
      double seconds = seconds(load("one_core", 0, queue, NO_TRACE), own, true);
      out.accept(String.format(Locale.ROOT, "Sluice on one core: %.2f s", seconds));
      simPy.ifPresent(simPySeconds -> readings.put(TIMES_SIMPY, simPySeconds / seconds));
      ssj.ifPresent(s -> out.accept(String.format(Locale.ROOT, "%.3g x SSJ", s / seconds)));
    }
  }

  private double seconds(Load load, Path own, boolean oneCore)
      throws IOException, InterruptedException {
    Path experiment = shipped;
    if (load.queue != null) {
      experiment = Files.writeString(own.resolve("queue.yaml"), load.queue.experiment());
    }
    List<Double> seconds = new ArrayList<>();
    for (int i = 0; i < load.readings; i++) {
      Path results = own.resolve("results");
      List<String> arguments =
          new ArrayList<>(
              List.of("simulate", experiment.toString(), "--results", results.toString()));
      arguments.addAll(List.of("--run-id", "bench"));
      arguments.addAll(load.arguments);
      List<String> options = ChildJvm.launchedParallel();
      options.add("-XX:TieredStopAtLevel=1"); // as the launcher does
      options.addAll(load.jvmOptions);
      List<String> command = ChildJvm.of(options, ChildJvm.SLUICE, arguments);
      long beganNs = nanoTime.getAsLong();
      String unused =
          Launch.of(oneCore ? OtherSimulators.onOneCore(command) : command)
              .errors(Redirect.INHERIT)
              .printed("the simulation of " + load.row.name());
      seconds.add((nanoTime.getAsLong() - beganNs) / NS_PER_SECOND);
      if (load.queue != null) {
        checkJobs(load.queue, results.resolve("bench"));
      }
      TemporaryFolder.remove(results);
    }
    Collections.sort(seconds);
    return seconds.get(load.readings / 2);
  }

  /** Refuses a reading that is not of the jobs that were asked for. */
  private static void checkJobs(BenchQueue queue, Path run) throws IOException {
    JsonNode summary = new JsonMapper().readTree(run.resolve("summary.json").toFile());
    double jobs = summary.path("all_count").asDouble();
    if (Math.abs(jobs / queue.jobs() - 1) > 0.01) {
      throw new IllegalStateException("(" + jobs + ") of " + queue.jobs() + " jobs were simulated");
    }
  }
}
