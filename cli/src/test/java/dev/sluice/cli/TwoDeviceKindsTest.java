package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.Loop.Ended;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.kafka.EmbeddedBroker;
import dev.sluice.harness.process.ChildProcess;
import dev.sluice.harness.process.ChildProcess.Signal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Emulated lanes at a tenth and at four tenths of their speed in one run, each predicted by its own
 * model.
 */
@Tag("slow")
@Timeout(300)
final class TwoDeviceKindsTest {
  // A busy machine wakes lanes late, and starts an executor late: times are long, and so is the
  // run.
  private static final double SLOW = 0.1;
  private static final double FAST = 0.4;

  @TempDir private Path folder;

  @Test
  void eachKindIsPredictedByItsOwnRows_alsoAfterItsExecutorWasKilledAndStartedAgain()
      throws Exception {
    Path models = folder.resolve("models");
    for (double speed : List.of(SLOW, FAST)) {
      String kind = LinearProfile.KIND + "-x" + speed;
      LinearProfile.train(kind, 1 / speed, models.resolve(kind));
    }
    String[] learned = {
      "--set", "predictor.enabled=true",
      "--set", "predictor.model_path=" + models,
      "--set", "predictor.retrain_seconds=2",
      "--set", "arrival_rate_jobs_per_sec=40",
      "--set", "duration_seconds=45"
    };
    EmbeddedBroker broker = SharedBroker.get();
    try (var roles = new Roles(folder, broker.bootstrapServers(), "kinds")) {
      String[] slowOnes = with(learned, "--executor-id", "slow", "--speed", "" + SLOW);
      String[] fastOnes = with(learned, "--executor-id", "fast", "--speed", "" + FAST);
      ChildProcess slow = roles.role("slow", "execute", slowOnes);
      ChildProcess fast = roles.role("fast", "execute", fastOnes);
      ChildProcess schedule = roles.role("schedule", "schedule", learned);
      ChildProcess analyze =
          roles.role(
              "analyze", "analyze", with(learned, "--results", roles.loop().results().toString()));
      roles.awaitPrinted(slow, "joined the run");
      roles.awaitPrinted(fast, "joined the run");
      ChildProcess produce = roles.role("produce", "produce", learned);
      roles.awaitPrinted(analyze, " sent ");
      fast.signal(Signal.KILL);
      roles.awaitEnd(fast, 137);
      ChildProcess again = roles.role("fast-again", "execute", fastOnes);
      for (ChildProcess role : List.of(produce, slow, again, schedule)) {
        roles.awaitEnd(role, ExitStatus.DONE);
      }
      roles.awaitEnd(analyze, ExitStatus.INCONCLUSIVE);

      Path finished = roles.loop().results().resolve("kinds");
      var run = new Ended(0, finished, Roles.printed(analyze));
      assertThat(run.summary().path("not_comparable").toString())
          .contains("fast was lost and restarted");
      List<Map<String, String>> dispatches = run.rows("dispatches.csv");
      assertThat(medianOfShortOnes(dispatches, "slow/", "predicted_service_ms"))
          .isGreaterThan(2 * medianOfShortOnes(dispatches, "fast/", "predicted_service_ms"));
      for (String executor : List.of("slow/", "fast/")) {
        double tookMs = medianOfShortOnes(dispatches, executor, "service_ms");
        assertThat(medianOfShortOnes(dispatches, executor, "predicted_service_ms"))
            .as(executor)
            .isBetween(tookMs / 1.5, tookMs * 1.5);
      }

      List<Map<String, String>> byFast =
          dispatches.stream().filter(row -> row.get("lane_id").startsWith("fast/")).toList();
      double diedAt =
          byFast.stream()
              .filter(row -> !row.get("result").equals("done"))
              .mapToDouble(row -> Double.parseDouble(row.get("decided_time")))
              .max()
              .orElseThrow();
      assertThat(byFast)
          .filteredOn(row -> Double.parseDouble(row.get("decided_time")) > diedAt)
          .isNotEmpty()
          .allMatch(row -> row.get("prediction_source").equals("published"));
    }
  }

  /** Of batches of one sample that a table predicted. */
  private static double medianOfShortOnes(
      List<Map<String, String>> dispatches, String executor, String column) {
    double[] values =
        dispatches.stream()
            .filter(row -> row.get("lane_id").startsWith(executor))
            .filter(row -> row.get("result").equals("done"))
            .filter(row -> row.get("workload_name").equals("short"))
            .filter(row -> row.get("samples").equals("1"))
            .filter(row -> row.get("prediction_source").equals("published"))
            .mapToDouble(row -> Double.parseDouble(row.get(column)))
            .sorted()
            .toArray();
    assertThat(values).as(executor).hasSizeGreaterThan(20);
    return values[values.length / 2];
  }

  private static String[] with(String[] some, String... more) {
    List<String> all = new ArrayList<>(Arrays.asList(some));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }
}
