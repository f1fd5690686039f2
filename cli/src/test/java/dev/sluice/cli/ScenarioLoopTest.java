package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.Loop.Ended;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.kafka.EmbeddedBroker;
import dev.sluice.producer.requests.RequestList;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** MLPerf's scenarios in whole loops. */
@Tag("loop")
final class ScenarioLoopTest {
  private static EmbeddedBroker broker;

  @TempDir private Path folder;
  private Loop loop;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = SharedBroker.get();
  }

  @BeforeEach
  void prepare() {
    loop = new Loop(folder, broker.bootstrapServers());
  }

  @Test
  void aSingleStream_hasOneJobUnderWayAtATime() throws Exception {
    Ended run = loop.run("stream", "scenario=single_stream", "duration_seconds=3");
    run.assertWhole();
    List<Map<String, String>> jobs = run.rows("trace.csv");
    assertThat(jobs).hasSizeGreaterThan(1).allMatch(row -> row.get("status").equals("done"));
    for (int i = 1; i < jobs.size(); i++) {
      assertThat(seconds(jobs.get(i), "enqueue_time"))
          .isGreaterThanOrEqualTo(seconds(jobs.get(i - 1), "end_time"));
    }
    assertThat(run.summary().path("single_stream_p90_e2e_ms").asDouble()).isPositive();
    assertThat(run.summary().path("request_digest").asText())
        .isEqualTo(drawn("scenario=single_stream", "duration_seconds=3"));
  }

  @Test
  void offline_allJobsArriveAtTimeZero_andNobodyCallsThemLate() throws Exception {
    Ended run = loop.run("offline", "scenario=offline", "tail_seconds=60");
    run.assertWhole();
    assertThat(run.rows("trace.csv"))
        .hasSize(100)
        .allMatch(row -> row.get("status").equals("done") && seconds(row, "enqueue_time") == 0);
    assertThat(run.summary().path("offline_throughput_sps").asDouble()).isPositive();
    assertThat(run.summary().path("request_digest").asText())
        .isEqualTo(drawn("scenario=offline", "tail_seconds=60"));
  }

  private static double seconds(Map<String, String> row, String column) {
    return Double.parseDouble(row.get(column));
  }

  private String drawn(String... overrides) throws Exception {
    var parsed =
        ExperimentFile.read(loop.write(Loop.EMULATED), List.of(overrides), Registries.vocabulary());
    return RequestList.draw(parsed.experiment()).digest();
  }
}
