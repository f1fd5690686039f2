package dev.sluice.analytics.folder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.ModelKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Folders written by hand. */
final class FinishedRunTest {
  @TempDir private Path folder;

  private void summary(String json) throws IOException {
    Files.writeString(folder.resolve("summary.json"), json);
  }

  @Test
  void readsItsSummary() throws Exception {
    summary("{\"request_digest\": \"d\", \"warmup_seconds\": 1.5, \"simulated\": true}");
    FinishedRun run = FinishedRun.read(folder);
    assertThat(run.requestDigest()).isEqualTo("d");
    assertThat(run.warmupNs()).isEqualTo(1_500_000_000L);
    assertThat(run.isSimulated()).isTrue();
    assertThat(run.holds(folder.resolve("plots/x.png"))).isTrue();
    assertThat(run.holds(folder.resolveSibling("other"))).isFalse();
  }

  @Test
  void readsDoneBatchesByStart_andNoOthers() throws Exception {
    summary("{}");
    Files.write(
        folder.resolve("dispatches.csv"),
        List.of(
            "lane_id,result,decided_time,start_time,end_time,workload_name,backend,precision,"
                + "samples,service_ms,emulated_service_ms,completed_time,busy_lanes",
            "e/1,done,2.000000,2.000001,2.5,m,onnx,fp32,4,499.999,480.000001,2.501,2",
            "e/0,open,1.0,,,m,onnx,fp32,1,,,,",
            "e/0,done,1.0,1.5,2.0,m,onnx,fp32,1,500.0,,2.001,1"));
    var model = new ModelKey("m", "onnx", "fp32");
    assertThat(FinishedRun.read(folder).doneBatches())
        .containsExactly(
            new FinishedBatch(
                "e/0",
                model,
                1,
                1,
                new FinishedBatch.Times(1000000000L, 1500000000L, 2000000000L, 2001000000L),
                500_000_000L,
                null),
            new FinishedBatch(
                "e/1",
                model,
                4,
                2,
                new FinishedBatch.Times(2000000000L, 2000001000L, 2500000000L, 2501000000L),
                499_999_000L,
                480_000_001L));
  }

  @Test
  void readsMeasuredDoneJobs_andNoOthers() throws Exception {
    summary("{}");
    Files.write(
        folder.resolve("trace.csv"),
        List.of(
            "phase,status,enqueue_time,sent_time,appended_time,decided_time,start_time",
            "warmup,done,0.1,0.1,0.1,0.1,0.1",
            "measured,dropped,0.2,0.2,0.2,,",
            "measured,done,0.3,0.31,0.32,0.33,0.34"));
    assertThat(FinishedRun.read(folder).measuredDoneJobs())
        .containsExactly(
            new FinishedJob(300000000L, 310000000L, 320000000L, 330000000L, 340000000L));
  }

  @Test
  void findsTheRunsOfRepeats_byName() throws Exception {
    assertThat(FinishedRun.folders(folder)).containsExactly(folder);
    Files.writeString(folder.resolve("repeats.csv"), "");
    Path second = Files.createDirectory(folder.resolve("r-2"));
    Path first = Files.createDirectory(folder.resolve("r-1"));
    assertThat(FinishedRun.folders(folder)).containsExactly(first, second);
  }

  @Test
  void saysWhatIsWrong() throws Exception {
    assertThatThrownBy(() -> FinishedRun.read(folder))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("this is no folder of a finished run: it has no summary.json");
    summary("{");
    assertThatThrownBy(() -> FinishedRun.read(folder))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("summary.json:1: error: this is no JSON (it ends too early, at 1:2)");
    summary("{}");
    Files.writeString(folder.resolve("dispatches.csv"), "lane_id\ne/0\n");
    assertThatThrownBy(() -> FinishedRun.read(folder).doneBatches())
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("dispatches.csv: error: this cannot be read (");
    Files.createDirectory(folder.resolve("trace.csv")); // it opens, and its reading fails
    assertThatThrownBy(() -> FinishedRun.read(folder).eachJob(row -> {}))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("trace.csv:1: error: this row cannot be read (is a directory).");
  }
}
