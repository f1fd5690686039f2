package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.harness.replay.ExplainRun;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code explain}, over every job of a live run with two shards, drops and batches. */
@Tag("loop")
@Timeout(600)
final class ExplainedRunTest {
  @TempDir private Path folder;

  @Test
  void theSpansOfEachJobSumUpToItsLatencyInTheTable() throws Exception {
    var ended =
        new Loop(folder, null)
            .run(
                "explained",
                "kafka.shards=2",
                "generators=2",
                "max_waiting=2",
                "arrival_rate_jobs_per_sec=120");
    assertThat(ended.folder()).as(ended.text()).isDirectoryContaining("glob:**log.jsonl.gz");
    int done = 0;
    int dropped = 0;
    for (Map<String, String> row : ended.rows("trace.csv")) {
      String jobId = row.get("job_id");
      JsonNode told = explained(ended.folder(), jobId);
      long atNs = told.path("intended_ns").longValue();
      for (JsonNode span : told.path("spans")) {
        assertThat(span.path("from_ns").longValue()).as(jobId).isEqualTo(atNs);
        atNs = span.path("to_ns").longValue();
        assertThat(atNs).as(jobId).isGreaterThan(span.path("from_ns").longValue());
      }
      assertThat(atNs).as(jobId).isEqualTo(told.path("ended_ns").longValue());
      assertThat(told.path("status").asText()).as(jobId).isEqualTo(row.get("status"));
      assertThat(told.path("notes")).as(jobId).isEmpty();
      long latencyNs = atNs - told.path("intended_ns").longValue();
      if (row.get("status").equals("done")) {
        done++;
        assertThat(latencyNs)
            .as(jobId)
            .isEqualTo(new BigDecimal(row.get("e2e_ms")).movePointRight(6).longValueExact());
      } else {
        dropped++;
        assertThat(told.path("reason").asText()).as(jobId).isEqualTo(row.get("reason"));
      }
    }
    assertThat(done).isGreaterThan(10);
    assertThat(dropped).isPositive();
  }

  private static JsonNode explained(Path run, String jobId) throws Exception {
    var printed = new ByteArrayOutputStream();
    PrintStream before = System.out;
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      assertThat(new ExplainRun(run, jobId, false, true).execute()).isZero();
    } finally {
      System.setOut(before);
    }
    return new ObjectMapper().readTree(printed.toByteArray());
  }
}
