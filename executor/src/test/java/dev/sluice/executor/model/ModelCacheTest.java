package dev.sluice.executor.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.ModelKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The cache on a real disk: whole files or none, and no damage goes unseen. */
final class ModelCacheTest {
  @TempDir Path folder;

  /** A changed hash means other weights for everyone: raise the format version with it. */
  @ParameterizedTest
  @CsvSource({
    "resnet18, pytorch, fp32, c4fc28d58e2257d8ac85fa89c444d7015addfdf19c07977ca8b4333f07a4927a",
    "resnet18, onnx, fp32, e51d35652f6a93249210b978b7a637082f0b8e1464b763de24f5bda75a9aa4c4",
    "vit_tiny, pytorch, fp32, 5bff3a8d8c7b79c5141539d2b45d4c8d1e8b4c98d5b464ea1d950b7cf6fbe611",
    "vit_tiny, onnx, fp32, 02478a736b571cc18d197303f3a06ca70081f0fc95629a4a0156aa3925d8803b",
    "vit_tiny, pytorch, bf16, 60997875ebe39305d6d7b97b0f5f6c256cade92037170fc8f36972d16f364c94",
    "vit_tiny, pytorch, fp16, 59ed634e815b03c3dc83b4e848bc96a417155672565532244f85fe22df1f1d32",
    "vit_tiny, onnx, fp16, 1b5be87ab6fc91e21f40dcfeea1b4fbda9e610973b59bc34c6694760ccde4c0c"
  })
  void writesTheSameBytesOnEveryMachine(
      String workload, String backend, String precision, String hash) throws Exception {
    Path file =
        new ModelCache(folder)
            .file(new ModelKey(workload, backend, precision), ModelProgress.none());

    assertThat(Files.readAllLines(ModelHash.file(file)).get(0))
        .isEqualTo(hash + "  " + file.getFileName());
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({
    "resnet18, pytorch, bf16, 574050a5bdd8d82d735b180fcea54bf92dc84c5b6322df524b85e66d9e2bed88",
    "resnet18, onnx, fp16, 967fc2189e611493cd8deb2ee306c743acf8e6f8eda4055ef5f9431223d9f03d"
  })
  void writesTheSameBytesOnEveryMachine_inHalfPrecision(
      String workload, String backend, String precision, String hash) throws Exception {
    writesTheSameBytesOnEveryMachine(workload, backend, precision, hash);
  }

  @Test
  void saysHowTheWritingGoesOn_andWritesOnlyOnce() throws Exception {
    var heard = new Heard();
    var cache = new ModelCache(folder.resolve("not/yet/there"));
    cache.file(new ModelKey("vit_tiny", "onnx", "fp32"), heard);
    cache.file(new ModelKey("vit_tiny", "onnx", "fp32"), heard);

    assertThat(heard.names).containsExactly("vit_tiny-v1.onnx");
    assertThat(heard.bytes).isEqualTo(heard.bytesExpected).isEqualTo(4 * 5_717_416L);
    assertThat(heard.finished).isEqualTo(1);
    assertThat(names(folder.resolve("not/yet/there")))
        .containsExactly("vit_tiny-v1.onnx", "vit_tiny-v1.onnx.sha256");
  }

  @Test
  void eachPrecisionHasAFileOfItsOwn_andHalfTheBytes() throws Exception {
    var heard = new Heard();
    new ModelCache(folder).file(new ModelKey("vit_tiny", "pytorch", "bf16"), heard);

    assertThat(heard.names).containsExactly("vit_tiny-bf16-v1.pt");
    assertThat(heard.bytes).isEqualTo(heard.bytesExpected).isEqualTo(2 * 5_717_416L);
  }

  @Test
  void writesNoOnnxFileInBf16() {
    assertThatThrownBy(
            () ->
                new ModelCache(folder)
                    .file(new ModelKey("vit_tiny", "onnx", "bf16"), ModelProgress.none()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("ONNX's convolution takes no bf16 at opset 17");
    assertThat(names(folder)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"pytorch", "onnx"})
  void refusesAFileWithOneFlippedBit(String backend) throws Exception {
    Path file = copyOfTiny(backend);
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 2] ^= 1;
    Files.write(file, bytes);

    assertRefused(backend, file, "the model file (" + file + ") is damaged");
  }

  @ParameterizedTest
  @ValueSource(strings = {"pytorch", "onnx"})
  void refusesATruncatedFile(String backend) throws Exception {
    Path file = copyOfTiny(backend);
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(bytes, bytes.length / 2));

    assertRefused(backend, file, "the model file (" + file + ") is damaged");
  }

  @Test
  void checksByAHashOfAnEarlierVersion_andAddsTheQuickOne() throws Exception {
    Path file = copyOfTiny("onnx");
    String both = Files.readString(ModelHash.file(file));
    String earlier = both.lines().findFirst().orElseThrow() + "\n";
    Files.writeString(ModelHash.file(file), earlier);
    new ModelCache(folder).file(new ModelKey("vit_tiny", "onnx", "fp32"), ModelProgress.none());

    assertThat(both).matches("[0-9a-f]{64}  vit_tiny-v1.onnx\n# crc32c [0-9a-f]{8}\n");
    assertThat(ModelHash.file(file)).hasContent(both);

    Files.writeString(ModelHash.file(file), earlier.replace(earlier.charAt(9), 'x'));
    assertRefused("onnx", file, "the model file (" + file + ") is damaged: its SHA-256 is (");
    assertThat(names(folder)).hasSize(2);
  }

  @Test
  void refusesAFileWithoutItsHash() throws Exception {
    Path file = copyOfTiny("onnx");
    Files.delete(ModelHash.file(file));

    assertRefused("onnx", file, "its hash (vit_tiny-v1.onnx.sha256) is missing");
  }

  @Test
  void writesAMissingFileAgain() throws Exception {
    Path file = copyOfTiny("onnx");
    Files.delete(file);

    assertThat(
            new ModelCache(folder)
                .file(new ModelKey("vit_tiny", "onnx", "fp32"), ModelProgress.none()))
        .isEqualTo(file)
        .hasSameBinaryContentAs(TestModels.file("vit_tiny", "onnx"));
  }

  @Test
  void leavesNothingBehind_whenTheWriterFails() throws Exception {
    var failing =
        new Heard() {
          @Override
          public void advanced(long bytes) {
            throw new UncheckedIOException(new IOException("stopped half-way"));
          }
        };

    assertThatThrownBy(
            () -> new ModelCache(folder).file(new ModelKey("vit_tiny", "onnx", "fp32"), failing))
        .isInstanceOf(UncheckedIOException.class);
    assertThat(names(folder)).isEmpty();
  }

  @Test
  void hasNoFileUnderItsFinalName_whileItIsWritten() throws Exception {
    var seen = new ArrayList<List<String>>();
    var looking =
        new Heard() {
          @Override
          public void advanced(long bytes) {
            seen.add(names(folder));
          }
        };
    new ModelCache(folder).file(new ModelKey("vit_tiny", "pytorch", "fp32"), looking);

    assertThat(seen)
        .isNotEmpty()
        .allSatisfy(names -> assertThat(names).allMatch(name -> name.endsWith(".unfinished")));
  }

  @Test
  void deletesWhatAKilledWriterLeftLongAgo_andNothingElse() throws Exception {
    Path abandoned = Files.createFile(folder.resolve("vit_tiny-v1.onnx.a1.unfinished"));
    Files.setLastModifiedTime(abandoned, FileTime.from(Instant.EPOCH));
    Path atWork = Files.createFile(folder.resolve("vit_tiny-v1.onnx.b2.unfinished"));
    Path another = Files.createFile(folder.resolve("resnet18-v1.onnx.c3.unfinished"));
    Files.setLastModifiedTime(another, FileTime.from(Instant.EPOCH));
    new ModelCache(folder).file(new ModelKey("vit_tiny", "onnx", "fp32"), ModelProgress.none());

    assertThat(abandoned).doesNotExist();
    assertThat(atWork).exists();
    assertThat(another).exists();
  }

  @Test
  void letsTwoWriteTheSameFileAtOnce() throws Exception {
    var pool = Executors.newFixedThreadPool(2);
    Callable<Path> writer =
        () ->
            new ModelCache(folder)
                .file(new ModelKey("vit_tiny", "onnx", "fp32"), ModelProgress.none());
    try {
      for (Future<Path> file : pool.invokeAll(List.of(writer, writer))) {
        assertThat(file.get()).hasSameBinaryContentAs(TestModels.file("vit_tiny", "onnx"));
      }
    } finally {
      pool.shutdown();
    }
    assertThat(names(folder)).hasSize(2);
  }

  @Test
  void namesTheFolder_whenItCannotBeWritten() throws Exception {
    Path occupied = Files.writeString(folder.resolve("cache"), "a file where a folder should be");

    assertThatThrownBy(
            () ->
                new ModelCache(occupied)
                    .file(new ModelKey("vit_tiny", "onnx", "fp32"), ModelProgress.none()))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageStartingWith(occupied + ": error: the model cache cannot be written (")
        .hasMessageContaining("\n  Maybe make room there or set SLUICE_CACHE");
  }

  @Test
  void isWhereTheEnvironmentSays() {
    Path home = Path.of("/home/ada");

    assertThat(ModelCache.defaultFolder(Map.of("SLUICE_CACHE", "/big/models"), home))
        .isEqualTo(Path.of("/big/models"));
    assertThat(ModelCache.defaultFolder(Map.of("XDG_CACHE_HOME", "/caches"), home))
        .isEqualTo(Path.of("/caches/sluice"));
    assertThat(ModelCache.defaultFolder(Map.of(), home))
        .isEqualTo(Path.of("/home/ada/.cache/sluice"));
  }

  private void assertRefused(String backend, Path file, String what) {
    assertThatThrownBy(
            () ->
                new ModelCache(folder)
                    .file(new ModelKey("vit_tiny", backend, "fp32"), ModelProgress.none()))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageStartingWith(file + ": error: " + what)
        .hasMessageEndingWith("\n  Maybe delete the file; Sluice writes it again.");
  }

  private Path copyOfTiny(String backend) throws Exception {
    Path original = TestModels.file("vit_tiny", backend);
    for (Path file : List.of(original, ModelHash.file(original))) {
      Files.copy(file, folder.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
    }
    return folder.resolve(original.getFileName());
  }

  private static List<String> names(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static class Heard implements ModelProgress {
    final List<String> names = new ArrayList<>();
    long bytesExpected;
    long bytes;
    int finished;

    @Override
    public void started(String name, long bytes) {
      names.add(name);
      bytesExpected += bytes;
    }

    @Override
    public void advanced(long bytes) {
      this.bytes += bytes;
    }

    @Override
    public void finished() {
      finished++;
    }
  }
}
