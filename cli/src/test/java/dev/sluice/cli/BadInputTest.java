package dev.sluice.cli;

import static dev.sluice.cli.BadInputCommand.held;
import static dev.sluice.cli.BadInputCommand.sluice;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a person gets for a mistake in the command or in a file: two lines, exit 2, no remains. */
final class BadInputTest {
  private static final String GOOD =
      """
      duration_seconds: 2
      arrival_rate_jobs_per_sec: 5
      batch_sizes: [1]
      lanes: {kind: emulated}
      workloads: [{name: toy, tokens: 10, alpha_ms: 1, beta_ms: 1}]
      """;

  private static final String REAL =
      """
      duration_seconds: 2
      arrival_rate_jobs_per_sec: 5
      batch_sizes: [1]
      workloads: [vit_tiny]
      backends_enabled: [onnx]
      """;

  @TempDir private Path folder;

  @AfterEach
  void leavesNoFolderBehind() {
    assertThat(held(folder.resolve("results"))).isEmpty();
  }

  @Tag("loop")
  @Test
  void startsAndLeavesNothing_whenAllIsGood_asAComparison() throws IOException {
    BadInputCommand dry = run(file(GOOD), "--dry-run");

    assertThat(dry.status()).as(dry.err()).isZero();
    assertThat(dry.out()).contains("broker").contains("Dry run: all is ready.");
    assertThat(dry.err()).isEmpty();
  }

  @Test
  void namesTheNearestFile_whenThereIsNoneOfThatName() throws IOException {
    file(GOOD);

    run(folder.resolve("experimnt.yaml"))
        .isRefused(1)
        .says("experimnt.yaml: error: the file does not exist.\n")
        .says("  Maybe you meant experiment.yaml.");
  }

  @Test
  void refusesAFolder() {
    run(folder).isRefused(1).says(folder + ": error: this is a folder, not a file.");
  }

  @Test
  void refusesAnEmptyFile() throws IOException {
    run(file("")).isRefused(1).says("experiment.yaml: error: the file is empty.");
  }

