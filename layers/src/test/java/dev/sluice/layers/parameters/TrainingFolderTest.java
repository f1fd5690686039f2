package dev.sluice.layers.parameters;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.network.TensorShape;
import dev.sluice.layers.parameters.TrainingFolder.Disk;
import dev.sluice.layers.parameters.TrainingFolder.StoredLayer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Steps that are durable as a whole, on a disk that fails at each of its operations. */
final class TrainingFolderTest {
  private static final int STEPS = 5;
  private static final Map<String, String> SETTINGS = Map.of("model", "toy");
  private static final List<StoredLayer> LAYERS = List.of(layer("first", 3), layer("layer1.0", 5));

  @TempDir private Path folder;

  private static StoredLayer layer(String name, int values) {
    return new StoredLayer(
        name,
        List.of(
            TensorShape.float32(name + ".weight", List.of(values)),
            TensorShape.float32(name + ".weight.momentum", List.of(values))));
  }

  private static List<ByteBuffer> values(int layer, int step) {
    int bytes = (int) LAYERS.get(layer).bytes() / 2;
    ByteBuffer weights = ByteBuffer.allocateDirect(bytes);
    ByteBuffer momentum = ByteBuffer.allocateDirect(bytes);
    for (int i = 0; i < bytes; i++) {
      weights.put((byte) (step + i + layer));
      momentum.put((byte) (step * i));
    }
    return List.of(weights.flip(), momentum.flip());
  }

  /** A disk that fails from one operation on, in the middle of it if it writes. */
  private static final class FailingDisk extends Disk {
    private int left;

    FailingDisk(int operations) {
      this.left = operations;
    }

    private void count() throws IOException {
      if (left == 0) {
        throw new FileSystemException("disk", null, "No space left on device");
      }
      left--;
    }

    @Override
    void write(Path file, List<ByteBuffer> content) throws IOException {
      if (left == 0) {
        ByteBuffer half = content.get(0).duplicate();
        super.write(file, List.of(half.limit(half.limit() / 2)));
      }
      count();
      super.write(file, content);
    }

    @Override
    void replaceEnd(Path file, long keptBytes, ByteBuffer end) throws IOException {
      if (left == 0) {
        super.replaceEnd(file, keptBytes, end.duplicate().limit(end.limit() / 2));
      }
      count();
      super.replaceEnd(file, keptBytes, end);
    }

    @Override
    void sync(Path path) throws IOException {
      count(); // and no more: only a machine that stops tells the difference
    }

    @Override
    void rename(Path from, Path to) throws IOException {
      count();
      super.rename(from, to);
    }

    @Override
    void delete(Path file) throws IOException {
      count();
      super.delete(file);
    }
  }

  /** Goes on to the last step: layer 0 is written twice in a step, as one that comes and goes. */
  private static void train(TrainingFolder training, int commitEvery) throws IOException {
    for (int step = training.committedStep() + 1; step <= STEPS; step++) {
      training.write(0, step, values(0, step - 1));
      training.write(1, step, values(1, step));
      training.write(0, step, values(0, step));
      training.loss(step, 1f / step);
      if (step % commitEvery == 0 || step == STEPS) {
        training.commit(step);
      }
    }
  }

  private static Map<String, ByteBuffer> files(Path folder) throws IOException {
    Map<String, ByteBuffer> files = new TreeMap<>();
    try (var all = Files.newDirectoryStream(folder)) {
      for (Path path : all) {
        files.put(path.getFileName().toString(), ByteBuffer.wrap(Files.readAllBytes(path)));
      }
    }
    return files;
  }

  private TrainingFolder begin(Path path, Disk disk) throws UserMistakeException {
    return TrainingFolder.create(path, SETTINGS, LAYERS, layer -> values(layer, 0), disk);
  }

  private TrainingFolder resume(Path path) throws UserMistakeException, IOException {
    return TrainingFolder.resume(path, SETTINGS, LAYERS);
  }

