package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.harness.frame.ExitStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Several experiments in one command: real runs, each in a process of its own. */
@Timeout(300)
final class SeveralRunsTest {
  @TempDir private Path folder;

  private String file(String name, String experiment) throws Exception {
    return Files.writeString(folder.resolve(name), experiment).toString();
  }

  @Test
  void eachLeavesItsFolder_andATableOfAllComesAtTheEnd() throws Exception {
    Path results = folder.resolve("results");
    BadInputCommand all =
        BadInputCommand.sluice(
            "run",
            file("one.yaml", Loop.EMULATED),
            file("two.yaml", Loop.EMULATED.replace("dynamic", "fifo")),
            "--json",
            "--results",
            results.toString());
    assertThat(all.status())
        .as(all.err())
        .isIn(ExitStatus.DONE, ExitStatus.INCONCLUSIVE); // a busy machine
    List<String> lines = all.err().lines().toList();
    String last = lines.get(lines.size() - 1);
    assertThat(lines.get(lines.size() - 3))
        .matches("verdict +policy +done +p99 ms +over SLO +goodput/s +run");
    assertThat(lines.get(lines.size() - 2))
        .matches("(sound|inconclusive) +dynamic +\\d+ of \\d+ .* one-.*");
    assertThat(last).matches("(sound|inconclusive) +fifo +\\d+ of \\d+ .* two-.*");
    String second = last.substring(last.lastIndexOf(' ') + 1);
    JsonNode summaries = new ObjectMapper().readTree(all.out());
    assertThat(summaries.size()).isEqualTo(2);
    assertThat(summaries.get(1).path("run_id").asText()).isEqualTo(second);
    assertThat(results.resolve(second).resolve("trace.csv")).exists();
  }

  @Test
  void aMistakeInAnyIsFoundBeforeTheFirstBegins() throws Exception {
    Path results = folder.resolve("results");
    String good = file("one.yaml", Loop.EMULATED);
    String bad = file("two.yaml", Loop.EMULATED.replace("dynamic", "dynamc"));
    BadInputCommand all = BadInputCommand.sluice("run", good, bad, "--results", results.toString());
    assertThat(all.status()).isEqualTo(ExitStatus.MISTAKE);
    assertThat(all.err()).contains("two.yaml").contains("(dynamc) is unknown");
    assertThat(results).doesNotExist();
    for (List<String> beside : List.of(List.of("--repeat", "2"), List.of("--run-id", "a"))) {
      assertThat(BadInputCommand.sluice("run", good, good, beside.get(0), beside.get(1)).err())
          .startsWith(
              beside.get(0) + ": error: it goes with one experiment, and several are named.");
    }
  }
}
