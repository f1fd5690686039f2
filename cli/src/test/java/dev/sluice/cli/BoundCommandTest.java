package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code bound} on shipped experiments and on one lane, and its bad input. */
final class BoundCommandTest {
  private static final String ACCELERATOR = "../configs/emulated_accelerator.yaml";

  /** ResNet-50 as Symphony has it, with arrivals at even gaps. */
  private static final String RESNET50 =
      """
      run_name: resnet
      duration_seconds: 20
      warmup_seconds: 0
      tail_seconds: 1
      arrival_rate_jobs_per_sec: 560
      arrivals: constant
      interactive_ratio: 0
      classes: {only: {slo_ms: 25, microbatch: true}}
      workloads: [{name: m, alpha_ms: 5.072, beta_ms: 1.053, tokens: 1}]
      backends_enabled: [onnx]
      batch_sizes: [1]
      lanes: {kind: emulated, num_lanes: 1}
      scheduler_name: dynamic
      """;

  @TempDir private Path folder;

  private static String run(String... words) {
    BadInputCommand command = BadInputCommand.sluice(words);
    assertThat(command.status()).as(command.err()).isZero();
    return command.out();
  }

  @Test
  void saysTheBound_itsTable_andWhatIsRelaxed() {
    String text = run("bound", ACCELERATOR, "--set", "arrival_rate_jobs_per_sec=3000");
    assertThat(text.replaceAll("\\s+", " "))
        .contains("latency table accelerator-like.csv", "noise and drift: a job alone takes")
        .contains("all lanes together do at most the work of 11.9")
        .contains("jobs move between lanes and shards", "hops take no time");
    assertThat(text)
        .containsPattern("all +[0-9]+ +[0-9]+ +[0-9.]+ % +[0-9]+  bound")
        .containsPattern("interactive +[0-9]+");
    String quiet = run("bound", ACCELERATOR, "-q", "--set", "arrival_rate_jobs_per_sec=3000");
    assertThat(text).endsWith(quiet);
    assertThat(quiet).startsWith("jobs that count");
  }

  @Test
  void isTheOptimumOnOneLane_beforeAndBeyondItsClosedForm() throws IOException {
    JsonNode below = resnet("arrival_rate_jobs_per_sec=560");
    assertThat(below.path("optimum").asBoolean()).isTrue();
    assertThat(below.path("good_max").asInt()).isEqualTo(below.path("count").asInt());
    JsonNode beyond = resnet("arrival_rate_jobs_per_sec=575");
    assertThat(beyond.path("good_share_max").asDouble()).isBetween(0.97, 0.99);
    assertThat(beyond.path("goodput_jobs_sec_max").asDouble())
        .isEqualTo(beyond.path("good_max").asInt() / 20.0);
  }

  private JsonNode resnet(String override) throws IOException {
    Path file = Files.writeString(folder.resolve("resnet.yaml"), RESNET50);
    JsonNode json =
        new JsonMapper().readTree(run("bound", file.toString(), "--json", "--set", override));
    assertThat(json.path("relaxed").asText()).doesNotContain("move between lanes");
    return json.path("jobs").path("all");
  }

  @Test
  void badInput_isNamed() throws IOException {
    BadInputCommand.sluice("bound", "none.yaml").isRefused(1);
    BadInputCommand.sluice("bound", ACCELERATOR, "--set", "scenario=single_stream").isRefused(1);
    BadInputCommand.sluice("bound", ACCELERATOR, "--profile", "none.csv").isRefused(1);
    BadInputCommand.sluice("bound", ACCELERATOR, "--set", "arrival_rate_jobs_per_sec=0.01")
        .isRefused(1)
        .says("arrives in the measured window");
    BadInputCommand.sluice(
            "bound",
            ACCELERATOR,
            "--set",
            "lanes.num_lanes=1024",
            "--set",
            "kafka.shards=64",
            "--set",
            "classes={interactive: {slo_ms: 1000000000}}")
        .isRefused(1)
        .says("lanes have more time up to the last promise");
    BadInputCommand.sluice("bound", ACCELERATOR, "--set", "lanes.kind=real")
        .isRefused(1)
        .says("nothing says how long batches take");
  }
}
