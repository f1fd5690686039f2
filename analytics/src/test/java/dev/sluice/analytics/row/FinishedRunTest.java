package dev.sluice.analytics.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.ModelKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
            "dispatch_id,lane_id,job_ids,samples,tokens,attempt,result,decided_time,start_time,"
                + "end_time,predicted_service_ms,score_terms,cause,workload_name,backend,precision,"
                + "service_ms,emulated_service_ms,completed_time,shard,predicted_p95_ms,"
                + "predicted_p99_ms,busy_lanes",
            "9-1,e/1,a b,4,8,1,done,2.000000,2.000001,2.5,1.5,x=1,\"two\nlines\",m,onnx,fp32,"
                + "499.999,480.000001,2.501,3,,2.5,2",
            "9-0,e/0,c,1,2,1,open,1.0,,,0.000000,,,m,onnx,fp32,,,,0,,,",
            "7-0,e/0,c,1,2,1,done,1.0,1.5,2.0,0.000000,,,m,onnx,fp32,500.0,,2.001,0,,,1"));
    List<FinishedBatch> done = FinishedRun.read(folder).doneBatches();
    assertThat(done).extracting(FinishedBatch::id).containsExactly("0:7-0", "3:9-1");
    FinishedBatch first = done.get(0);
    assertThat(first.times())
        .isEqualTo(new FinishedBatch.Times(1000000000L, 1500000000L, 2000000000L, 2001000000L));
    assertThat(first.serviceNs()).isEqualTo(500_000_000L);
    assertThat(first.workNs()).isEqualTo(Jobs.NONE);
    assertThat(first.busyLanes()).isEqualTo(1);
    FinishedBatch second = done.get(1);
    assertThat(second.laneId()).isEqualTo("e/1");
    assertThat(second.model()).isEqualTo(new ModelKey("m", "onnx", "fp32"));
    assertThat(second.jobs()).isEqualTo(new FinishedBatch.Members("a", 2, 4));
    assertThat(second.times())
        .isEqualTo(new FinishedBatch.Times(2000000000L, 2000001000L, 2500000000L, 2501000000L));
    assertThat(second.predicted())
        .isEqualTo(new FinishedBatch.Predicted(1_500_000, Jobs.NONE, 2_500_000));
    assertThat(second.serviceNs()).isEqualTo(499_999_000L);
    assertThat(second.workNs()).isEqualTo(480_000_001L);
    assertThat(second.scoreTerms().get()).isEqualTo("x=1");
  }

  @Test
  void readsCellsAsTheyStand_byTheNamesOfColumns() throws Exception {
    summary("{}");
    Files.write(
        folder.resolve("trace.csv"),
        List.of(
            "job_id,phase,status,enqueue_time,e2e_ms,decided_time,note",
            "#1,measured,done,-0.3,0.000001,0.25,\" a, \"\"b\"\"\nc\"",
            " 2,warmup,dropped,0.2,,, d "));
    FinishedRun run = FinishedRun.read(folder);
    List<Long> ns = new ArrayList<>();
    List<String> notes = new ArrayList<>();
    run.each(
        FolderFiles.TRACE,
        row -> {
          ns.add(row.secondsAsNs("enqueue_time"));
          ns.add(row.msAsNs("e2e_ms", -1));
          ns.add(row.secondsAsNs("decided_time", -1));
          notes.add(row.text("note"));
        });
    assertThat(ns).containsExactly(-300_000_000L, 1L, 250_000_000L, 200_000_000L, -1L, -1L);
    assertThat(notes).containsExactly(" a, \"b\"\nc", " d ");
    assertThat(run.jobIds()).containsExactly("#1", " 2");
    assertThat(run.jobRow(" 2"))
        .containsEntry("status", "dropped")
        .containsEntry("e2e_ms", "")
        .hasSize(7);
    assertThat(run.jobRow("3")).isNull();
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
    assertThatThrownBy(() -> FinishedRun.read(folder).doneBatches())
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("error: the folder has no (dispatches.csv).");
    Files.writeString(folder.resolve("dispatches.csv"), "lane_id\ne/0\n");
    assertThatThrownBy(() -> FinishedRun.read(folder).doneBatches())
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("dispatches.csv:1: error: the column (result) is missing.");
    Files.writeString(folder.resolve("dispatches.csv"), "result,start_time\nopen,\ndone,\n");
    assertThatThrownBy(() -> FinishedRun.read(folder).doneBatches())
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining(
            "dispatches.csv:3: error: this row cannot be read (start_time is empty).");
    Files.writeString(folder.resolve("trace.csv"), "job_id,shard\na,x\n");
    assertThatThrownBy(
            () -> FinishedRun.read(folder).each(FolderFiles.TRACE, row -> row.whole("shard")))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("trace.csv:2: error: shard (x) is not a number.");
    Files.delete(folder.resolve("trace.csv"));
    Files.createDirectory(folder.resolve("trace.csv"));
    assertThatThrownBy(() -> FinishedRun.read(folder).each(FolderFiles.TRACE, row -> {}))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("trace.csv: error: this is a folder, not a table.");
  }
}