  @ParameterizedTest
  @CsvSource({"1", "2", "5"})
  void endsWithTheBytesOfOneRun_whereverTheDiskFailed(int commitEvery) throws Exception {
    Path whole = folder.resolve("whole");
    train(begin(whole, new Disk()), commitEvery);
    Map<String, ByteBuffer> expected = files(whole);
    assertThat(expected.keySet())
        .containsExactly(
            "first-5.safetensors", "layer1.0-5.safetensors", "losses.csv", "manifest.json");
    assertThat(UTF_8.decode(expected.get("losses.csv").duplicate()).toString())
        .startsWith("step,loss\n1,1.0\n2,0.5\n");

    int failures = 0;
    for (boolean failed = true; failed; failures++) {
      Path broken = folder.resolve("broken" + failures);
      failed = false;
      try {
        train(begin(broken, new FailingDisk(failures)), commitEvery);
      } catch (IOException e) {
        failed = true;
      } catch (UserMistakeException e) {
        failed = true;
        assertThat(e).hasMessageContaining("(no space left on device)");
        if (!Files.exists(broken.resolve("manifest.json"))) {
          train(begin(broken, new FailingDisk(Integer.MAX_VALUE)), commitEvery);
        }
      }
      train(resume(broken), commitEvery);
      assertThat(files(broken)).as("failed at operation %d", failures).isEqualTo(expected);
    }
    assertThat(failures).isGreaterThan(20);
  }

  @Test
  void readsALayersNewestTensors_andLeavesTheRoomBehindThem() throws Exception {
    TrainingFolder training = begin(folder.resolve("t"), new Disk());
    training.write(1, 1, values(1, 1));
    ByteBuffer into = ByteBuffer.allocateDirect((int) LAYERS.get(1).bytes() + 7);
    training.read(1, into);
    assertThat(into.position()).isEqualTo(LAYERS.get(1).bytes());
    ByteBuffer expected = ByteBuffer.allocate((int) LAYERS.get(1).bytes());
    values(1, 1).forEach(expected::put);
    assertThat(into.flip()).isEqualTo(expected.flip());
  }

  @Test
  void keepsFilesThatAreNotItsOwn() throws Exception {
    Path path = folder.resolve("t");
    begin(path, new Disk());
    Files.writeString(path.resolve("notes.txt"), "mine");
    Files.writeString(path.resolve("other-3.safetensors"), "mine");
    Files.writeString(path.resolve("first-3.safetensors"), "left by a process that died");
    resume(path);
    assertThat(files(path).keySet())
        .containsExactly(
            "first-0.safetensors",
            "layer1.0-0.safetensors",
            "losses.csv",
            "manifest.json",
            "notes.txt",
            "other-3.safetensors");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "[1, 2] | this is no manifest of a training",
        "{\"step\": 3} | this is no manifest of a training",
        "{\"sluice_training\": \"1\", \"settings\": {\"model\": \"vit\"}, \"step\": 0} | a training"
            + " with model (vit), not (toy)",
        "{\"sluice_training\": \"2\"} | its version (2) is not 1",
        "{\"sluice_training\": \"1\", \"settings\": {\"model\": \"toy\"}, \"step\": 0, \"layers\":"
            + " [{\"name\": \"../x\", \"step\": 0, \"crc32c\": \"0\"}]} | it names other layers"
            + " than",
        "{\"sluice_training\": \"1\", | this is not JSON"
      })
  void refusesAForeignManifest(String manifest, String what) throws Exception {
    begin(folder.resolve("t"), new Disk());
    Files.writeString(folder.resolve("t/manifest.json"), manifest);
    assertThatThrownBy(() -> resume(folder.resolve("t")))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("manifest.json")
        .hasMessageContaining(what);
  }

  @Test
  void refusesALayerWithAFlippedBit_andOneCutShort_andOneThatIsGone() throws Exception {
    Path path = folder.resolve("t");
    begin(path, new Disk());
    Path file = path.resolve("layer1.0-0.safetensors");
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length - 1] ^= 1;
    Files.write(file, bytes);
    assertThatThrownBy(() -> resume(path))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("layer1.0-0.safetensors: error: the file is damaged");
    Files.write(file, Arrays.copyOf(bytes, bytes.length - 1));
    assertThatThrownBy(() -> resume(path)).isInstanceOf(UserMistakeException.class);
    Files.delete(file);
    assertThatThrownBy(() -> resume(path))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("the file does not exist");
  }

  @Test
  void refusesToBeginTwice_andToResumeNothing() throws Exception {
    Path path = folder.resolve("t");
    assertThatThrownBy(() -> resume(path))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("leave out --resume");
    begin(path, new Disk());
    assertThatThrownBy(() -> begin(path, new Disk()))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("the folder holds a training already");
  }
}
