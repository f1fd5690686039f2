package dev.sluice.cli;

import static dev.sluice.cli.BadInputCommand.held;
import static dev.sluice.cli.BadInputCommand.sluice;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.lane.LatencyTable;
import dev.sluice.executor.latency.LatencyKey;
import dev.sluice.executor.latency.LatencyModel;
import dev.sluice.executor.latency.ModelFile;
import dev.sluice.executor.latency.ProfileFile;
import dev.sluice.executor.latency.ProfileRow;
import dev.sluice.harness.process.MemoryOf;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Profile and train as a person gives them: small emulated lanes, and one real model. */
@Tag("slow")
final class ProfileAndTrainTest {
  private static final String EMULATED =
      """
      seed: 7
      workloads:
      - {name: short, alpha_ms: 2, beta_ms: 0.5, tokens: 50}
      - {name: long, alpha_ms: 6, beta_ms: 1, tokens: 100}
      backends_enabled: [onnx]
      batch_sizes: [1, 2]
      microbatch: {max_batch: 4}
      lanes: {num_lanes: 2, kind: emulated}
      """;

  @TempDir private Path folder;

  private Path results() {
    return folder.resolve("results");
  }

  private Path profiles() {
    return results().resolve("profiles.csv");
  }

  private BadInputCommand profile(String experiment, String... options) throws IOException {
    Path config = Files.writeString(folder.resolve("tiny.yaml"), experiment);
    String[] command = new String[options.length + 4];
    command[0] = "profile";
    command[1] = config.toString();
    command[2] = "--results";
    command[3] = results().toString();
    System.arraycopy(options, 0, command, 4, options.length);
    return sluice(command);
  }

  private BadInputCommand train(String... options) {
    String[] command = new String[options.length + 4];
    command[0] = "train";
    command[1] = profiles().toString();
    command[2] = "--out";
    command[3] = folder.resolve("latency").toString();
    System.arraycopy(options, 0, command, 4, options.length);
    return sluice(command);
  }

  private List<ProfileRow> rows() throws UserMistakeException {
    return ProfileFile.read(profiles()).rows();
  }

  @Test
  void aProfileOfEmulatedLanesGoesOnWhereItWasStopped_andAModelIsTrainedFromIt() throws Exception {
    BadInputCommand first = profile(EMULATED, "--passes", "2", "--repeats", "2");
    assertThat(first.status()).as(first.err()).isZero();
    assertThat(first.out()).contains("16 keys × 4 repeats in 2 passes").contains("emulated");
    assertThat(rows()).hasSize(64).allMatch(row -> row.deviceKind().equals("emulated-linear"));
    assertThat(rows()).filteredOn(row -> row.key().busyLanes() == 2).hasSize(32);
    assertThat(held(results())).containsExactly(results().resolve("latency_table.csv"), profiles());

    Files.writeString(
        profiles(), String.join("\n", Files.readAllLines(profiles()).subList(0, 40)) + "\nemul");
    BadInputCommand second = profile(EMULATED, "--passes", "2", "--repeats", "2");
    assertThat(second.out()).contains("A line at the end of").contains("33 there already");
    assertThat(rows()).hasSize(64);
    assertThat(rows().stream().map(ProfileRow::slot).distinct()).hasSize(64);
    assertThat(profile(EMULATED, "--passes", "2", "--repeats", "2").out())
        .contains("all 64 repeats were there already");

    var table = LatencyTable.read(results().resolve("latency_table.csv"));
    assertThat(table.deviceKind()).isEqualTo("emulated-linear");
    assertThat(table.hasContention()).isTrue();
    assertThat(table.meanMs(new ModelKey("long", "onnx", "fp32"), 4, 2)).isGreaterThan(9.9);

    BadInputCommand trained = train("--json");
    assertThat(trained.status()).as(trained.err()).isZero();
    JsonNode figures = new ObjectMapper().readTree(trained.out());
    assertThat(figures.path("rows").asInt()).isEqualTo(64);
    assertThat(figures.path("seen").path("noise_floor").isNumber()).isTrue();
    assertThat(figures.path("between").path("forest_error").isNumber()).isTrue();
    Path latency = folder.resolve("latency");
    LatencyModel model = ModelFile.read(latency, "emulated-linear");
    assertThat(model.predictNs(new LatencyKey(new ModelKey("long", "onnx", "fp32"), 1, 3, 1)) / 1e6)
        .isGreaterThan(8.9);
    assertThat(model.rows()).hasSize(64);
    String page = Files.readString(latency.resolve("report.html"));
    assertThat(page)
        .contains("(chosen)")
        .doesNotContain("http:")
        .doesNotContain("https:")
        .doesNotContain("src=\"data:image/png;base64,\"");
    assertThat(page.split("data:image/png;base64,", -1)).hasSize(4);
    byte[] before = Files.readAllBytes(latency.resolve("model.sluice"));
    assertThat(train().status()).isZero();
    assertThat(Files.readAllBytes(latency.resolve("model.sluice"))).isEqualTo(before);

    Files.writeString(latency.resolve("report.html"), "<!doctype html>\nof a run");
    train()
        .isRefused(1)
        .says("report.html: error: this file is no report on a latency model, and is not replaced");
    assertThat(latency.resolve("report.html")).hasContent("<!doctype html>\nof a run");
  }

