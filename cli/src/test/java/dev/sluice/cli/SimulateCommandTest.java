package dev.sluice.cli;

import static dev.sluice.cli.BadInputCommand.sluice;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.Registries;
import dev.sluice.producer.requests.RequestList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command as a person gives it, on shipped experiments and on small ones. */
final class SimulateCommandTest {
  private static final Path CONFIGS = Path.of("..", "configs");

  private static final String TINY =
      """
      duration_seconds: 2
      arrival_rate_jobs_per_sec: 40
      workloads: [{name: steady, alpha_ms: 20, beta_ms: 1, tokens: 10}]
      backends_enabled: [onnx]
      batch_sizes: [1, 2]
      lanes: {num_lanes: 2, kind: emulated}
      """;

  @TempDir private Path folder;

  private BadInputCommand simulate(Path config, String runId, String... options) {
    List<String> command =
        new ArrayList<>(
            List.of(
                "simulate", config.toString(), "--results", folder.toString(), "--run-id", runId));
    command.addAll(List.of(options));
    return sluice(command.toArray(String[]::new));
  }

  private Path tiny() throws IOException {
    return Files.writeString(folder.resolve("tiny.yaml"), TINY);
  }

  private JsonNode summary(String runId) throws IOException {
    return new ObjectMapper().readTree(folder.resolve(runId).resolve("summary.json").toFile());
  }

  /** Two lanes and jobs of 21 and 22 ms: half of that is 46.5 jobs/s. */
  @Test
  void anOfferedLoad_isKeptAsTheRateThatFollows_forAllSeedsAndBothSettings() throws Exception {
    Path config =
        Files.writeString(
            folder.resolve("half.yaml"),
            TINY.replace("arrival_rate_jobs_per_sec: 40", "offered_load: 0.5"));
    BadInputCommand simulated = simulate(config, "once");
    assertThat(simulated.status()).as(simulated.err()).isZero();
    assertThat(simulated.out()).contains("(46.5 asked, for offered_load 0.5)");
    String rate = "arrival_rate_jobs_per_sec: 46.5\n";
    assertThat(Files.readString(folder.resolve("once/config.yaml")))
        .contains(rate)
        .doesNotContain("offered_load");
    assertThat(simulate(folder.resolve("once/config.yaml"), "again").status()).isZero();
    assertThat(summary("again").path("request_digest"))
        .isEqualTo(summary("once").path("request_digest"));

    BadInputCommand series =
        simulate(config, "both", "--repeat", "8", "--versus", "lanes.num_lanes=1", "--no-trace");
    assertThat(series.status()).as(series.err()).isZero();
    for (String run : List.of("a/a-1", "a/a-8", "b/b-1", "b/b-8")) {
      assertThat(Files.readString(folder.resolve("both/" + run + "/config.yaml"))).contains(rate);
    }
  }

  @Test
  void repeatsWhereAPublishedTableHasItsNumbersFrom_inEachOutput() throws Exception {
    BadInputCommand simulated =
        simulate(CONFIGS.resolve("published.yaml"), "a", "--set", "duration_seconds=6");
    assertThat(simulated.status()).as(simulated.err()).isZero();
    List<String> texts =
        List.of(
            simulated.out().replaceAll("\\s+", " "),
            summary("a").path("notes").toString(),
            Files.readString(folder.resolve("a/report.html")).replaceAll("\\s+", " "),
            Files.readString(folder.resolve("a/config.yaml")));
    assertThat(texts)
        .allSatisfy(
            text ->
                assertThat(text)
                    .contains("latency table triton-a100-80gb.csv: ResNet-50 v1.5 and BERT-large")
                    .contains("Source: NVIDIA DeepLearningExamples 729963d, PyTorch/")
                    .contains("Licence: resnet50 BSD-3-Clause, bert_large Apache-2.0")
                    .contains("Method: one model instance and one client")
                    .contains("Time: resnet50 the mean latency at the client")
                    .contains("Date: resnet50 April 2021")
                    .contains("resnet50 was measured with 1, 2, 4, 8, 16, 32, 64, 128 samples")
                    .contains("lanes have no contention"));
  }

