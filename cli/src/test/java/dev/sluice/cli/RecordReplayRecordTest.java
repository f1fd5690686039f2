package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.Loop.Ended;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One load gives one file: recorded, replayed by whatever run, and recorded again. */
@Tag("loop")
final class RecordReplayRecordTest {
  @TempDir private Path folder;
  private Path experiment;
  private Path load;

  @BeforeEach
  void recordALoad() throws Exception {
    experiment = new Loop(folder, null).write(Loop.EMULATED);
    load = record(simulate("source"), "load.gz");
  }

  private Path simulate(String runId, String... overrides) {
    List<String> words =
        new ArrayList<>(
            List.of(
                "simulate",
                experiment.toString(),
                "--log",
                "--run-id",
                runId,
                "--results",
                folder.resolve("simulated").toString()));
    for (String override : overrides) {
      words.addAll(List.of("--set", override));
    }
    var done = BadInputCommand.sluice(words.toArray(String[]::new));
    assertThat(done.status()).as(done.err()).isZero();
    return folder.resolve("simulated").resolve(runId);
  }

  private Path record(Path run, String name) {
    Path file = folder.resolve(name);
    var done = BadInputCommand.sluice("record", run.toString(), file.toString());
    assertThat(done.status()).as(done.err()).isZero();
    assertThat(done.out()).as(done.out()).contains("the whole request list");
    return file;
  }

  private String[] replaying(String... more) {
    List<String> all = new ArrayList<>(Arrays.asList(more));
    all.add("arrivals={process: replay, file: \"" + load + "\"}");
    return all.toArray(String[]::new);
  }

  @ParameterizedTest
  @CsvSource({
    "fifo, 1, 1",
    "priority_slo, 1, 2",
    "batch_aware, 2, 1",
    "dynamic, 3, 2",
    "random, 2, 2",
  })
  void simulated_overPoliciesGeneratorsAndShards(String policy, int generators, int shards)
      throws Exception {
    Path run =
        simulate(
            "replayed",
            replaying(
                "scheduler_name=" + policy, "generators=" + generators, "kafka.shards=" + shards));
    assertThat(record(run, "again.gz")).hasSameBinaryContentAs(load);
  }

  @Test
  void live_withTwoShardsAndGenerators() throws Exception {
    Ended run =
        new Loop(folder, SharedBroker.get().bootstrapServers())
            .run(
                "replayed-live",
                replaying("scheduler_name=fifo", "generators=2", "kafka.shards=2"));
    run.assertWhole();
    assertThat(record(run.folder(), "live.gz")).hasSameBinaryContentAs(load);
    Path twice = Files.createDirectory(folder.resolve("twice"));
    Files.copy(folder.resolve("live.gz"), twice.resolve("requests.gz"));
    assertThat(record(twice.resolve("requests.gz"), "third.gz")).hasSameBinaryContentAs(load);
  }
}