  @Test
  void itSaysSo_whenTheMinutesRunOut_inTheOutputAndInTheFile() throws Exception {
    BadInputCommand short0 = profile(EMULATED, "--minutes", "0.004");
    assertThat(short0.status()).as(short0.err()).isZero();
    assertThat(short0.out()).contains("--minutes 0.004 ran out");
    assertThat(rows().size()).isBetween(1, 479);
    assertThat(ProfileFile.read(profiles()).comments())
        .contains("--minutes 0.004 ran out: " + rows().size() + " of 480 repeats are there");
  }

  @Test
  void aRealModelIsMeasured_withItsMemory() throws Exception {
    BadInputCommand profiled =
        profile(
            """
            workloads: [vit_tiny]
            backends_enabled: [onnx]
            batch_sizes: [1, 2]
            microbatch: {max_batch: 2}
            lanes: {num_lanes: 1}
            """,
            "--passes",
            "2",
            "--repeats",
            "2");
    assertThat(profiled.status()).as(profiled.err()).isZero();
    assertThat(rows()).hasSize(8);
    for (ProfileRow row : rows()) {
      assertThat(row.deviceKind()).isEqualTo("cpu");
      assertThat(row.serviceNs()).isGreaterThan(1_000_000);
      assertThat(row.flopsPerSample()).isGreaterThan(1_000_000_000);
      assertThat(row.parameters()).isGreaterThan(5_000_000);
    }
    assertThat(LatencyTable.read(results().resolve("latency_table.csv")).deviceKind())
        .isEqualTo("emulated-cpu");
    if (MemoryOf.canForgetPeak()) {
      List<String> memory = Files.readAllLines(results().resolve("memory.csv"));
      assertThat(memory).hasSize(5);
      String[] one = memory.get(3).split(",", -1);
      assertThat(one).startsWith("vit_tiny", "onnx", "fp32", "1");
      assertThat(Double.parseDouble(one[4])).isBetween(20.0, 2_000.0); // its weights are 23 MB
      assertThat(List.of(one[5], one[6])).containsExactly("44", "44");
    }
    assertThat(train().status()).isZero();
    assertThat(ModelFile.read(folder.resolve("latency")).deviceKind()).isEqualTo("cpu");
  }

  @Test
  void otherLanesThanBeforeAreRefused_andNothingIsMeasured() throws Exception {
    String experiment =
        "workloads: [vit_tiny]\nbackends_enabled: [onnx]\nbatch_sizes: [1]\n"
            + "microbatch: {enabled: false}\nlanes: {kind: emulated, latency_table: table.csv}\n";
    table("one");
    profile(experiment, "--passes", "1", "--repeats", "1");
    byte[] before = Files.readAllBytes(profiles());
    table("other");
    profile(experiment)
        .isRefused(1)
        .says("is of device kind (one), and these lanes are of (other)")
        .says("you want another --results");
    assertThat(Files.readAllBytes(profiles())).isEqualTo(before);
  }

  private void table(String deviceKind) throws IOException {
    Files.writeString(
        folder.resolve("table.csv"),
        "# device_kind: "
            + deviceKind
            + "\nworkload,backend,precision,samples,mean_ms\nvit_tiny,onnx,fp32,1,2\n");
  }

  @Test
  void mistakesAreRefused_andLeaveNothing() throws Exception {
    profile(EMULATED, "--minutes", "0").isRefused(1).says("--minutes");
    profile(EMULATED, "--repeats", "0").isRefused(1).says("--repeats");
    profile(EMULATED.replace("onnx", "onyx")).isRefused(1).says("tiny.yaml:5");
    profile("workloads: [vit_tiny]\nlanes: {kind: emulated}\n").isRefused(1).says("latency_table");
    assertThat(held(folder)).containsExactly(folder.resolve("tiny.yaml"));
  }

  @Test
  void trainRefusesWhatIsNoProfileOrTooSmallAOne() throws Exception {
    train().isRefused(1).says("the profile does not exist").says("./sluice profile");
    Files.createDirectories(results());
    Files.writeString(profiles(), "");
    train().isRefused(1).says("the profile is empty");
    ProfileFile.create(results().resolve("good.csv"), List.of());
    Files.delete(profiles());
    Files.move(results().resolve("good.csv"), profiles());
    train().isRefused(1).says("the profile holds no row");
    LatencyKey one = new LatencyKey(new ModelKey("a", "onnx", "fp32"), 1, 1, 1);
    LatencyKey two = new LatencyKey(new ModelKey("a", "onnx", "fp32"), 1, 2, 1);
    ProfileFile.append(profiles(), List.of(row(one, 1, 1), row(one, 2, 1)));
    train().isRefused(1).says("the profile has rows of one key only");
    ProfileFile.append(profiles(), List.of(row(two, 1, 1), row(two, 2, 1)));
    train().isRefused(1).says("2 of 2 keys have fewer than 3 rows: 2 more rows are needed");
    train("--device-kind", "gpu").isRefused(1).says("no row of device kind (gpu)");
    ProfileFile.append(profiles(), List.of(row(two, 1, 1)));
    train().isRefused(1).says(":6: error: a second row for a on onnx");
    assertThat(folder.resolve("latency")).doesNotExist();
  }

  private static ProfileRow row(LatencyKey key, int pass, int repeat) {
    return new ProfileRow("cpu", key, pass, repeat, 0, 5_000_000, null, 0, 0);
  }
}