  @Test
  void simulatesTheRequestsOfARunOnEmulatedLanes() throws Exception {
    Path config = CONFIGS.resolve("emulated_accelerator.yaml");
    BadInputCommand simulated =
        simulate(config, "a", "--set", "duration_seconds=4", "--set", "warmup_seconds=1");
    assertThat(simulated.status()).as(simulated.err()).isZero();
    assertThat(simulated.out())
        .contains("! simulated: nothing ran and nothing waited")
        .contains("! service times: latency table accelerator-like.csv")
        .contains("! hops: ");
    JsonNode summary = summary("a");
    assertThat(summary.path("simulated").asBoolean()).isTrue();
    assertThat(summary.path("request_digest").asText())
        .isEqualTo(
            RequestList.draw(
                    ExperimentFile.read(
                            config,
                            List.of("duration_seconds=4", "warmup_seconds=1"),
                            Registries.vocabulary())
                        .experiment())
                .digest());
    assertThat(summary.path("not_comparable")).isEmpty();
    assertThat(summary.path("all_open").asInt(-1)).isZero();
    assertThat(folder.resolve("a"))
        .isDirectoryContaining("glob:**/trace.csv")
        .isDirectoryContaining("glob:**/dispatches.csv")
        .isDirectoryContaining("glob:**/plots");
    assertThat(Files.readString(folder.resolve("a").resolve("config.yaml")))
        .startsWith("# simulated: nothing ran");
  }

  @Test
  void marksASeriesAsFailed_whenOneOfItsRunsFails() throws IOException {
    BadInputCommand simulated =
        simulate(
            tiny(),
            "rare",
            "--repeat",
            "12",
            "--set",
            "arrival_rate_jobs_per_sec=1",
            "--set",
            "duration_seconds=1");
    assertThat(simulated.status()).as(simulated.err()).isEqualTo(ExitStatus.BUG);
    assertThat(folder.resolve("rare")).doesNotExist();
    Path failed = folder.resolve("rare.failed");
    assertThat(failed).isDirectoryContaining("glob:**/rare-*.failed");
    assertThat(failed.resolve("summary.json")).doesNotExist();
    assertThat(simulated.out())
        .containsPattern("sluice: error: repeat [0-9]+ failed, and with it the whole[.]")
        .contains("  Maybe the folders say more: " + failed)
        .doesNotContain("Folder    ");
  }

  @Test
  void leavesTheSameTrace_whenDoneAgain() throws IOException {
    assertThat(simulate(tiny(), "same").status()).isZero();
    Path first = Files.move(folder.resolve("same"), folder.resolve("first"));
    assertThat(simulate(tiny(), "same").status()).isZero();
    for (String file : List.of("trace.csv", "dispatches.csv", "summary.json", "config.yaml")) {
      assertThat(timeless(folder.resolve("same").resolve(file)))
          .as(file)
          .isEqualTo(timeless(first.resolve(file)));
    }
  }

  /** The lines of a file, less those that say when it was made. */
  private static List<String> timeless(Path file) throws IOException {
    return Files.readAllLines(file).stream()
        .filter(line -> !line.contains("started_at") && !line.contains("ended_at"))
        .toList();
  }

  @Test
  void givesEachFigureWithItsInterval_whenRepeated() throws IOException {
    BadInputCommand repeated = simulate(tiny(), "r", "--repeat", "3", "--no-trace");
    assertThat(repeated.status()).as(repeated.err()).isZero();
    assertThat(repeated.out()).contains("95 % interval of the mean over 3 runs");
    assertThat(summary("r").path("seeds")).hasSize(3);
    assertThat(folder.resolve("r").resolve("r-2")).isNotEmptyDirectory();
  }

  @Test
  void takesServiceTimesAndTheirSpreadFromAModel_onRealLanes() throws Exception {
    Path model = folder.resolve("model");
    LinearProfile.train("cpu", 1, model);
    Path config =
        Files.writeString(
            folder.resolve("real.yaml"),
            """
            duration_seconds: 10
            arrival_rate_jobs_per_sec: 60
            workloads: [{name: short, path: short.onnx, input_shape: [3], tokens: 10}]
            backends_enabled: [onnx]
            batch_sizes: [4]
            predictor: {enabled: true, model_path: %s}
            """
                .formatted(model));
    BadInputCommand simulated = simulate(config, "m");
    assertThat(simulated.status()).as(simulated.err()).isZero();
    assertThat(simulated.out().replaceAll("\\s+", " "))
        .contains("! service times: predictions of model ")
        .contains("! predictor: model ")
        .contains("! warning: of the model's rows, " + LinearProfile.WARNING);
    JsonNode summary = summary("m");
    assertThat(summary.path("all_avg_service_ms").asDouble()).isEqualTo(4, within(0.08));
    assertThat(summary.path("prediction_error_median").asDouble()).isBetween(0.003, 0.03);
    assertThat(summary.path("device_kinds").path(0).asText()).isEqualTo("cpu");
  }

