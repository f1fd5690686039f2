package dev.sluice.cli;

import static dev.sluice.cli.BadInputCommand.sluice;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.OnnxSample.Input;
import dev.sluice.harness.frame.ExitStatus;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Models of the user's own that are no images of float32, and files that are no models. */
@Tag("loop")
@Timeout(300)
final class OwnModelsLoopTest {
  private static final int IR = 8;
  private static final int OPSET = 17;
  private static final String HEAD =
      """
      duration_seconds: 2
      arrival_rate_jobs_per_sec: 40
      tail_seconds: 10
      batch_sizes: [1, 3]
      classes: {interactive: {slo_ms: 2000}, batch: {slo_ms: 4000}}
      scheduler_name: dynamic
      microbatch: {window_ms: 10, max_batch: 8}
      backends_enabled: [onnx]
      """;

  @TempDir private Path folder;

  private BadInputCommand run(String workloads) throws Exception {
    Path config = Files.writeString(folder.resolve("own.yaml"), HEAD + workloads);
    return sluice(
        "run",
        config.toString(),
        "--results",
        folder.resolve("results").toString(),
        "--run-id",
        "own");
  }

  private void write(String name, byte[] bytes) throws Exception {
    Files.write(folder.resolve(name), bytes);
  }

  @Test
  void tokens_bytesAndHalves_runLive() throws Exception {
    write(
        "tokens.onnx",
        OnnxSample.of(
            IR,
            OPSET,
            List.of(
                new Input("ids", OnnxSample.INT64, 0, List.of(16)),
                new Input("mask", OnnxSample.INT32, 0, List.of(16)))));
    write(
        "bytes.onnx",
        OnnxSample.of(
            IR, OPSET, List.of(new Input("image", OnnxSample.UINT8, 0, List.of(3, 8, 8)))));
    write(
        "halves.onnx",
        OnnxSample.of(IR, OPSET, List.of(new Input("x", OnnxSample.FLOAT16, 0, List.of(5)))));
    BadInputCommand ran =
        run(
            """
            workloads:
            - name: tokens
              path: tokens.onnx
              tokens: 10
              inputs:
              - {name: mask, shape: [16], dtype: int32}
              - {name: ids, shape: [16], dtype: int64, range: [0, %d]}
            - {name: bytes, path: bytes.onnx, tokens: 10, inputs: [{shape: [3, 8, 8], dtype: uint8}]}
            - {name: halves, path: halves.onnx, tokens: 10, inputs: [{shape: [5], dtype: float16}]}
            """
                .formatted(OnnxSample.TOKENS - 1));
    assertThat(ran.status())
        .as(ran.out() + ran.err())
        .isIn(ExitStatus.DONE, ExitStatus.INCONCLUSIVE);
    Path results = folder.resolve("results/own");
    List<String> rows = Files.readAllLines(results.resolve("trace.csv"));
    List<String> columns = List.of(rows.get(0).split(","));
    for (String workload : List.of("tokens", "bytes", "halves")) {
      assertThat(rows)
          .map(row -> row.split(","))
          .filteredOn(row -> row[columns.indexOf("workload_name")].equals(workload))
          .filteredOn(row -> row[columns.indexOf("phase")].equals("measured"))
          .isNotEmpty()
          .allMatch(row -> row[columns.indexOf("status")].equals("done"));
    }
    assertThat(sluice("check", results.toString()).status()).isZero();
  }

