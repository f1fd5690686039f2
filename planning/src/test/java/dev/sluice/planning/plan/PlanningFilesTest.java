package dev.sluice.planning.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.planning.plan.PlanningFiles.Asked;
import dev.sluice.planning.split.Plan.Stage;
import dev.sluice.planning.split.PlanProblem;
import dev.sluice.planning.split.PlanProblem.DeviceType;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The planner's files: what is read, what is left out, and what is refused where. */
final class PlanningFilesTest {
  private static final Certainty NONE = new Certainty(null, null);

  private static final String MODELS =
      """
      DummyModel:
        layers: 0
        mem_MB: []
        parameters_in: 0
        parameters_out: []
      small:
        layers: 3
        mem_MB: [1.5, 2, 3e0]
        parameters_in: 10
        parameters_out: [20, 30, 5]
      """;
  private static final String TYPES =
      """
      Dummy:
        bw_Mbps: 0
        mem_MB: 0
        model_profiles:
      slow:
        bw_Mbps: 100
        mem_MB: 512
        model_profiles:
          small:
          - batch_size: 8
            dtype: torch.float32
            time_s: [0.1, 0.2, 0.3]
          - batch_size: 1
            dtype: torch.float16
            time_s: [0.01, 0.02, 0.03]
      fast:
        bw_Mbps: 1000
        mem_MB: 1024
        model_profiles:
          small:
          - batch_size: 8
            dtype: torch.float32
            time_s: [0.01, 0.02, 0.03]
      """;
  private static final String DEVICES =
      """
      Dummy: []
      fast:
      - f-0
      slow:
      - s-0
      - s-1
      ghost: [g-0]
      """;
  private static final Asked ASKED = new Asked("small", "torch.float32", 8, 1, 3, false);

  @TempDir private Path folder;
  private PlanningFiles files = new PlanningFiles(Path.of(""), Path.of(""), Path.of(""));

  @BeforeEach
  void writeFiles() throws IOException {
    files =
        new PlanningFiles(
            Files.writeString(folder.resolve("models.yml"), MODELS),
            Files.writeString(folder.resolve("device_types.yml"), TYPES),
            Files.writeString(folder.resolve("devices.yml"), DEVICES));
  }

  private void models(String from, String to) throws IOException {
    assertThat(MODELS).contains(from);
    Files.writeString(files.models(), MODELS.replace(from, to));
  }

  private void types(String from, String to) throws IOException {
    assertThat(TYPES).contains(from);
    Files.writeString(files.types(), TYPES.replace(from, to));
  }

  private void isRefused(Asked asked, String... parts) {
    assertThatThrownBy(() -> files.read(asked))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContainingAll(parts);
  }

  @Test
  void readsModelTypesAndHosts_dummiesIncluded() throws UserMistakeException {
    var read = files.read(ASKED);
    double mb = 1024 * 1024;
    assertThat(read.problem())
        .isEqualTo(
            new PlanProblem(
                List.of(1.5 * mb, 2 * mb, 3 * mb),
                List.of(10 * 32L, 20 * 32L, 30 * 32L, 5 * 32L),
                1,
                3,
                List.of(
                    new DeviceType(
                        "slow", List.of("s-0", "s-1"), 100 * mb, 512 * mb, List.of(0.1, 0.2, 0.3)),
                    new DeviceType(
                        "fast", List.of("f-0"), 1000 * mb, 1024 * mb, List.of(0.01, 0.02, 0.03)))));
    assertThat(read.certainties()).containsExactly(NONE, NONE);
    assertThat(read.problem().hosts()).isEqualTo(3);
  }

  @Test
  void leavesOut_withAWarning_whatHasNoProfileOrNoEntry() throws UserMistakeException {
    assertThat(files.read(ASKED).warnings())
        .containsExactly(
            files.types()
                + ":1: warning: type (Dummy) is left out: it has no profile of model (small) at"
                + " torch.float32 with batch size 8.",
            files.devices()
                + ":7: warning: type (ghost) is left out: "
                + files.types()
                + " has no such type.");
    assertThat(files.read(new Asked("small", "torch.float16", 1, 1, 3, false)).problem().types())
        .extracting(DeviceType::name)
        .containsExactly("slow");
  }

