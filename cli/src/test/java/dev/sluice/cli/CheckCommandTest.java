package dev.sluice.cli;

import static dev.sluice.cli.BadInputCommand.sluice;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.harness.frame.ExitStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code ./sluice check} prints, and its exit status. */
final class CheckCommandTest {
  private static final String SOUND =
      """
      {"summary": {"gpus": [0], "mode": "offline", "total_nodes_executed": 2, "makespan": 5.0},
       "executions": [
        {"request_id": "r1", "workflow_id": "w", "node_id": "n", "model_name": "m", "gpu_id": 0,
         "start_time": 0.0, "end_time": 2.0, "execution_time": 2.0},
        {"request_id": "r2", "workflow_id": "w", "node_id": "n", "model_name": "m", "gpu_id": 0,
         "start_time": 2.0, "end_time": 5.0, "execution_time": 3.0}]}
      """;

  @TempDir private Path folder;
  private Path log;

  @BeforeEach
  void writeLog() throws IOException {
    log = Files.writeString(folder.resolve("log.json"), SOUND);
  }

  private void overlap() throws IOException {
    String early =
        SOUND.replace(
            "\"start_time\": 2.0, \"end_time\": 5.0", "\"start_time\": 1.5, \"end_time\": 4.5");
    Files.writeString(log, early);
  }

  @Test
  void exits0_andNamesEachRule_thatHolds_orWhyItWasNotChecked() {
    var ended = sluice("check", log.toString());
    assertThat(ended.status()).isZero();
    assertThat(ended.out())
        .contains("gpu-overlap   holds in 2 of 2")
        .contains("switch        not checked: needs --system and --requests")
        .endsWith("passed: 2 numbers of 2, 2 rows, 7 rules\n");
  }

  @Test
  void exits5_andNamesEachFault_withItsRows() throws Exception {
    overlap();
    var ended = sluice("check", log.toString());
    assertThat(ended.status()).isEqualTo(ExitStatus.FAULTS);
    assertThat(ended.out())
        .contains("gpu-overlap   FAULTS  1")
        .contains("executions[0] r1/n, executions[1] r2/n: GPU (0) is taken from (0.0) until (2.0)")
        .endsWith(
            "failed: 2 faults against [gpu-overlap, summary] in 2 numbers of 2, 2 rows, 7 rules\n");
    assertThat(sluice("check", log.toString(), "--quiet").out())
        .isEqualTo(
            "failed: 2 faults against [gpu-overlap, summary] in 2 numbers of 2, 2 rows, 7 rules\n");
    var json = new ObjectMapper().readTree(sluice("check", log.toString(), "--json").out());
    assertThat(json.at("/faults/0/rule").asText()).isEqualTo("gpu-overlap");
    assertThat(json.at("/passed").asBoolean(true)).isFalse();
  }

  @Test
  void savesItsReport_besideTheLog() throws Exception {
    overlap();
    sluice("check", log.toString(), "--save-report", "--quiet");
    assertThat(folder.resolve("log.json.check.txt"))
        .content()
        .contains("GPU (0) is taken from (0.0) until (2.0)");
  }

  @Test
  void exits2_onAMistake() {
    var lonely = sluice("check", log.toString(), "--system", "system.yaml");
    assertThat(lonely.status()).isEqualTo(2);
    assertThat(lonely.err()).contains("--system: error: the option needs --requests too");
    var noRun = sluice("check", folder.toString());
    assertThat(noRun.status()).isEqualTo(2);
    assertThat(noRun.err())
        .contains("this is no folder of a finished run: it has no (summary.json)");
    var nothing = sluice("check", folder.resolve("none.json").toString());
    assertThat(nothing.status()).isEqualTo(2);
    assertThat(nothing.err()).contains("none.json: error: ").contains("  Maybe ");
  }
}
