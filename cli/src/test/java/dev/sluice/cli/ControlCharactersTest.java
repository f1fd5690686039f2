package dev.sluice.cli;

import static dev.sluice.cli.BadInputCommand.sluice;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Control characters in names and comments: files that are sound, and a terminal that is safe. */
final class ControlCharactersTest {
  private static final String EVIL = "\u001b[31m\u0007\u007f\u009b\u0085\u2028";

  private static final String EXPERIMENT =
      """
      run_name: evil
      duration_seconds: 2
      arrival_rate_jobs_per_sec: 20
      batch_sizes: [1]
      backends_enabled: [onnx]
      precision_modes: [fp32]
      workloads: [vit_tiny]
      lanes: {kind: emulated, latency_table: table.csv}
      """;

  @TempDir private Path folder;

  /** An experiment in a folder, and with a table, that hold control characters. */
  private Path experiment() throws Exception {
    Path inside = Files.createDirectory(folder.resolve("in \u001b\u0007\u007f\u009b"));
    Files.writeString(
        inside.resolve("table.csv"),
        "# measured "
            + EVIL
            + " here\nworkload,backend,precision,samples,mean_ms\nvit_tiny,onnx,fp32,1,3\n");
    return Files.writeString(inside.resolve("new\nline\u001b.yaml"), EXPERIMENT);
  }

  @Test
  void aRunIsSound_andItsConfigCanBeRead_whateverItsTableAndFileAreCalled() throws Exception {
    var simulated =
        sluice(
            "simulate",
            experiment().toString(),
            "--log",
            "--results",
            folder.toString(),
            "--run-id",
            "run");
    assertThat(simulated.status()).as(simulated.err()).isZero();
    Path run = folder.resolve("run");
    assertThat(Files.readString(run.resolve("config.yaml"))).doesNotContain("\u001b", "\u009b");
    var checked = sluice("check", run.toString());
    assertThat(checked.status()).as(checked.out() + checked.err()).isZero();
    var again =
        sluice(
            "simulate",
            run.resolve("config.yaml").toString(),
            "--results",
            folder.toString(),
            "--run-id",
            "again");
    assertThat(again.status()).as(again.err()).isZero();
    assertThat(sluice("report", run.toString()).status()).isZero();
  }

  @Tag("loop")
  @Test
  void aTerminalGetsNoneOfThem() throws Exception {
    Path results = Files.createDirectories(folder.resolve("results"));
    Files.createDirectories(results.resolve("a" + "\u001b[31m" + "b.failed"));
    var listed =
        BadInputCommand.sluiceWithCache(
            folder, folder, "results", "list", "--results", results.toString());
    assertThat(listed.status()).as(listed.err()).isZero();
    assertThat(listed.out()).contains("a\\u001b[31mb").doesNotContain("\u001b");
    var shown =
        BadInputCommand.sluiceWithCache(
            folder, folder, "results", "x\u001b[31m", "--results", results.toString());
    assertThat(shown.err()).contains("x\\u001b[31m").doesNotContain("\u001b");
  }
}