  @Test
  void refusesABinaryFile() throws IOException {
    Path file =
        Files.write(folder.resolve("experiment.yaml"), new byte[] {'a', '\n', (byte) 0xff, 0, 1});

    run(file).isRefused(1).says("experiment.yaml:2: error: the file is not UTF-8 text");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "duration_secnds: 3 | duration_secnds | you meant duration_seconds",
        "scheduler_name: fifoo | scheduler_name (fifoo) is unknown | you meant fifo",
        "generators: 1.5 | generators (1.5) | whole number",
        "seed: 1.5 | seed (1.5) | whole number",
        "interactive_ratio: 1.2 | interactive_ratio (1.2) | 1",
        "warmup_seconds: soon | warmup_seconds (soon) | Maybe",
        "backends_enabled: [] | backends_enabled | Maybe",
        "resources: {total_tokens: 13} | 13 | Maybe",
        "kafka: {bootstrap_servers: nonsense} | kafka.bootstrap_servers (nonsense) is neither |"
            + " localhost:9092"
      })
  void namesFileLineValueAndAdvice(String line, String what, String maybe) throws IOException {
    run(file(GOOD + line + "\n"))
        .isRefused(1)
        .says("experiment.yaml:6: error: ")
        .says(what)
        .says(maybe);
  }

  @Test
  void namesAllMistakesAtOnce_byLine() throws IOException {
    BadInputCommand refused =
        run(file(GOOD + "scheduler_name: fifoo\ngenerators: 0\nseeed: 3\n")).isRefused(3);

    assertThat(refused.err().lines().filter(line -> line.contains(": error: ")))
        .extracting(line -> line.replaceFirst("^.*experiment\\.yaml:(\\d+):.*$", "$1"))
        .containsExactly("6", "7", "8");
  }

  @Test
  void namesTheOverride_whenTheMistakeIsThere() throws IOException {
    run(file(GOOD), "--set", "lanes.num_lanes=many")
        .isRefused(1)
        .says("--set lanes.num_lanes=many: error: ");
  }

  @Test
  void namesTheLineOfTheExperiment_whenTheLatencyTableIsMissing() throws IOException {
    run(file(GOOD + "\n"), "--set", "lanes.latency_table=none.csv")
        .isRefused(1)
        .says("--set lanes.latency_table=none.csv: error: lanes.latency_table (")
        .says("none.csv) does not exist.\n  Maybe the path is wrong");
    run(file(GOOD.replace("emulated}", "emulated, latency_table: none.csv}")))
        .isRefused(1)
        .says("experiment.yaml:4: error: lanes.latency_table (");
  }

  @Test
  void namesTheLineOfTheLatencyTable_whenItIsBad() throws IOException {
    Path table =
        Files.writeString(
            folder.resolve("bad.csv"),
            "# source\nworkload,backend,precision,samples,mean_ms\ntoy,onnx,fp32,one,3\n");

    run(file(GOOD), "--set", "lanes.latency_table=" + table)
        .isRefused(1)
        .says(
            table
                + ":3: error: samples (one) must be a whole number of at least 1 and at most 2147483647.");
  }

  @Test
  void namesTheLatencyTable_whenItLacksAWorkload() throws IOException {
    Path table =
        Files.writeString(
            folder.resolve("other.csv"),
            "workload,backend,precision,samples,mean_ms\nvit,pytorch,fp32,1,3\n");

    run(file(GOOD), "--set", "lanes.latency_table=" + table, "--set", "workloads=[resnet18]")
        .isRefused(1)
        .says(table + ": error: the latency table holds no row for (resnet18 ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a/b", "../away", "..", "", "a b", "ä", "-x"})
  void refusesARunId_thatCanNotNameAFolder(String id) throws IOException {
    run(file(GOOD), "--run-id=" + id).isRefused(1).says("--run-id: error: the id (" + id + ") ");
  }

  @Test
  void refusesARunId_thatNamesAFolderOfAnotherMeaning() throws IOException {
    String file = file(GOOD).toString();
    String results = folder.resolve("results").toString();
    for (String command : new String[] {"run", "simulate"}) {
      sluice(command, file, "--run-id", "x.running", "--results", results)
          .isRefused(1)
          .says("--run-id: error: the id (x.running) ends with .running, ")
          .says("  Maybe you meant x.");
      sluice(command, file, "--run-id", "x.failed", "--results", results)
          .isRefused(1)
          .says("--run-id: error: the id (x.failed) ends with .failed, ");
      sluice(command, file, "--run-id", "latest", "--results", results)
          .isRefused(1)
          .says("--run-id: error: the id (latest) is the name of the link to the run that ended");
    }
  }

  @Test
  void refusesResults_whenAFileStandsInTheirPlace() throws IOException {
    Path occupied = Files.writeString(folder.resolve("occupied"), "a file");

    for (Path results : new Path[] {occupied, occupied.resolve("below")}) {
      sluice("run", file(GOOD).toString(), "--results", results.toString())
          .isRefused(1)
          .says("--results: error: the folder cannot be written (" + results + ": ");
    }
  }

  @Tag("loop")
  @Test
  void namesTheOption_whenNoKafkaAnswersThere() throws IOException {
    String nobody = "127.0.0.1:" + portOfNobody();

    run(file(GOOD), "--bootstrap", nobody)
        .isRefused(1)
        .says("--bootstrap: error: no Kafka answers there (" + nobody + ").");
  }

  @Test
  void namesTheOption_whenItIsNoAddress() throws IOException {
    run(file(GOOD), "--bootstrap", "nonsense")
        .isRefused(1)
        .says("--bootstrap: error: no Kafka answers there (nonsense).");
  }

  @Test
  void namesTheLine_whenTheFileNamesAnImpossibleAddress() throws IOException {
    run(file(GOOD + "kafka: {bootstrap_servers: 'localhost:99999'}\n"))
        .isRefused(1)
        .says("experiment.yaml:6: error: no Kafka answers there (localhost:99999).");
  }

  @Test
  void refusesAJob_thatIsLargerThanTheBudget() throws IOException {
    run(file(GOOD + "resources: {total_tokens: 13}\n")).isRefused(1).says("(13)");
  }

  /** The engines on the class path are built for processors, so there is no CUDA anywhere. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "lanes: {device: cuda} | lanes.device (cuda) is not there: onnx finds no CUDA device. |"
            + " lanes.device: auto takes the cpu then.",
        "lanes: {device: 'cuda:1'} | lanes.device (cuda:1) is not there: onnx finds no CUDA"
            + " device. | docs/devices.md",
        "precision_modes: [fp32, fp16] | precision_modes (fp16) is slower than fp32 on a cpu,"
            + " where onnx runs here. | allow_slow_precision: true",
        "precision_modes: [bf16] | precision_modes (bf16) cannot run on onnx: it has no"
            + " convolution in bf16. | backends_enabled should be [pytorch]"
      })
  void namesTheLine_whenTheDeviceCanNotDoIt(String line, String what, String maybe)
      throws IOException {
    run(file(REAL + line + "\n"))
        .isRefused(1)
        .says("experiment.yaml:6: error: " + what)
        .says(maybe);
  }

  @Test
  void namesTheLatencyTable_whenItLacksAPrecision() throws IOException {
    Path table =
        Files.writeString(
            folder.resolve("other.csv"),
            "workload,backend,precision,samples,mean_ms\nvit,pytorch,fp32,1,3\n");

    run(
            file(GOOD),
            "--set",
            "lanes.latency_table=" + table,
            "--set",
            "workloads=[vit]",
            "--set",
            "precision_modes=[fp32, fp16]")
        .isRefused(1)
        .says(table + ": error: the latency table holds no row for (vit on pytorch in fp16).\n")
        .says("  Maybe add rows for it");
  }

  @ParameterizedTest
  @CsvSource({
    "rum, Maybe you meant run.",
    "run x.yaml --sett a=b, Maybe you meant --set",
    "run, Maybe ./sluice run --help shows how.",
    "run x.yaml --bogus, Maybe "
  })
  void suggests_whenTheCommandOrAnOptionIsUnknown(String words, String maybe) {
    sluice(words.split(" ")).isRefused(1).says("sluice: error: ").says(maybe);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "schedule x.yaml --bootstrap localhost:1 --run-id a --wait -1"
            + " | --wait: error: the value (-1) is below 0",
        "execute x.yaml --bootstrap localhost:1 --run-id a/b | --run-id: error: the id (a/b)",
        "topics | sluice: error: topics needs a command, list or prune"
      })
  void namesTheOption_whenItsValueCanNotBe(String words, String what) {
    sluice(words.split(" ")).isRefused(1).says(what);
  }

  @ParameterizedTest
  @ValueSource(strings = {"--version", "run --version", "topics list --version"})
  void tellsItsVersion_whateverTheCommand(String words) {
    BadInputCommand told = sluice(words.split(" "));
    assertThat(told.status()).as(told.err()).isZero();
    assertThat(told.out()).startsWith("Sluice ");
  }

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("experiment.yaml"), text);
  }

  private BadInputCommand run(Path config, String... further) {
    String[] arguments = new String[further.length + 4];
    arguments[0] = "run";
    arguments[1] = config.toString();
    arguments[2] = "--results";
    arguments[3] = folder.resolve("results").toString();
    System.arraycopy(further, 0, arguments, 4, further.length);
    return sluice(arguments);
  }

  private static int portOfNobody() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
