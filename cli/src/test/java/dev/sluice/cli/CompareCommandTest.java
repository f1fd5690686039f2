package dev.sluice.cli;

import static dev.sluice.cli.BadInputCommand.sluice;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.harness.frame.ExitStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./sluice compare} on simulated series: its table, its page, its exit status. */
final class CompareCommandTest {
  /** Two lanes, two thirds busy, whose service times and hops vary. */
  private static final String EXPERIMENT =
      """
      duration_seconds: 4
      arrival_rate_jobs_per_sec: 60
      workloads: [{name: steady, alpha_ms: %s, beta_ms: 1, tokens: 10}]
      backends_enabled: [onnx]
      batch_sizes: [1, 2]
      scheduler_name: fifo
      microbatch: {enabled: false}
      lanes: {num_lanes: 2, kind: emulated}
      """;

  @TempDir private Path folder;
  private Path a = Path.of("");
  private Path slow = Path.of("");

  @BeforeEach
  void write() throws IOException {
    a = Files.writeString(folder.resolve("a.yaml"), EXPERIMENT.formatted(20));
    slow = Files.writeString(folder.resolve("slow.yaml"), EXPERIMENT.formatted(26));
  }

  private String simulate(Path config, String runId, String... options) {
    List<String> command =
        new ArrayList<>(
            List.of(
                "simulate", config.toString(), "--results", folder.toString(), "--run-id", runId));
    command.addAll(List.of(options));
    BadInputCommand done = sluice(command.toArray(String[]::new));
    assertThat(done.status()).as(done.err()).isIn(ExitStatus.DONE, ExitStatus.INCONCLUSIVE);
    return folder.resolve(runId).toString();
  }

  @Test
  void slowerLanesAreWorse_andTheGateFails() throws Exception {
    String one = simulate(a, "one", "--repeat", "8");
    String other = simulate(slow, "other", "--repeat", "8");
    BadInputCommand compared =
        sluice("compare", one, other, "--gate", "--primary", "all_avg_e2e_ms");
    assertThat(compared.status()).as(compared.err()).isEqualTo(ExitStatus.MISSED);
    assertThat(compared.out())
        .contains("A  " + one + " (fifo, 8 runs)")
        .containsPattern("all_avg_e2e_ms \\* .* worse")
        .contains("Student's t over 8 pairs of runs with equal requests")
        .contains("gate      B is worse")
        .contains("! simulated: nothing ran and nothing waited");
    String page = Files.readString(folder.resolve("compare-one-other.html"));
    assertThat(page)
        .contains("default-src 'none'")
        .contains("<td class=\"worse\">worse</td>")
        .contains("Share of jobs done within a time")
        .doesNotContain("<script")
        .doesNotContain("://");
    BadInputCommand turned = sluice("compare", other, one, "--gate", "--json");
    assertThat(turned.status()).as(turned.err()).isZero();
    JsonNode json = new ObjectMapper().readTree(turned.out());
    assertThat(json.at("/figures/all_avg_e2e_ms/verdict").asText()).isEqualTo("better");
    assertThat(json.at("/pairs").asInt()).isEqualTo(8);
    assertThat(json.at("/primary").asText()).isEqualTo("all_goodput_jobs_sec");
  }

  @Test
  void theBoundIsAColumn_unlessTimesWereOthers() throws Exception {
    String one = simulate(a, "one", "--repeat", "2", "--no-trace");
    String other = simulate(slow, "other", "--repeat", "2", "--no-trace");
    BadInputCommand compared = sluice("compare", one, other, "--bound");
    assertThat(compared.status()).as(compared.err()).isZero();
    assertThat(compared.out())
        .containsPattern("figure +A +B +bound +change")
        .containsPattern("all_goodput_jobs_sec [*]( +[0-9.]+){3}")
        .containsPattern("all_p99_e2e_ms( +[0-9.]+){2} +[+-]")
        .contains("bound: no scheduler");
    assertThat(Files.readString(folder.resolve("compare-one-other.html")))
        .contains("<th scope=\"col\" class=\"number\">bound</th>");
    JsonNode json =
        new ObjectMapper().readTree(sluice("compare", one, other, "--bound", "--json").out());
    JsonNode goodput = json.at("/figures/all_goodput_jobs_sec");
    assertThat(goodput.path("bound").asDouble())
        .isGreaterThanOrEqualTo(goodput.path("a").asDouble());
    assertThat(json.at("/figures/all_slo_violation_rate/bound").asDouble())
        .isLessThanOrEqualTo(json.at("/figures/all_slo_violation_rate/a").asDouble());

    Path table =
        Files.writeString(
            folder.resolve("table.csv"),
            "workload,backend,precision,samples,mean_ms\nsteady,onnx,fp32,1,9\n");
    String third = simulate(a, "third", "--no-trace", "--profile", table.toString());
    sluice("compare", third, other, "--bound", "--anyway")
        .isRefused(1)
        .says("this simulation took others");
  }

