package dev.sluice.planning.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.network.Network;
import dev.sluice.executor.network.Workloads;
import dev.sluice.planning.pipeline.PlanFiles.BatchTimes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a profile of layers adds to the two files, and what it leaves alone. */
final class PlanFilesTest {
  private static final Network NETWORK = Workloads.network("resnet18");
  private static final String OTHERS =
      """
      Dummy:
        bw_Mbps: 0
        mem_MB: 0
        model_profiles:
      other:
        bw_Mbps: 500
        mem_MB: 2048
        model_profiles:
          google/vit-base-patch16-224:
          - batch_size: 8
            dtype: torch.float32
            time_s: [0.4647976398468018, 0.081429123878479]
      """;

  @TempDir private Path folder;

  @Test
  void writesBothFilesInTheSeedsForm() throws Exception {
    add(files(1000.0, 4096.5, false, 8), 0.25, 8);

    assertThat(folder.resolve("models.yml"))
        .content()
        .startsWith("resnet18:\n  layers: 10\n  mem_MB: [2, 2, 2, 2, 2, 2, 2, 2, 2, 2]\n")
        .contains("\n  parameters_in: 150528\n  parameters_out: [200704, 200704, 200704, 100352,");
    assertThat(folder.resolve("device_types.yml"))
        .hasContent(
            """
            laptop:
              bw_Mbps: 1000
              mem_MB: 4096.5
              model_profiles:
                resnet18:
                - batch_size: 8
                  dtype: torch.float32
                  time_s: [0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25]
                  time_spread: 0.125
                  whole_s: 7.5
            """);
  }

  @Test
  void keepsWhatIsThere() throws Exception {
    Files.writeString(folder.resolve("device_types.yml"), OTHERS);

    add(files(1000.0, 4096.0, false, 8), 0.00025, 8);

    assertThat(folder.resolve("device_types.yml"))
        .content()
        .startsWith(OTHERS)
        .contains("\nlaptop:\n", "time_s: [0.00025, ");
  }

  @Test
  void addsAnotherBatchSize_andReplacesOneByForce() throws Exception {
    add(files(1000.0, 4096.0, false, 8), 0.25, 8);
    PlanFiles one = files(null, null, false, 1);
    assertThat(one.check(Map.of("resnet18", NETWORK))).containsExactly("resnet18");
    add(one, 0.5, 1);
    PlanFiles eight = files(null, null, true, 8);
    eight.check(Map.of("resnet18", NETWORK));
    add(eight, 0.75, 8);

    assertThat(folder.resolve("device_types.yml"))
        .content()
        .containsSubsequence("bw_Mbps: 1000", "batch_size: 8", "0.75", "batch_size: 1", "0.5")
        .doesNotContain("0.25,");
  }

  @Test
  void refusesWhatIsThere_withItsLine() throws Exception {
    add(files(1000.0, 4096.0, false, 8), 0.25, 8);
    PlanFiles again = files(500.0, 4096.0, false, 8);

    assertThatThrownBy(() -> again.check(Map.of("resnet18", NETWORK)))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("device_types.yml:2: error: bw_Mbps of (laptop) is (1000), not (500)")
        .hasMessageContaining(
            "device_types.yml:6: error: the profile of (resnet18) with batch size")
        .hasMessageContaining("Maybe you want --force");
  }

  @Test
  void refusesAModelWithOtherLayers_unlessForced() throws Exception {
    Files.writeString(folder.resolve("models.yml"), "\nresnet18:\n  layers: 3\n");

    assertThatThrownBy(() -> files(1.0, 1.0, false, 8).check(Map.of("resnet18", NETWORK)))
        .hasMessageContaining(
            "models.yml:2: error: the model (resnet18) is there with other layers");
    assertThat(files(1.0, 1.0, true, 8).check(Map.of("resnet18", NETWORK))).isEmpty();
  }

  @Test
  void refusesATypeWithoutBandwidth_andAFileOfAnotherKind() throws Exception {
    assertThatThrownBy(() -> files(null, 1.0, false, 8).check(Map.of()))
        .hasMessageContaining("--bw-mbps: error: the device type (laptop) is not in");
    Files.writeString(folder.resolve("models.yml"), "- a\n- b\n");
    assertThatThrownBy(() -> files(1.0, 1.0, false, 8).check(Map.of()))
        .hasMessageContaining("models.yml:1: error: the file is no mapping of names");
  }

  private PlanFiles files(
      @Nullable Double bandwidth, @Nullable Double memory, boolean force, int samples) {
    return new PlanFiles(
        new LayerProfileRun.Options(
            List.of("resnet18"),
            List.of(samples),
            "laptop",
            bandwidth,
            memory,
            1,
            1,
            1,
            folder,
            force));
  }

  private static void add(PlanFiles files, double seconds, int samples) throws Exception {
    files.add(
        "resnet18",
        NETWORK,
        Collections.nCopies(10, 2L << 20),
        List.of(new BatchTimes(samples, Collections.nCopies(10, seconds), 0.125, 7.5)));
  }
}
