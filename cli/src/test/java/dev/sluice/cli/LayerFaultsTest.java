package dev.sluice.cli;

import static dev.sluice.cli.BadInputCommand.sluice;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.contract.file.Sha256;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.model.ModelProgress;
import dev.sluice.layers.parameters.SafetensorsFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs and trainings by layers that a person, a file or a disk ends. */
@Tag("loop")
final class LayerFaultsTest {
  private static final String FOREVER = "1000000";

  @TempDir private Path folder;
  private SluiceProcess process;

  private void start(String... arguments) throws IOException {
    process = SluiceProcess.piped(List.of(arguments));
  }

  @AfterEach
  void endProcess() throws InterruptedException {
    if (process != null) {
      process.close();
    }
  }

  private void isStoppedByCtrlC() throws Exception {
    Screen screen = process.screen();
    process.signal("INT");
    assertThat(process.exitStatus()).as(screen.text()).isEqualTo(130);
    screen.await("Stopped after the layer that was being computed", SluiceProcess.LIMIT);
    assertThat(screen.text()).doesNotContain("Exception");
  }

  @ParameterizedTest
  @ValueSource(strings = {"inference of vit_tiny by layers", "schedule"}) // it starts, it computes
  void ctrlCEndsARun_behindALayer(String told) throws Exception {
    Path trace = folder.resolve("trace");
    start(
        "layers",
        "run",
        "vit_tiny",
        "--budget",
        "6MB",
        "--schedule",
        "prefetch 1",
        "--steps",
        FOREVER,
        "--trace",
        trace.toString());
    process.screen().await(told, SluiceProcess.LIMIT);
    isStoppedByCtrlC();
    assertThat(trace).doesNotExist();
    assertThat(folder.resolve("trace.failed")).isDirectory();
  }

  @Test
  void ctrlCEndsATraining_whichGoesOn_andWhoseFolderNobodyElseGetsMeanwhile() throws Exception {
    Path out = folder.resolve("out");
    String[] training = {"layers", "train", "vit_micro", "--out", out.toString()};
    start(with(training, "--schedule", "on_demand", "--steps", FOREVER));
    process.screen().await("loss", SluiceProcess.LIMIT);
    BadInputCommand second = sluice(with(training, "--resume"));
    assertThat(second.status()).isEqualTo(2);
    assertThat(second.err())
        .contains(
            "another process (pid "
                + process.handle().pid()
                + ") works in the folder ("
                + out
                + ")");

    isStoppedByCtrlC();
    int step =
        new ObjectMapper().readTree(out.resolve("manifest.json").toFile()).get("step").asInt();
    assertThat(step).isPositive();
    BadInputCommand resumed =
        sluice(with(training, "--resume", "--steps", Integer.toString(step + 1)));
    assertThat(resumed.status()).as(resumed.err()).isZero();
    assertThat(resumed.out()).contains("after step " + step);
  }

  private static String[] with(String[] common, String... more) {
    return Stream.concat(Stream.of(common), Stream.of(more)).toArray(String[]::new);
  }

  @Test
  void aValueThatIsNoNumberEndsARun_namedByLayerTensorAndIndex() throws Exception {
    Path cache = folder.resolve("cache");
    Path weights = new ModelCache(cache).weights("vit_tiny", ModelProgress.none());
    String tensor = "encoder.layers.encoder_layer_2.ln_1.bias";
    long offset;
    try (SafetensorsFile file = SafetensorsFile.open(weights)) {
      offset =
          file.entries().stream()
              .filter(entry -> entry.tensor().name().equals(tensor))
              .findFirst()
              .orElseThrow()
              .offset();
    }
    try (FileChannel channel = FileChannel.open(weights, StandardOpenOption.WRITE)) {
      ByteBuffer nan = ByteBuffer.allocate(Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
      channel.write(nan.putFloat(Float.NaN).flip(), offset + 5 * Float.BYTES);
    }
    Path hash = weights.resolveSibling(weights.getFileName() + ".sha256");
    String now = HexFormat.of().formatHex(Sha256.begin().digest(Files.readAllBytes(weights)));
    Files.writeString(hash, now + "  " + weights.getFileName() + "\n");

    BadInputCommand run =
        BadInputCommand.sluiceWithCache(
            cache, folder, "layers", "run", "vit_tiny", "--steps", "1", "--check-finite");
    assertThat(run.status()).as(run.out()).isEqualTo(1);
    assertThat(run.err())
        .startsWith(
            "sluice: error: layer block_2 could not be read: tensor ("
                + tensor
                + ") holds NaN at index 5.\n  Maybe ")
        .doesNotContain("Exception");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{\"version\": 1, \"model\": \"another\"}", "no JSON"})
  void aForeignManifestIsRefused_beforeAnythingIsTimed(String manifest) throws Exception {
    Files.writeString(folder.resolve("manifest.json"), manifest);
    for (String more : List.of("--resume", "--check-finite")) {
      BadInputCommand train = sluice("layers", "train", "vit_micro", "--out", folder + "", more);
      assertThat(train.status()).isEqualTo(2);
      assertThat(train.err()).contains(folder.toString(), ": error: ", "\n  Maybe ");
      assertThat(train.out()).doesNotContain("schedule");
      assertThat(folder.resolve("manifest.json")).content().isEqualTo(manifest);
    }
  }

  @Test
  void aFullDiskEndsATraining_whichGoesOnOnceThereIsRoom() throws Exception {
    String[] training = {"layers", "train", "vit_micro", "--schedule", "on_demand", "--steps", "3"};
    Path whole = folder.resolve("whole");
    assertThat(sluice(with(training, "--out", whole.toString())).status()).isZero();

    long bytes = 0;
    try (var layers = Files.newDirectoryStream(whole, "*.safetensors")) {
      for (Path layer : layers) {
        bytes += Files.size(layer);
      }
    }
    // one step has room, and not the next one beside it
    try (var disk = SmallDisk.mount(folder.resolve("disk"), 3 * bytes / 2)) {
      Path out = disk.folder().resolve("out");
      BadInputCommand full = sluice(with(training, "--out", out.toString()));
      assertThat(full.status()).as(full.out()).isEqualTo(2);
      assertThat(full.err())
          .isEqualTo(
              out
                  + ": error: the training cannot be written (no space left on device).\n"
                  + "  Maybe make room there; --resume then goes on behind step 0.\n");
      BadInputCommand again = sluice(with(training, "--out", out.toString(), "--resume"));
      assertThat(again.err()).isEqualTo(full.err());

      disk.resize(4 * bytes);
      assertThat(sluice(with(training, "--out", out.toString(), "--resume")).status()).isZero();
      assertThat(BadInputCommand.held(out)).hasSameSizeAs(BadInputCommand.held(whole));
      for (Path file : BadInputCommand.held(whole)) {
        assertThat(out.resolve(file.getFileName())).hasSameBinaryContentAs(file);
      }
    }
  }
}
