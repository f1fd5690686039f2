package dev.sluice.harness.serve;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.contract.event.BatchesEnded;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a page that comes late gets of a live run's lanes. */
final class LaneBatchesTest {
  private final LaneBatches lanes = new LaneBatches();

  @Test
  void moreLanesThanAPageDrawsAreFoldedByExecutor() {
    for (int i = 0; i <= 400; i++) { // a record each quarter of a second
      lanes.add(Windows.lanes(i, 16, 64));
    }
    JsonNode last = lanes.last();
    assertThat(last.path("batches")).isEmpty();
    JsonNode shares = last.path("shares");
    assertThat(shares.path("from_s").asInt()).isEqualTo(41);
    assertThat(shares.path("to_s").asDouble()).isEqualTo(100.25);
    assertThat(shares.path("span_s").asInt()).isEqualTo(1);
    assertThat(shares.path("lanes")).hasSize(16);
    for (JsonNode row : shares.path("lanes")) {
      assertThat(row.path("executor").asText()).startsWith("executor-");
      assertThat(row.path("lane").isNull()).isTrue();
      assertThat(row.path("busy")).hasSize(60);
      assertThat(row.at("/busy/58").asDouble()).isEqualTo(0.1);
      assertThat(row.at("/busy/59").asDouble()).as("a quarter of it").isEqualTo(0.03);
    }
  }

  @Test
  void busyTimeOfBatchesThatNoRecordListsIsToldByTheSecond() {
    for (int i = 0; i < 6; i++) {
      lanes.add(withMore(Windows.lanes(i), i < 2 ? 0.5 : 0));
    }
    JsonNode last = lanes.last();
    assertThat(last.path("batches")).hasSize(6);
    assertThat(last.at("/shares/lanes/0/executor").asText()).isEqualTo("executor-0");
    assertThat(last.at("/shares/lanes/0/lane").asInt()).isZero();
    assertThat(last.at("/shares/lanes/0/busy").toString()).isEqualTo("[0.25,0.0]");
  }

  @Test
  void thereAreNoSharesWhereEachBatchIsListed() {
    lanes.add(Windows.lanes(0));
    assertThat(lanes.last().path("shares").isNull()).isTrue();
  }

  private static BatchesEnded withMore(BatchesEnded ended, double busy) {
    BatchesEnded.Executor executor = ended.executors().get(0);
    BatchesEnded.Lane lane = executor.lanes().get(0);
    var more = new BatchesEnded.More(ended.toNs() - 250_000_000, ended.toNs(), busy);
    var cut = new BatchesEnded.Lane(0, 0, lane.batches(), busy == 0 ? null : more);
    return new BatchesEnded(
        ended.toNs(), List.of(new BatchesEnded.Executor(executor.id(), List.of(cut))));
  }
}