  /** The commands that init and the README name, on a model of one's own. */
  @Test
  void whichPolicyIsBetter_andUpToWhichLoad_isAnsweredOfTimesMeasuredOnce() throws Exception {
    write(
        "mine.onnx",
        OnnxSample.of(
            IR, OPSET, List.of(new Input("image", OnnxSample.FLOAT32, 0, List.of(3, 8, 8)))));
    String mine = folder.resolve("mine.yaml").toString();
    String results = folder.resolve("results").toString();
    String table = folder.resolve("results/latency_table.csv").toString();
    BadInputCommand made =
        sluice(
            "init",
            mine,
            "--model",
            folder.resolve("mine.onnx").toString(),
            "--input-shape",
            "3,8,8");
    assertThat(made.status()).as(made.err()).isZero();
    assertThat(made.out())
        .contains("./sluice profile " + mine)
        .contains("./sluice simulate " + mine + " --profile results/latency_table.csv --repeat 8")
        .contains("./sluice capacity " + mine + " --profile results/latency_table.csv --simulate");
    BadInputCommand measured =
        sluice("profile", mine, "--passes", "1", "--repeats", "2", "--results", results);
    assertThat(measured.status()).as(measured.out() + measured.err()).isZero();
    BadInputCommand compared =
        sluice(
            "simulate",
            mine,
            "--profile",
            table,
            "--repeat",
            "8",
            "--versus",
            "scheduler_name=fifo",
            "--results",
            results);
    assertThat(compared.status()).as(compared.out() + compared.err()).isZero();
    assertThat(compared.out()).contains("verdict  ").contains("fifo, 8 runs");
    BadInputCommand answered =
        sluice(
            "capacity",
            mine,
            "--profile",
            table,
            "--simulate",
            "--policies",
            "fifo",
            "--target",
            "slo_violation_rate<0.01",
            "--between",
            "2..60",
            "--results",
            results);
    assertThat(answered.out())
        .as(answered.err())
        .containsPattern("(?m)^  fifo +(above 60/s|between .* which passed)");
    BadInputCommand live =
        sluice(
            "capacity",
            mine,
            "--profile",
            table,
            "--target",
            "slo_violation_rate<0.01",
            "--between",
            "2..60");
    live.isRefused(1).says("--profile: error: a live run takes its own times");
  }

  /** The model's line is the first below the head. */
  private void assertRefused(String model, String keys, String what, String maybe)
      throws Exception {
    BadInputCommand refused =
        run("workloads: [{name: mine, path: %s, tokens: 10, %s}]\n".formatted(model, keys))
            .isRefused(1);
    refused.says(folder.resolve("own.yaml") + ":9: error: ").says(what).says("\n  Maybe " + maybe);
  }

  @Test
  void theCauseThatTheEngineGave_isNamed() throws Exception {
    List<Input> floats = List.of(new Input("x", OnnxSample.FLOAT32, 0, List.of(3)));
    write("new.onnx", OnnxSample.of(IR, 30, floats));
    assertRefused(
        "new.onnx",
        "input_shape: [3]",
        "cannot be loaded",
        "it was exported for a newer opset than this ONNX Runtime knows: the newest is ");
    write("ir.onnx", OnnxSample.of(99, OPSET, floats));
    assertRefused(
        "ir.onnx",
        "input_shape: [3]",
        "cannot be loaded",
        "it was written by a newer ONNX than this ONNX Runtime knows: the newest IR version is ");
    write(
        "pointer.onnx",
        "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
            .getBytes(StandardCharsets.UTF_8));
    assertRefused(
        "pointer.onnx",
        "input_shape: [3]",
        "cannot be loaded",
        "it is a pointer of Git LFS, and the model was not fetched: git lfs pull.");
    write("external.onnx", OnnxSample.withExternalData("weights.bin"));
    assertRefused(
        "external.onnx",
        "input_shape: [3]",
        "cannot be loaded",
        "its parameters are in a file of their own, which is missing");
    write(
        "fixed.onnx",
        OnnxSample.of(IR, OPSET, List.of(new Input("x", OnnxSample.FLOAT32, 1, List.of(3)))));
    assertRefused(
        "fixed.onnx",
        "input_shape: [3]",
        "does not take 2 samples of input_shape ([3])",
        "it was exported for a fixed number of samples, 1: its first axis should be dynamic");
    write("good.onnx", OnnxSample.of(IR, OPSET, floats));
    assertRefused(
        "good.onnx",
        "input_shape: [4]",
        "does not take 1 sample of input_shape ([4])",
        "its input_shape is another: axis 1 is 3");
    assertRefused(
        "good.onnx",
        "inputs: [{name: y, shape: [3]}]",
        "does not take 1 sample of inputs (y [3] of float32) and give logits (Invalid input tensor"
            + " name: y)",
        "");
  }

  @Test
  void parametersWithoutTheirModel_areNamed() throws Exception {
    try (var zip = new ZipOutputStream(Files.newOutputStream(folder.resolve("state.pt")))) {
      zip.putNextEntry(new ZipEntry("state/data.pkl"));
      zip.write(new byte[] {(byte) 0x80, 2, '}', 'q', 0, '.'});
      zip.closeEntry();
    }
    Path config =
        Files.writeString(
            folder.resolve("own.yaml"),
            HEAD.replace("[onnx]", "[pytorch]")
                + "workloads: [{name: mine, path: state.pt, tokens: 10, input_shape: [3]}]\n");
    sluice("run", config.toString(), "--results", folder.resolve("results").toString())
        .isRefused(1)
        .says("cannot be loaded")
        .says("\n  Maybe it holds parameters alone, a state_dict, and not TorchScript: ");
  }
}
