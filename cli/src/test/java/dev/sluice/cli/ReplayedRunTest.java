package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs that send the requests of a recording or a trace. */
final class ReplayedRunTest {
  @TempDir private Path folder;

  /** One load, live and simulated, over policies, generators and shards. */
  @Tag("loop")
  @Test
  void recordReplayRecordGivesOneFile() throws Exception {
    var loop = new Loop(folder, SharedBroker.get().bootstrapServers());
    loop.run("first").assertWhole();
    byte[] load = recorded(loop.results().resolve("first"));
    String config = folder.resolve("tiny.yaml").toString();

    List<String> replay = new ArrayList<>(List.of("replay", run("first"), config));
    replay.addAll(List.of("--bootstrap", loop.bootstrap(), "--results", loop.results().toString()));
    replay.addAll(List.of("--set", "scheduler_name=fifo", "--set", "generators=3"));
    BadInputCommand again = sluice(replay, "--run-id", "again", "--set", "kafka.shards=2");
    assertThat(again.status()).as(again.err() + again.out()).isIn(0, 4);
    assertThat(again.out()).contains("replay of " + run("first"));
    assertThat(recorded(loop.results().resolve("again"))).isEqualTo(load);
    assertThat(Files.readString(loop.results().resolve("again/summary.json")))
        .contains("\"replay of ");

    BadInputCommand simulated =
        sluice(
            List.of("simulate", config, "--log", "--run-id", "simulated"),
            "--results",
            loop.results().toString(),
            "--set",
            "arrivals={process: replay, file: \"" + run("again") + "\"}",
            "--set",
            "scheduler_name=random");
    assertThat(simulated.status()).as(simulated.err()).isIn(0, 4);
    assertThat(recorded(loop.results().resolve("simulated"))).isEqualTo(load);
  }

  private String run(String id) {
    return folder.resolve("results").resolve(id).toString();
  }

  private byte[] recorded(Path run) throws IOException {
    Path file = folder.resolve(run.getFileName() + ".jsonl.gz");
    BadInputCommand record = sluice(List.of("record", run.toString(), file.toString()));
    assertThat(record.status()).as(record.err()).isZero();
    assertThat(record.out() + record.err()).contains("the whole request list");
    return Files.readAllBytes(file);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--speed=0       | --set arrivals.speed=0: error: arrivals.speed (0) must be at least 0.000001",
        "--speed=-1      | arrivals.speed (-1) must be at least 0.000001",
        "--speed=NaN     | arrivals.speed (NaN) must be at least 0.000001",
        "--from=9        | no request of",
        "--map=nonsense  | arrivals.map (nonsense) is not of the form",
        "--drop=clas:a   | arrivals.drop (clas:a) begins with an unknown attribute",
        "--salvage       | arrivals.salvage is unknown",
        "--until=0/1     | --until: error: it goes with --decisions",
      })
  void refusesWhatMakesNoSense(String option, String mistake) throws IOException {
    Path trace = Files.writeString(folder.resolve("own.csv"), "time_s\n0\n0.5\n1.25\n");
    BadInputCommand replay = replay(trace, option);
    assertThat(replay.status()).isEqualTo(2);
    assertThat(replay.err()).contains(mistake);
  }

  @Test
  void refusesWhatIsNoRecordingAndNoTrace() throws IOException {
    assertThat(replay(folder.resolve("no.gz")).err())
        .contains("no.gz: error: the file does not exist.");
    assertThat(replay(Files.createDirectory(folder.resolve("r.running"))).err())
        .contains("r.running: error: this run has not finished.");
    assertThat(replay(Files.createDirectory(folder.resolve("r"))).err())
        .contains("r: error: this folder holds no recording (log.jsonl.gz).");
    assertThat(replay(Files.writeString(folder.resolve("a.csv"), "when,what\n1,2\n")).err())
        .contains("a.csv:1: error: no known trace has these columns (when,what).")
        .contains("Mooncake (timestamp,input_length,output_length,hash_ids)");
  }

  private BadInputCommand replay(Path file, String... options) throws IOException {
    Path config = new Loop(folder, null).write(Loop.EMULATED);
    List<String> all =
        new ArrayList<>(
            List.of("replay", file.toString(), config.toString(), "--results", run("none")));
    all.addAll(Arrays.asList(options));
    return sluice(all);
  }

  private static BadInputCommand sluice(List<String> words, String... more) {
    List<String> all = new ArrayList<>(words);
    all.addAll(Arrays.asList(more));
    return BadInputCommand.sluice(all.toArray(String[]::new));
  }
}