  @Test
  void asksForServiceTimes_whenNothingSaysThem() throws IOException {
    Path config =
        Files.writeString(
            folder.resolve("real.yaml"), "duration_seconds: 2\narrival_rate_jobs_per_sec: 1\n");
    BadInputCommand refused = simulate(config, "a");
    assertThat(refused.status()).isEqualTo(ExitStatus.MISTAKE);
    assertThat(refused.err())
        .contains("real.yaml: error: nothing says how long batches take on these lanes")
        .contains("Maybe --profile FILE");
    assertThat(folder.resolve("a.failed")).doesNotExist();
  }

  @Test
  void refusesARecordingOfHopsThatIsNone() throws IOException {
    Files.writeString(folder.resolve("hops.csv"), "at_s,kind\n");
    BadInputCommand refused = simulate(tiny(), "a", "--set", "simulation.hops=hops.csv");
    assertThat(refused.status()).isEqualTo(ExitStatus.MISTAKE);
    assertThat(refused.err()).contains("hops.csv:1: error: the columns are not at_s,kind");
  }

  /** A folder as a live run leaves it: a simulation that does not say that it was one. */
  private Path live(String runId, int seed) throws IOException {
    assertThat(simulate(tiny(), runId, "--set", "seed=" + seed).status()).isZero();
    Path summary = folder.resolve(runId).resolve("summary.json");
    Files.writeString(
        summary,
        Files.readString(summary).replace("\"simulated\" : true", "\"simulated\" : false"));
    return folder.resolve(runId);
  }

  @Test
  void putsLiveRunsBesideTheirSimulations_withAVerdict() throws IOException {
    BadInputCommand compared =
        sluice(
            "simulate",
            "--like",
            live("one", 1).toString(),
            "--like",
            live("two", 2).toString(),
            "--json");
    assertThat(compared.status()).as(compared.err()).isZero();
    assertThat(compared.err())
        .contains("hop model: live lanes were emulated")
        .contains("2 runs of different requests")
        .doesNotContain("reality");
    JsonNode figures = new ObjectMapper().readTree(compared.out()).path("figures");
    for (String figure : List.of("all_p50_e2e_ms", "batch_p99_e2e_ms", "all_goodput_percent")) {
      assertThat(figures.path(figure).path("difference").asDouble(1)).as(figure).isZero();
      assertThat(figures.path(figure).path("verdict").asText()).isEqualTo("equivalent");
    }
  }

  @Test
  void takesServiceTimesAndHopsFromOtherRuns_butNeverFromTheVeryRun() throws IOException {
    Path one = live("one", 1);
    Path two = live("two", 2);
    BadInputCommand own = sluice("simulate", "--like", one.toString(), "--profile", one.toString());
    assertThat(own.status()).isEqualTo(ExitStatus.MISTAKE);
    assertThat(own.err()).contains("--profile: error: these service times");
    BadInputCommand ownHops =
        sluice("simulate", "--like", one.toString(), "--set", "simulation.hops=" + one);
    assertThat(ownHops.status()).isEqualTo(ExitStatus.MISTAKE);
    assertThat(ownHops.err()).contains("are the run's own");

    BadInputCommand compared =
        sluice(
            "simulate",
            "--like",
            one.toString(),
            "--profile",
            two.toString(),
            "--set",
            "simulation.hops=" + two);
    assertThat(compared.status()).as(compared.err()).isZero();
    assertThat(compared.out())
        .contains("! service times: means of a recorded run's batches")
        .contains("! hops: those of ")
        .contains("1 run: too few for a verdict");
  }

  @Test
  void likensNothingToASimulation() throws IOException {
    assertThat(simulate(tiny(), "a").status()).isZero();
    BadInputCommand refused = sluice("simulate", "--like", folder.resolve("a").toString());
    assertThat(refused.status()).isEqualTo(ExitStatus.MISTAKE);
    assertThat(refused.err()).contains("this run was itself a simulation");
    assertThat(sluice("simulate", "--like", folder.toString()).err())
        .contains("this is no folder of a finished run");
  }
}
