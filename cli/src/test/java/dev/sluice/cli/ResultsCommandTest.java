package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.harness.frame.RunFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./sluice results} of simulated runs, of a failed one and of one that goes on. */
final class ResultsCommandTest {
  @TempDir private Path results;

  @BeforeEach
  void leaveRuns() throws Exception {
    for (String id : List.of("one", "two")) {
      assertThat(
              BadInputCommand.sluice(
                      "simulate",
                      "../configs/emulated_accelerator.yaml",
                      "--no-trace",
                      "--results",
                      results.toString(),
                      "--run-id",
                      id)
                  .status())
          .isZero();
    }
    Path failed = Files.createDirectory(results.resolve("three.failed"));
    Files.writeString(failed.resolve("run.log"), "ended\n");
    Files.writeString(results.resolve("notes.txt"), "no run\n");
  }

  private BadInputCommand results(String... words) {
    List<String> all = new ArrayList<>(List.of("results"));
    all.addAll(List.of(words));
    all.addAll(List.of("--results", results.toString()));
    return BadInputCommand.sluice(all.toArray(String[]::new));
  }

  @Test
  void listsEachRunInALine() {
    BadInputCommand list = results("list");
    assertThat(list.status()).isZero();
    assertThat(list.out().lines().map(line -> line.replaceFirst(".* ", "")))
        .containsExactly("run", "one", "three", "two");
    assertThat(list.out().lines()).allMatch(line -> line.length() <= 80);
    assertThat(list.out()).containsPattern("finished +dynamic +[0-9]+  one\n").contains("failed");
    assertThat(results("list", "--json").out()).contains("\"id\":\"three\",\"state\":\"failed\"");
  }

  @Test
  void aRunCarriesItsNote() {
    assertThat(
            BadInputCommand.sluice(
                    "simulate",
                    "../configs/emulated_accelerator.yaml",
                    "--no-trace",
                    "--results",
                    results.toString(),
                    "--run-id",
                    "noted",
                    "--note",
                    "with the new table\nand more")
                .status())
        .isZero();
    assertThat(results("list").out())
        .containsPattern("p99 ms  run  note\n")
        .containsPattern(" noted  with the new table\n");
    assertThat(results("show", "noted").out()).contains("note     with the new table\nand more\n");
  }

  @Test
  void theLinkLatest_leadsToTheRunThatEndedLast_andGoesWithIt() throws Exception {
    assertThat(Files.readSymbolicLink(results.resolve("latest"))).hasToString("two");
    assertThat(results("show", "latest").out()).startsWith("run      two\n");
    assertThat(results("remove", "two").status()).isZero();
    assertThat(results.resolve("latest")).doesNotExist();
    assertThat(Files.isSymbolicLink(results.resolve("latest"))).isFalse();
  }

  @Test
  void showsWhatIsKnownOfARun() {
    BadInputCommand shown = results("show", "one");
    assertThat(shown.status()).isZero();
    assertThat(shown.out())
        .contains("state    finished, simulated")
        .contains("policy   dynamic")
        .contains("p99 latency in ms")
        .contains("config.yaml, run.log, summary.json");
    assertThat(results("show", "three").out())
        .contains("state    failed")
        .contains("*        it left no summary.json");
    results("show", "four").isRefused(1).says("no run with this id has left a folder in");
  }

  @Test
  void removesRunsThatAreOver_andNoneIfOneGoesOn() throws Exception {
    assertThat(results("remove", "one", "--dry-run").out()).startsWith("would remove ");
    try (var live = RunFolder.create(results, "live")) {
      results("remove", "one", "live").isRefused(1).says("the run goes on (live)");
      assertThat(results.resolve("one")).isDirectory();
      live.discard();
    }
    results("remove", "one", "four").isRefused(1).says("(four)");
    assertThat(results.resolve("one")).isDirectory();
    assertThat(results("remove", "one", "three").status()).isZero();
    assertThat(results).isDirectoryContaining("glob:**two").isDirectoryContaining("glob:**txt");
    assertThat(results("list").out().lines()).hasSize(2);
  }

  @Test
  void saysThatAFileIsNoFolder() {
    String file = results.resolve("notes.txt").toString();
    BadInputCommand.sluice("results", "list", "--results", file)
        .isRefused(1)
        .says("--results: error: the folder cannot be read (" + file + ": this is no folder).");
    BadInputCommand.sluice("serve", file, "--port", "0")
        .isRefused(1)
        .says("RESULTS: error: the folder cannot be read (" + file + ": this is no folder).");
  }

  @Test
  void saysThatThereIsNone() {
    BadInputCommand list =
        BadInputCommand.sluice("results", "list", "--results", results.resolve("no").toString());
    assertThat(list.status()).isZero();
    assertThat(list.out()).startsWith("No run has left a folder in ");
  }
}
