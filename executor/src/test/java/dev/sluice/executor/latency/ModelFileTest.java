package dev.sluice.executor.latency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.latency.LatencyModel.Method;
import dev.sluice.executor.latency.LatencyModel.Reach;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Model files: read as they were written, and refused by name where they cannot be. */
final class ModelFileTest {
  private static final List<ProfileRow> ROWS =
      new SyntheticProfile(
              SyntheticProfile.keys(1, 2, 4), SyntheticProfile::linearMs, 2, 3, 0.02, 0.05)
          .rows(1);
  private static final LatencyModel MODEL =
      Models.of(ROWS, Method.MEDIAN, Method.BOOSTING, Method.FOREST);

  @TempDir Path folder;

  @Test
  void whatIsReadIsWhatWasWritten() throws Exception {
    Path file = ModelFile.write(MODEL, folder.resolve("models").resolve("latency"));
    for (Path path : List.of(file, file.getParent())) {
      LatencyModel read = ModelFile.read(path, SyntheticProfile.DEVICE_KIND);
      assertThat(read.rows()).isEqualTo(MODEL.rows());
      assertThat(read.seed()).isEqualTo(MODEL.seed());
      assertThat(read.choice()).isEqualTo(MODEL.choice());
      assertThat(read.version()).isEqualTo(MODEL.version()).matches("[0-9a-f]{12}");
      assertThat(read.residuals("small", "onnx", Reach.SEEN))
          .isEqualTo(MODEL.residuals("small", "onnx", Reach.SEEN));
      for (LatencyKey key : SyntheticProfile.keys(1, 2, 3, 4, 9)) {
        assertThat(read.predictNs(key)).isEqualTo(MODEL.predictNs(key));
      }
    }
    assertThat(file.getParent()).isDirectoryContaining("glob:**/model.sluice");
  }

  @Test
  void aFileThatStandsThereIsReplaced_andNothingElseStaysBehind() throws Exception {
    Path file = ModelFile.write(MODEL, folder);
    LatencyModel other = Models.ofMedians(ROWS);
    ModelFile.write(other, folder);
    assertThat(ModelFile.read(file).version()).isEqualTo(other.version());
    try (var left = Files.list(folder)) {
      assertThat(left).containsExactly(file);
    }
  }

  /** Fixes the bytes of version 1: a change of them needs a new version of the format. */
  @Test
  void theBytesOfVersion1AreTheseForTheseRows() throws Exception {
    var rows =
        List.of(
            SyntheticProfile.row(SyntheticProfile.key("a", "onnx", 1, 1), 1, 1, 10),
            SyntheticProfile.row(SyntheticProfile.key("a", "onnx", 2, 1), 1, 1, 18),
            SyntheticProfile.row(SyntheticProfile.key("a", "onnx", 1, 1), 2, 1, 12),
            SyntheticProfile.row(SyntheticProfile.key("a", "onnx", 2, 1), 2, 1, 20));
    byte[] bytes = ModelFile.bytes(Models.ofMedians(rows));
    try (var golden = ModelFileTest.class.getResourceAsStream("model-1.sluice")) {
      assertThat(bytes).isEqualTo(golden.readAllBytes());
    }
  }

  @Test
  void aFileCutShortAnywhereIsRefused() throws Exception {
    byte[] whole = ModelFile.bytes(MODEL);
    var random = new Random(1);
    for (int i = 0; i < 60; i++) {
      int length = i < 30 ? i : random.nextInt(whole.length);
      assertRefused(Arrays.copyOf(whole, length), "the latency model is cut short (" + length);
    }
  }

  @Test
  void aFileWithAnyByteChangedIsRefused() throws Exception {
    byte[] whole = ModelFile.bytes(MODEL);
    var random = new Random(2);
    for (int i = 0; i < 100; i++) {
      byte[] changed = whole.clone();
      changed[i < 31 ? i : random.nextInt(changed.length)] ^= 0x40;
      assertRefused(changed, "");
    }
    byte[] longer = Arrays.copyOf(whole, whole.length + 1);
    assertRefused(longer, "the latency model is damaged: its checksum does not fit it");
  }

  @Test
  void aLaterVersionIsRefusedByItsNumber() throws Exception {
    byte[] later = ModelFile.bytes(MODEL);
    later["sluice latency model ".length()] = '2';
    assertRefused(later, "the latency model is of version (2), and this Sluice reads 1");
  }

  @Test
  void anotherFileIsRefused() throws Exception {
    assertRefused("hello".getBytes(StandardCharsets.UTF_8), "this is no latency model");
    assertRefused(new byte[0], "the latency model is cut short (0 bytes)");
    assertThatThrownBy(() -> ModelFile.read(folder.resolve("absent")))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("there is no latency model");
    Path empty = Files.createDirectory(folder.resolve("empty"));
    assertThatThrownBy(() -> ModelFile.read(empty))
        .hasMessageStartingWith(empty.resolve("model.sluice") + ": error: there is no latency");
  }

  @Test
  void aBodyThatMakesNoSenseIsRefused_evenIfItsChecksumFits() throws Exception {
    byte[] whole = ModelFile.bytes(MODEL);
    var random = new Random(3);
    int start = "sluice latency model 1\n".length() + 8;
    for (int i = 0; i < 60; i++) {
      byte[] forged = whole.clone();
      forged[start + random.nextInt(2_000)] ^= (byte) (1 + random.nextInt(255));
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(Arrays.copyOf(forged, forged.length - 32));
      System.arraycopy(digest, 0, forged, forged.length - 32, 32);
      Path file = Files.write(folder.resolve("forged"), forged);
      try {
        LatencyModel read = ModelFile.read(file); // the change replaced one valid number by another
        assertThat(read.rows()).hasSameSizeAs(MODEL.rows());
      } catch (UserMistakeException e) {
        assertThat(e).hasMessageContaining("the latency model makes no sense (");
      }
    }
  }

  @Test
  void aModelForAnotherDeviceKindIsRefused() throws Exception {
    Path file = ModelFile.write(MODEL, folder);
    assertThatThrownBy(() -> ModelFile.read(file, "cpu"))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageStartingWith(
            file
                + ": error: the latency model is for device kind (synthetic), and the lanes are of"
                + " (cpu).\n  Maybe ");
  }

  private void assertRefused(byte[] bytes, String what) throws IOException {
    Path file = Files.write(folder.resolve("bad"), bytes);
    assertThatThrownBy(() -> ModelFile.read(file))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageStartingWith(file + ": error: " + what)
        .hasMessageContaining("./sluice train results/profiles.csv makes it anew");
  }
}
