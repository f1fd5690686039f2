package dev.sluice.cli;

import static dev.sluice.cli.BadInputCommand.sluice;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Mistakes in the memory of lanes, and in what models take of it. */
final class MemoryMistakesTest {
  private static final String TABLE =
      """
      # device_kind: emulated-tiny
      workload,backend,precision,samples,mean_ms%s
      toy,onnx,fp32,1,5%s
      toy,onnx,fp32,2,7%s
      """;

  @TempDir private Path folder;

  private BadInputCommand run(String workload, String lanes) throws Exception {
    return run("onnx", workload, lanes);
  }

  private BadInputCommand run(String backend, String workload, String lanes) throws Exception {
    String text =
        """
        duration_seconds: 2
        arrival_rate_jobs_per_sec: 5
        batch_sizes: [1]
        backends_enabled: [%s]
        workloads: [%s]
        lanes: {%s}
        """
            .formatted(backend, workload, lanes);
    return sluice("run", Files.writeString(folder.resolve("memory.yaml"), text).toString());
  }

  private BadInputCommand runWithTable(String columns, String first, String second)
      throws Exception {
    Files.writeString(folder.resolve("toy.csv"), TABLE.formatted(columns, first, second));
    return run("{name: toy, tokens: 10}", "kind: emulated, latency_table: toy.csv, memory_mb: 100");
  }

  @Test
  void aLaneThatHoldsABatchAhead_hasNoMemory() throws Exception {
    run(
            "{name: toy, tokens: 10, alpha_ms: 1, beta_ms: 1, load_ms: 3, memory_mb: 50}",
            "kind: emulated, memory_mb: 100, ahead: 1")
        .isRefused(1)
        .says(
            "memory.yaml:6: error: lanes.memory_mb (100) does not go together with lanes.ahead (1)")
        .says("Maybe you meant lanes.ahead: 0.");
  }

  @Test
  void aModelNeedsATimeToLoad_andAShare() throws Exception {
    run("{name: toy, tokens: 10, alpha_ms: 1, beta_ms: 1}", "kind: emulated, memory_mb: 100")
        .isRefused(1)
        .says("memory.yaml:5: error: the workload has no load_ms, and lanes.memory_mb is (100)");
    run(
            "{name: toy, tokens: 10, alpha_ms: 1, beta_ms: 1, load_ms: 3}",
            "kind: emulated, memory_mb: 100")
        .isRefused(1)
        .says("memory.yaml:5: error: the workload has no memory_mb, and lanes.memory_mb is (100)")
        .says("Maybe a line should be added, such as load_ms: 8.4 or memory_mb: 102.");
  }

  @Test
  void aModelFitsIntoALane() throws Exception {
    run(
            "{name: toy, tokens: 10, alpha_ms: 1, beta_ms: 1, load_ms: 3, memory_mb: 101}",
            "kind: emulated, memory_mb: 100")
        .isRefused(1)
        .says("memory.yaml:5: error: workloads.memory_mb (101) is more than lanes.memory_mb (100)")
        .says("Maybe no lane could ever run it: lanes.memory_mb should be at least that.");
    run("{name: vit_tiny}", "kind: real, memory_mb: 20")
        .isRefused(1)
        .says(
            "memory.yaml:6: error: lanes.memory_mb (20) is less than (vit_tiny on onnx in fp32) takes (");
  }

  @Test
  void loadTimesWithoutServiceTimes_belongIntoTheTable() throws Exception {
    run("{name: toy, tokens: 10, load_ms: 3}", "kind: emulated, memory_mb: 100")
        .isRefused(1)
        .says("memory.yaml:5: error: workloads.load_ms and workloads.memory_mb go with alpha_ms")
        .says("Maybe the latency table should have the columns load_ms and memory_mb.");
  }

  @Test
  void aTableNeedsBothColumns() throws Exception {
    runWithTable("", "", "")
        .isRefused(1)
        .says(
            "toy.csv: error: the latency table has no load_ms for (toy on onnx in fp32), and lanes")
        .says("Maybe its columns load_ms and memory_mb should be filled, or lanes.memory_mb left");
    runWithTable(",load_ms,memory_mb", ",4,", ",4,").isRefused(1).says("has no memory_mb for (toy");
  }

  @Test
  void rowsOfAModelAgree() throws Exception {
    runWithTable(",load_ms,memory_mb", ",4,60", ",5,60")
        .isRefused(1)
        .says("toy.csv:4: error: load_ms (5) of toy on onnx in fp32 is (4) in a row above");
    runWithTable(",load_ms,memory_mb", ",4,60", ",4,")
        .isRefused(1)
        .says("toy.csv:4: error: memory_mb () of toy on onnx in fp32 is (60) in a row above");
    runWithTable(",load_ms,memory_mb", ",4,160", ",4,160")
        .isRefused(1)
        .says(
            "toy.csv: error: (toy on onnx in fp32) takes memory_mb (160), and lanes.memory_mb is (100)");
  }

  @Test
  void aModelWithABudgetOfItsOwn_isNotLoadedAndReleased() throws Exception {
    run("pytorch", "{name: vit_tiny, memory_budget: 10MB}", "kind: real, memory_mb: 100")
        .isRefused(1)
        .says("memory.yaml:6: error: lanes.memory_mb (100) does not go together with workload")
        .says("(vit_tiny), which has a memory_budget of its own.")
        .says("Maybe real lanes load and release models that come with Sluice.");
  }
}