  @Test
  void noiseOfItsOwnIsWithinNoise() {
    String one = simulate(a, "one", "--repeat", "8", "--no-trace");
    String other =
        simulate(a, "other", "--repeat", "8", "--no-trace", "--set", "simulation.noise_seed=5");
    BadInputCommand compared =
        sluice("compare", one, other, "--gate", "--primary", "all_avg_e2e_ms");
    assertThat(compared.status()).as(compared.err() + compared.out()).isZero();
    assertThat(compared.out())
        .contains("\nverdict        no difference found in all_avg_e2e_ms\n")
        .containsPattern("all_avg_e2e_ms \\* .* within noise\n")
        .containsPattern("is found 4 times in\\s+5:\\s+all_avg_e2e_ms [0-9.]+ %");
  }

  @Test
  void versusSimulatesBothSettings_andTheSameCommandGoesOn() throws Exception {
    List<String> command =
        List.of(
            "simulate",
            a.toString(),
            "--results",
            folder.resolve("results").toString(),
            "--repeat",
            "8",
            "--no-trace",
            "--versus",
            "lanes.num_lanes=1",
            "--gate");
    BadInputCommand done = sluice(command.toArray(String[]::new));
    assertThat(done.status()).as(done.err()).isEqualTo(ExitStatus.MISSED);
    assertThat(done.out())
        .contains("B  with lanes.num_lanes=1 (fifo, 8 runs)")
        .containsPattern("all_goodput_jobs_sec \\* .* worse");
    List<Path> left = BadInputCommand.held(folder.resolve("results"));
    assertThat(left).hasSize(1);
    Path series = left.get(0);
    assertThat(series.resolve("comparison.html")).isNotEmptyFile();
    assertThat(series.resolve("b/repeats.csv")).isNotEmptyFile();
    String again = sluice("compare", series + "/a", series + "/b").out();
    assertThat(again).contains("8 pairs");
    // as it was left by Ctrl-C after A
    Path open = Files.move(series, series.resolveSibling(series.getFileName() + ".running"));
    Files.move(open.resolve("b"), open.resolve("b.running"));
    Files.delete(open.resolve("comparison.html"));
    BadInputCommand resumed = sluice(command.toArray(String[]::new));
    assertThat(resumed.status()).as(resumed.err()).isEqualTo(ExitStatus.MISSED);
    assertThat(resumed.out()).contains("seeds of B").doesNotContain("seeds of A");
    assertThat(BadInputCommand.held(folder.resolve("results"))).containsExactly(series);
  }

  @Test
  void versusRefuses_beforeAnythingRuns() {
    String config = a.toString();
    for (String command : List.of("run", "simulate")) {
      sluice(command, config, "--repeat", "7", "--versus", "seed=1").isRefused(1).says("below 8");
      sluice(command, config, "--versus", "lanes.num_lanes=1").isRefused(1).says("--repeat 8");
      sluice(command, config, "--repeat", "8", "--gate").isRefused(1).says("--versus KEY=VALUE");
      sluice(command, config, "--repeat", "8", "--versus", "lanes.ahead=1")
          .isRefused(1)
          .says("gives the two other values of lanes.ahead");
      sluice(command, config, "--repeat", "8", "--versus", "arrival_rate_jobs_per_sec=9")
          .isRefused(1)
          .says("gives the two other requests");
      sluice(command, config, "--repeat", "8", "--versus", "scheduler_name=fifoo")
          .isRefused(1)
          .says("fifoo");
      sluice(command, config, "--repeat", "8", "--versus", "seed=1", "--primary", "lane_use")
          .isRefused(1)
          .says("neither more nor less");
    }
  }

  @Test
  void whatShouldNotBeCompared_isRefused_unlessAnyway() throws Exception {
    String one = simulate(a, "one");
    String other = simulate(a, "other", "--set", "seed=7", "--set", "lanes.ahead=1");
    sluice("compare", one, other)
        .isRefused(2)
        .says("these should not be compared: other requests")
        .says("these should not be compared: other lanes.ahead: A 0; B 1")
        .says("--anyway");
    BadInputCommand anyway = sluice("compare", one, other, "--anyway", "--json");
    assertThat(anyway.status()).as(anyway.err()).isZero();
    assertThat(anyway.err()).contains("! compared anyway: other lanes.ahead: A 0; B 1");
    assertThat(new ObjectMapper().readTree(anyway.out()).path("compared_anyway")).hasSize(2);
    assertThat(Files.readString(folder.resolve("compare-one-other.html")))
        .contains("compared anyway: other requests");
    sluice("compare", one, one).isRefused(1).says("both sides are this folder");
    sluice("compare", one, folder.resolve("none").toString()).isRefused(1).says("no summary.json");
    sluice("compare", one, other, "--anyway", "--primary", "goodput").isRefused(1);
  }
}
