package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.analytics.plot.Plots;
import dev.sluice.cli.Loop.Ended;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.kafka.EmbeddedBroker;
import dev.sluice.scheduling.policies.Policies;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From the experiment file to the finished folder, all roles in this process. */
@Tag("loop")
final class WholeLoopTest {
  private static final String OVERLOAD = "arrival_rate_jobs_per_sec=1000";

  private static EmbeddedBroker broker;

  @TempDir private Path folder;
  private Loop loop;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = SharedBroker.get();
  }

  @BeforeEach
  void prepare() {
    loop = new Loop(folder, broker.bootstrapServers());
  }

  @Test
  void promisesMultiplesOfTheIsolatedTime_whereAClassHasAScale() throws Exception {
    Ended run =
        loop.run(
            "scaled",
            "classes={interactive: {slo_scale: 5000}, batch: {slo_ms: 40000}}",
            "microbatch.enabled=false");
    run.assertWhole();
    List<Map<String, String>> jobs = run.rows("trace.csv");
    assertThat(jobs).hasSizeGreaterThan(50);
    assertThat(jobs)
        .allSatisfy(
            row -> {
              int samples = Integer.parseInt(row.get("batch_size"));
              double aloneMs =
                  row.get("workload_name").equals("short") ? 2 + 0.5 * samples : 6 + samples;
              assertThat(Double.parseDouble(row.get("slo_ms")))
                  .isEqualTo(row.get("class_type").equals("batch") ? 40_000 : 5000 * aloneMs);
            });
    assertThat(Files.readString(run.folder().resolve("config.yaml")))
        .contains("interactive: {slo_scale: 5000, ", "device_kind: \"emulated-linear\"");
    assertThat(run.summary().path("lateness_limit_ms").asDouble()).isEqualTo(0.05 * 5000 * 2.5);
  }

  @Test
  void leavesAWholeFolderAndNothingElse_onItsOwnBroker() throws Exception {
    var threads = new LeftThreads();
    Ended run = new Loop(folder, null).run("own", "thresholds.all_done=> 10", "tail_seconds=60");
    assertThat(run.text()).contains("all_done > 10: met");
    run.assertWhole();
    assertThat(threads.names()).isEmpty();
    assertThat(loop.left()).containsExactly("own");
    assertThat(run.folder())
        .isDirectoryNotContaining("glob:**temporary")
        .isDirectoryContaining("glob:**config.yaml")
        .isDirectoryContaining("glob:**dispatches.csv")
        .isDirectoryContaining("glob:**run.log");
    try (var plots = Files.list(run.folder().resolve("plots"))) {
      assertThat(plots.map(picture -> picture.getFileName().toString().replace(".png", "")))
          .isNotEmpty()
          .containsExactlyInAnyOrderElementsOf(Plots.names(experiment(run)));
    }
    assertThat(Files.readAllLines(run.folder().resolve("run.log")))
        .filteredOn(line -> line.contains(" ERROR "))
        .allMatch(line -> line.contains("event queue overloaded"), "a busy machine's alone");
    String report = Files.readString(run.folder().resolve("report.html"));
    assertThat(BadInputCommand.sluice("report", run.folder().toString()).status()).isZero();
    assertThat(run.folder().resolve("report.html")).hasContent(report);

    List<Map<String, String>> rows = run.rows("trace.csv");
    assertThat(rows.stream().map(row -> row.get("job_id")))
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, rows.size()).mapToObj(i -> "job-" + i).toList());
    List<Map<String, String>> measured =
        rows.stream().filter(row -> row.get("phase").equals("measured")).toList();
    assertThat(run.summary().path("all_count").asInt()).isEqualTo(measured.size()).isPositive();
    assertThat(run.summary().path("all_avg_e2e_ms").asDouble())
        .isCloseTo(
            measured.stream()
                .mapToDouble(r -> Double.parseDouble(r.get("e2e_ms")))
                .average()
                .orElseThrow(),
            within(1e-3));
    assertThat(run.rows("dispatches.csv"))
        .as("micro-batches")
        .anyMatch(row -> row.get("job_ids").contains("job-") && jobs(row) > 1);
  }

  @Test
  void sendsTheSameJobsUnderEachPolicy_andStartsThemAsTheBareCoreDecides() throws Exception {
    Set<String> digests = new TreeSet<>();
    Set<List<String>> orders = new HashSet<>();
    for (String policy : Policies.names()) {
      String[] settings = {
        "scheduler_name=" + policy,
        "arrival_rate_jobs_per_sec=400",
        "lanes.num_lanes=1",
        "tail_seconds=3"
      };
      Ended run = loop.run("by-" + policy, settings);
      run.assertWhole();
      assertThat(run.summary().path("scheduler_name").asText()).isEqualTo(policy);
      digests.add(run.summary().path("request_digest").asText());
      BadInputCommand decided =
          BadInputCommand.sluice("replay", "--decisions", run.folder().toString());
      assertThat(decided.status()).as(policy + ": " + decided.out() + decided.err()).isZero();
      List<String> order = order(run);
      assertThat(run.count("done")).as(policy).isGreaterThan(20);
      assertThat(isByArrival(order))
          .as("%s keeps the order of arrival", policy)
          .isEqualTo(isByArrival(order(simulated(policy, settings))));
      orders.add(order);
    }
    assertThat(digests).hasSize(1);
    assertThat(orders).hasSizeGreaterThan(1);
  }

  private static Experiment experiment(Ended run) throws Exception {
    Path config = run.folder().resolve("config.yaml");
    return ExperimentFile.read(config, List.of(), Registries.vocabulary()).experiment();
  }

  private static List<String> order(Ended run) throws Exception {
    return run.rows("dispatches.csv").stream().map(row -> row.get("job_ids")).toList();
  }

  private static boolean isByArrival(List<String> order) {
    return order.equals(IntStream.range(0, order.size()).mapToObj(i -> "job-" + i).toList());
  }

  private Ended simulated(String policy, String... settings) throws Exception {
    List<String> words = new ArrayList<>(List.of("simulate", loop.write(Loop.EMULATED).toString()));
    words.addAll(List.of("--results", folder.toString(), "--run-id", policy));
    for (String setting : settings) {
      words.addAll(List.of("--set", setting));
    }
    BadInputCommand done = BadInputCommand.sluice(words.toArray(String[]::new));
    return new Ended(done.status(), folder.resolve(policy), done.err()).assertWhole();
  }

  @Test
  void endsByTheTailsLimit_withEachJobAccountedFor_whenHopelesslyOverloaded() throws Exception {
    Ended run =
        loop.run(
            "overloaded",
            OVERLOAD,
            "tail_seconds=0.5",
            "generators=3",
            "scheduler_name=fifo",
            "thresholds.p50_e2e_ms=< 0.001");
    assertThat(run.status()).as(run.text()).isEqualTo(ExitStatus.INCONCLUSIVE); // unstable
    assertThat(run.text()).contains("hopelessly overloaded");
    assertThat(run.summary().path("tail_limit_reached").asBoolean()).isTrue();
    List<Map<String, String>> rows = run.rows("trace.csv");
    assertThat(rows.size()).isGreaterThan(1000);
    assertThat(run.count("done") + run.count("dropped")).isEqualTo(rows.size());
    assertThat(rows.stream().filter(row -> row.get("status").equals("dropped")))
        .isNotEmpty()
        .allMatch(row -> row.get("reason").equals("run_ended"));
    Ended alone = loop.run("alone", OVERLOAD, "tail_seconds=0.5", "scheduler_name=fifo");
    assertThat(run.summary().path("request_digest"))
        .as("with 1 and with 3 generators")
        .isEqualTo(alone.summary().path("request_digest"));
  }

  @Test
  void leavesNothing_onADryRun() throws Exception {
    assertThat(execute("--dry-run", "--run-id", "dry")).isZero();
    assertThat(loop.left()).isEmpty();
  }

  @Test
  void printsTheSummaryAlone_whenAskedForJson_andTakesTheRunsId_onlyOnce() throws Exception {
    var screen = new Screen();
    PrintStream before = System.out;
    System.setOut(screen.stream());
    try {
      int status = execute("--json", "--run-id", "as-json", "--set", "seed=8");
      new Ended(status, folder, screen.text()).assertWhole();
    } finally {
      System.setOut(before);
    }
    var summary = new ObjectMapper().readTree(screen.text());
    assertThat(summary.path("run_id").asText()).isEqualTo("as-json");
    assertThat(summary.path("seed").asInt()).isEqualTo(8);
    assertThat(screen.text())
        .isEqualTo(Files.readString(loop.results().resolve("as-json").resolve("summary.json")));
    assertThat(execute("--run-id", "as-json")).isEqualTo(ExitStatus.MISTAKE);
    assertThat(loop.left()).containsExactly("as-json");
  }

  private int execute(String... arguments) throws Exception {
    List<String> all =
        new ArrayList<>(
            List.of(
                "run",
                loop.write(Loop.EMULATED).toString(),
                "--results",
                loop.results().toString(),
                "--bootstrap",
                broker.bootstrapServers()));
    all.addAll(List.of(arguments));
    return Sluice.execute(all.toArray(String[]::new));
  }

  private static long jobs(Map<String, String> dispatch) {
    return dispatch.get("job_ids").split("job-", -1).length - 1;
  }
}
