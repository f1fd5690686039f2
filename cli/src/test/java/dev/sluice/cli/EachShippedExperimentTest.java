package dev.sluice.cli;

import static dev.sluice.cli.BadInputCommand.sluice;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each shipped experiment at its full length, by all commands that need no lane. */
@Tag("loop")
final class EachShippedExperimentTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path folder;

  static Stream<Path> files() throws IOException {
    return ShippedExperiments.files().stream();
  }

  private Path simulate(Path config, String runId) {
    BadInputCommand simulated =
        sluice(
            "simulate",
            config.toString(),
            "--log",
            "--results",
            folder.toString(),
            "--run-id",
            runId);
    assertThat(simulated.status()).as("%s: %s", config, simulated.err()).isZero();
    return folder.resolve(runId);
  }

  private static JsonNode summary(Path run) throws IOException {
    return JSON.readTree(run.resolve("summary.json").toFile());
  }

  /** Returns the number of jobs that the check counted. */
  private static int jobsOfSound(Path run) throws IOException {
    BadInputCommand checked = sluice("check", run.toString(), "--json");
    assertThat(checked.status()).as("%s: %s", run, checked.out()).isZero();
    return JSON.readTree(checked.out()).findValue("job-once").asInt();
  }

  @ParameterizedTest
  @MethodSource("files")
  void isSimulated_checked_replayed_andLikenedToItself(Path config) throws IOException {
    Path run = simulate(config, "simulated");
    JsonNode summary = summary(run);
    assertThat(summary.path("all_count").asInt()).isPositive();
    assertThat(jobsOfSound(run)).isGreaterThanOrEqualTo(summary.path("all_count").asInt());

    BadInputCommand replayed = sluice("replay", "--decisions", run.toString());
    assertThat(replayed.status()).as(replayed.out() + replayed.err()).isZero();
    assertThat(replayed.out()).matches("([\\d,]+) of \\1 decisions equal \\([\\s\\S]+\\)\n");

    Path file = run.resolve("summary.json");
    String live = Files.readString(file).replace("\"simulated\" : true", "\"simulated\" : false");
    Files.writeString(file, live); // a live run of an experiment with models takes minutes
    assertThat(summary(run).path("simulated").asBoolean(true)).isFalse();
    BadInputCommand like = sluice("simulate", "--like", run.toString());
    assertThat(like.status()).as(like.err()).isZero();
    assertThat(like.out()).contains("p50");
  }

  @Test
  void ofAPolicy_hasTheRequestsOfTheOthers_andAtLeastFiftyJobs() throws IOException {
    Set<String> digests = new TreeSet<>();
    int policies = 0;
    for (Path config : ShippedExperiments.files()) {
      if (config.getParent().endsWith("policies")) {
        Path run = simulate(config, "policy-" + policies);
        digests.add(summary(run).path("request_digest").asText());
        assertThat(jobsOfSound(run)).as("%s", config).isGreaterThanOrEqualTo(50);
        policies++;
      }
    }
    assertThat(policies).isGreaterThanOrEqualTo(5);
    assertThat(digests).hasSize(1).doesNotContain("");
  }
}