  @Test
  void refusesAList_thatIsNotAsLongAsTheModel() throws IOException {
    models("mem_MB: [1.5, 2, 3e0]", "mem_MB: [1.5, 2]");
    types("time_s: [0.1, 0.2, 0.3]", "time_s: [0.1, 0.2, 0.3, 0.4]");
    isRefused(
        ASKED,
        "models.yml:8: error: small.mem_MB has (2) values for (3) layers",
        "Maybe values are missing (1), or layers is wrong",
        "device_types.yml:12: error: slow.model_profiles.small.time_s has (4) values",
        "Maybe there are values too many (1)");
  }

  @Test
  void refusesNumbers_thatAreNegativeInfiniteOrMissing() throws IOException {
    models("[1.5, 2, 3e0]", "[1.5, -2, .inf]");
    types("[0.1, 0.2, 0.3]", "[0.1, nothing, 0.3]");
    isRefused(
        ASKED,
        "small.mem_MB, value 2 (-2) must be at least 0",
        "Maybe you meant 2",
        "small.mem_MB, value 3 (.inf) must be a finite number",
        "time_s, value 2 (nothing) must be a finite number");
    models("[20, 30, 5]", "[20, 30.5, ~]");
    types("mem_MB: 512", "mem_MB:");
    Files.writeString(
        files.models(), Files.readString(files.models()).replace("parameters_in: 10", "layer: 1"));
    isRefused(
        ASKED,
        "small.parameters_in is missing",
        "value 2 (30.5) must be a whole number",
        "a number is missing between two commas",
        "slow.mem_MB is missing");
  }

  @Test
  void refusesAnUnknownModel_dtypeOrBatchSize_andListsThoseProfiled() {
    isRefused(
        new Asked("smal", "torch.float32", 8, 1, 3, false),
        "models.yml:1: error: the model (smal) is unknown",
        "Maybe you meant small. Known models: DummyModel, small");
    isRefused(
        new Asked("small", "torch.float64", 8, 1, 3, false),
        "--dtype: error: the dtype (torch.float64) is unknown",
        "torch.bfloat16, torch.float16, torch.float32");
    isRefused(
        new Asked("small", "torch.float32", 4, 1, 3, false),
        "no type has a profile of model (small) at torch.float32 with batch size 4",
        "torch.float16 with batch size 1, torch.float32 with batch size 8");
    isRefused(
        new Asked("small", "torch.float32", 0, 1, 3, false),
        "--batch-size: error: the batch size (0)");
    isRefused(
        new Asked("DummyModel", "torch.float32", 8, 1, 3, false),
        "models.yml:2: error: the model (DummyModel) has no layers");
  }

  @Test
  void refusesAProfile_thatStandsTwice() throws IOException {
    types("batch_size: 1\n      dtype: torch.float16", "batch_size: 8\n      dtype: torch.float32");
    isRefused(
        ASKED,
        "device_types.yml:13: error: slow.model_profiles.small has a second profile at"
            + " torch.float32 with batch size 8, the first at",
        "device_types.yml:10");
  }

  @Test
  void refusesAHost_thatStandsTwice_andNoHostAtAll() throws IOException {
    Files.writeString(files.devices(), DEVICES.replace("s-1", "f-0"));
    isRefused(ASKED, "devices.yml:6: error: host (f-0) is here a second time, first at", ":3");
    Files.writeString(files.devices(), "slow: []\nghost: [g-0]\n");
    isRefused(ASKED, "devices.yml: error: no host is left", "slow, fast");
    Files.writeString(files.devices(), "slow: s-0\n");
    isRefused(ASKED, "devices.yml:1: error: slow must be a list of hosts");
  }

  @Test
  void refusesKeys_thatAreNearlyKnown() throws IOException {
    models("  mem_MB: [1.5", "  mem_Mb: [1.5");
    types(
        "model_profiles:\n"
            + "    small:\n"
            + "    - batch_size: 8\n"
            + "      dtype: torch.float32\n"
            + "      time_s: [0.01",
        "model_profile:\n"
            + "    small:\n"
            + "    - batch_size: 8\n"
            + "      dtype: torch.float32\n"
            + "      time_s: [0.01");
    isRefused(
        ASKED,
        "the key small.mem_Mb is unknown",
        "Maybe you meant mem_MB",
        "the key fast.model_profile is unknown");
  }

