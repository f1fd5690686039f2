package dev.sluice.cli;

import static dev.sluice.cli.BadInputCommand.held;
import static dev.sluice.cli.BadInputCommand.sluice;
import static dev.sluice.cli.BadInputCommand.sluiceWithCache;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.model.ModelProgress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Model files of the user's own and in the cache: damaged ones are refused, a good one runs. */
@Tag("slow")
final class BadInputModelFileTest {
  private static final String HEAD =
      """
      duration_seconds: 2
      arrival_rate_jobs_per_sec: 5
      batch_sizes: [1]
      tail_seconds: 10
      """;

  @TempDir private static Path shared;

  @TempDir private Path folder;
  private Path results;

  @BeforeEach
  void chooseResults() {
    results = folder.resolve("results");
  }

  @ParameterizedTest
  @ValueSource(strings = {"mine.pt", "mine.onnx"})
  void runsAModelOfTheUsersOwn(String name) throws Exception {
    Files.copy(model(name), folder.resolve(name));

    BadInputCommand ran = run(own(name, "3, 224, 224"), "--run-id", "own");

    // 3: a busy machine may have made the generator late; the run is whole all the same
    assertThat(ran.status()).as(ran.out() + ran.err()).isIn(0, 4);
    List<String> rows = Files.readAllLines(results.resolve("own/trace.csv"));
    List<String> columns = List.of(rows.get(0).split(","));
    int workload = columns.indexOf("workload_name");
    int status = columns.indexOf("status");
    List<String[]> jobs = rows.stream().skip(1).map(row -> row.split(",")).toList();
    assertThat(jobs).hasSizeGreaterThan(3);
    assertThat(jobs).extracting(fields -> fields[workload]).containsOnly("mine");
    assertThat(jobs).extracting(fields -> fields[status]).contains("done");
  }

  @Test
  void namesTheLineOfTheExperiment_whenTheModelIsMissing() throws IOException {
    assertRefused(own("mine.onnx", "3, 224, 224"))
        .says("the model file (" + folder.resolve("mine.onnx") + ") does not exist.\n")
        .says("  Maybe the path is wrong; it counts from the folder of the experiment file.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"mine.pt", "mine.onnx"})
  void namesTheLineOfTheExperiment_whenTheModelIsTruncated(String name) throws Exception {
    truncate(Files.copy(model(name), folder.resolve(name)));

    assertRefused(own(name, "3, 224, 224"))
        .says("the model file (" + folder.resolve(name) + ") cannot be loaded (")
        .says("  Maybe it is incomplete, or was not exported as ");
  }

  @Test
  void namesTheLineOfTheExperiment_whenTheModelDiffersFromItsHash() throws Exception {
    Path original = model("mine.onnx");
    Path copy = Files.copy(original, folder.resolve("mine.onnx"));
    Files.copy(hashOf(original), hashOf(copy));
    flipAByte(copy);

    assertRefused(own("mine.onnx", "3, 224, 224"))
        .says("the model file (" + copy + ") is damaged: its CRC-32C is (")
        .says("  Maybe copy it again, or delete the .sha256 file if you changed the model.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"mine.pt", "mine.onnx"})
  void namesTheLineOfTheExperiment_whenTheModelIsOfAnotherShape(String name) throws Exception {
    Files.copy(model(name), folder.resolve(name));

    assertRefused(own(name, "3, 64, 64"))
        .says("does not take 1 sample of input_shape ([3, 64, 64]) and give logits (")
        .says("  Maybe its input_shape is another");
  }

  @Test
  void refusesAShape_thatNoBatchOfFitsInMemory() throws Exception {
    assertRefused(own("mine.onnx", "3, 100000, 100000"))
        .says("workloads.input_shape ([3, 100000, 100000]) has more than 4000000 values");
  }

  @Test
  void refusesACachedModel_whenABitHasFlipped() throws Exception {
    Path cache = Files.createDirectory(folder.resolve("cache"));
    Path file = cached(cache);
    flipAByte(file);

    assertCacheRefused(cache)
        .says(file + ": error: the model file (" + file + ") is damaged: its CRC-32C is (")
        .says("  Maybe delete the file; Sluice writes it again.");
  }

  @Test
  void refusesACachedModel_whenItIsTruncated() throws Exception {
    Path cache = Files.createDirectory(folder.resolve("cache"));
    Path file = cached(cache);
    truncate(file);

    assertCacheRefused(cache).says(file + ": error: the model file (" + file + ") is damaged");
  }

  @Test
  void namesTheCache_whenItCanNotBeWritten() throws Exception {
    Path cache = Files.writeString(folder.resolve("occupied"), "a file").resolve("cache");

    assertCacheRefused(cache)
        .says(cache + ": error: the model cache cannot be written (not a directory).\n")
        .says("  Maybe make room there or set SLUICE_CACHE to a folder that you can write.");
  }

  /** An experiment whose line 6 is an entry of the user's own. */
  private Path own(String file, String shape) throws IOException {
    return Files.writeString(
        folder.resolve("own.yaml"),
        HEAD
            + "backends_enabled: [%s]\n".formatted(file.endsWith(".pt") ? "pytorch" : "onnx")
            + "workloads: [{name: mine, path: %s, input_shape: [%s], tokens: 50}]\n"
                .formatted(file, shape));
  }

  private BadInputCommand assertRefused(Path config) {
    BadInputCommand refused = run(config).isRefused(1).says(config + ":6: error: ");
    assertThat(held(results)).isEmpty();
    return refused;
  }

  private BadInputCommand assertCacheRefused(Path cache) throws Exception {
    Path config =
        Files.writeString(
            folder.resolve("tiny.yaml"),
            HEAD + "workloads: [vit_tiny]\nbackends_enabled: [onnx]\n");
    BadInputCommand refused =
        sluiceWithCache(cache, folder, "run", config.toString(), "--results", results.toString())
            .isRefused(1);
    assertThat(held(results)).isEmpty();
    return refused;
  }

  private BadInputCommand run(Path config, String... further) {
    String[] arguments = new String[further.length + 4];
    arguments[0] = "run";
    arguments[1] = config.toString();
    arguments[2] = "--results";
    arguments[3] = results.toString();
    System.arraycopy(further, 0, arguments, 4, further.length);
    return sluice(arguments);
  }

  /** A built-in model's file, which stands in for one of the user's. */
  private static Path model(String name) throws Exception {
    return new ModelCache(shared)
        .file(
            new ModelKey("vit_tiny", name.endsWith(".pt") ? "pytorch" : "onnx", "fp32"),
            ModelProgress.none());
  }

  private static Path cached(Path cache) throws Exception {
    Path original = model("mine.onnx");
    Path copy = Files.copy(original, cache.resolve(original.getFileName()));
    Files.copy(hashOf(original), hashOf(copy));
    return copy;
  }

  private static Path hashOf(Path file) {
    return file.resolveSibling(file.getFileName() + ".sha256");
  }

  private static void flipAByte(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 2] ^= 1;
    Files.write(file, bytes);
  }

  private static void truncate(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(bytes, bytes.length / 2));
  }
}