  @Test
  void refusesHugeFiles_andExplodingAliases() throws IOException {
    var bomb = new StringBuilder("a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n");
    for (int i = 1; i < 12; i++) {
      String alias = "*a" + (i - 1);
      bomb.append(
          "a%d: &a%d [%s]\n".formatted(i, i, String.join(", ", Collections.nCopies(10, alias))));
    }
    Files.writeString(files.devices(), bomb);
    isRefused(ASKED, "devices.yml:", "the file holds more than 2000000 values", "an alias (*)");
    try (var file = new RandomAccessFile(files.devices().toFile(), "rw")) {
      file.setLength(100L << 20); // a hole: no byte is written
    }
    isRefused(ASKED, "devices.yml: error: the file holds (100) MiB, more than 64");
    Files.delete(files.devices());
    isRefused(ASKED, "devices.yml: error: the file does not exist", "--dev-file");
    Files.writeString(files.devices(), "");
    isRefused(ASKED, "devices.yml: error: the file is empty");
    Files.writeString(files.devices(), "- a\n");
    isRefused(ASKED, "devices.yml:1: error: the file is no mapping of device types with hosts");
  }

  @Test
  void repeatsWhatIsTooShort_andTakesNothingForAnAnswer_whenCompatible() throws Exception {
    models("[20, 30, 5]", "[20, 30]");
    isRefused(ASKED, "parameters_out has (2) values for (3) layers");
    var read = files.read(new Asked("small", "torch.float32", 8, 1, 3, true));
    assertThat(read.problem().cutBytes()).containsExactly(10 * 32L, 20 * 32L, 30 * 32L, 20 * 32L);
    assertThat(read.warnings().get(0)).contains("they are repeated");
    assertThat(files.read(new Asked("small", "torch.float32", 4, 1, 3, true)).problem().hosts())
        .isZero();
  }

  @Test
  void readsASchedule_andRefusesGapsOverlapsAndUnknownHosts() throws Exception {
    Path file = folder.resolve("schedule.yml");
    Files.writeString(file, "- f-0: [1, 2]\n- 10.0.0.1: [3, 3]\n");
    assertThat(GivenSchedule.read(file, problem("f-0", "s-0", "10.0.0.1")))
        .containsExactly(new Stage(0, 0, 1, 2), new Stage(2, 0, 3, 3));
    refusesSchedule(file, "- f-0: [1, 1]\n- s-0: [3, 3]\n", ":2: error: layers [3, 3] leave a gap");
    refusesSchedule(file, "- f-0: [1, 2]\n- s-0: [2, 3]\n", ":2: error: layers [2, 3] overlap");
    refusesSchedule(file, "- f-0: [1, 2]\n", "ends at layer (2), and the model has (3)");
    refusesSchedule(file, "- f-0: [1, 4]\n", "ends at layer (4), and the model has (3)");
    refusesSchedule(file, "- f-0: [1, 2]\n- s-1: [3, 3]\n", "host (s-1) is unknown");
    refusesSchedule(file, "- f-0: [3, 1]\n", "end before they begin");
    refusesSchedule(file, "- f-0: [1]\n", "must be a host with its first and last layer");
    refusesSchedule(file, "- f-0: [-1, 2]\n", "must be a host with its first and last layer");
    refusesSchedule(file, "[]\n", "a schedule is a list of stages");
  }

  /** Three layers, and a type for each host. */
  private static PlanProblem problem(String... hosts) {
    List<Double> seconds = List.of(1.0, 1.0, 1.0);
    return new PlanProblem(
        seconds,
        List.of(0L, 0L, 0L, 0L),
        1,
        1,
        Stream.of(hosts)
            .map(host -> new DeviceType("type of " + host, List.of(host), 1, 1, seconds))
            .toList());
  }

  private static void refusesSchedule(Path file, String text, String part) throws IOException {
    Files.writeString(file, text);
    assertThatThrownBy(() -> GivenSchedule.read(file, problem("f-0", "s-0")))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining(part);
  }
}
