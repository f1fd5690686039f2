package dev.sluice.cli;

import static dev.sluice.cli.BadInputCommand.sluice;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.harness.frame.ExitStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code ./sluice plan} prints, and its exit status. */
final class PlanCommandTest {
  private static final Path CONFIGS = Path.of("../configs/planning");
  private static final String EIGHT_LINES =
      """
      - mb-0: [1, 5]
      - rcc-0: [6, 12]
      - mb-1: [13, 17]
      - rcc-1: [18, 24]
      - mb-2: [25, 29]
      - rcc-2: [30, 36]
      - mb-3: [37, 41]
      - rcc-3: [42, 48]
      """;

  @TempDir private Path folder;

  private static BadInputCommand plan(Path types, Path devices, String... more) {
    List<String> arguments = new ArrayList<>(List.of("plan"));
    arguments.addAll(List.of("-M", CONFIGS.resolve("models.yml").toString()));
    arguments.addAll(List.of("-T", types.toString(), "-D", devices.toString()));
    arguments.addAll(List.of(more));
    return sluice(arguments.toArray(new String[0]));
  }

  private static BadInputCommand plan(String... more) {
    return plan(CONFIGS.resolve("device_types.yml"), CONFIGS.resolve("devices.yml"), more);
  }

  private static JsonNode json(BadInputCommand ended) throws IOException {
    return new ObjectMapper().readTree(ended.out());
  }

  /** The types' file with less memory on all devices. */
  private Path typesWithMemory(int mb) throws IOException {
    String types = Files.readString(CONFIGS.resolve("device_types.yml"));
    return Files.writeString(
        folder.resolve("types.yml"),
        types.replace("mem_MB: 2048", "mem_MB: " + mb).replace("mem_MB: 8192", "mem_MB: " + mb));
  }

  @Test
  void printsTheBestPlan_asAYamlList_andNothingElse() {
    var ended = plan("-m", "google/vit-base-patch16-224", "-b", "8");
    assertThat(ended.status()).isZero();
    assertThat(ended.out()).isEqualTo(EIGHT_LINES);
    assertThat(ended.err().lines()).allMatch(line -> line.contains(": warning: "));
    assertThat(plan().out()).isEqualTo(EIGHT_LINES);
  }

  /** The warning comes before the pipeline, which refuses a model of which it has no network. */
  @Test
  void executedOfDoubtfulTimes_itWarns_withACommandThatMeasuresThemAgain() throws IOException {
    Path models = folder.resolve("models.yml");
    Path types = folder.resolve("device_types.yml");
    Files.writeString(
        models, "own: {layers: 2, mem_MB: [1, 1], parameters_in: 9, parameters_out: [9, 9]}\n");
    Files.writeString(
        types,
        """
        here:
          bw_Mbps: 1000
          mem_MB: 4096
          model_profiles:
            own:
            - {batch_size: 4, dtype: torch.float32, time_s: [0.1, 0.3], time_spread: 0.5, whole_s: 0.4}
        """);
    Path devices = Files.writeString(folder.resolve("devices.yml"), "here: [a, b]\n");
    BadInputCommand ended =
        sluice(
            "plan",
            "-m",
            "own",
            "-b",
            "4",
            "-M",
            models.toString(),
            "-T",
            types.toString(),
            "-D",
            devices.toString(),
            "--execute");
    assertThat(ended.err())
        .contains("warning: the times of (here) are not sure")
        .contains("spread by 50.0 %, and the layers alone add up to 1.00 of the whole model.");
    String again =
        "profile --layers own -b 4 --device-type here --results %s --passes 10 --force"
            .formatted(folder.toAbsolutePath());
    assertThat(ended.err()).contains("./sluice " + again + "\n");
    sluice(again.split(" ")).isRefused(1).says("--layers: error: model (own) is unknown");
  }

  @Test
  void plansAModelTwiceAsLong() throws IOException {
    JsonNode plan = json(plan("-m", "google/vit-large-patch16-224", "--json"));
    assertThat(plan.at("/status").asText()).isEqualTo("optimal");
    assertThat(plan.at("/stages/0/host").asText()).isEqualTo("rcc-0");
    assertThat(plan.at("/stages/0/layers").toString()).isEqualTo("[1,13]");
    assertThat(plan.at("/bottleneck_s").asDouble()).isCloseTo(5.091929, within(1e-6));
    assertThat(plan.at("/bytes_sent").asLong()).isEqualTo(71_008_256);
  }

  @Test
  void jsonHoldsWhatTheTableShows() throws IOException {
    JsonNode plan = json(plan("--json"));
    assertThat(plan.at("/bottleneck_s").asDouble()).isCloseTo(1.539864, within(1e-6));
    assertThat(plan.at("/lower_bound_s").asDouble()).isCloseTo(1.539864, within(1e-6));
    assertThat(plan.at("/samples_per_s").asDouble()).isCloseTo(8 / 1.539864, within(1e-4));
    assertThat(plan.at("/bytes_sent").asLong()).isEqualTo(53_256_192);
    assertThat(plan.at("/gap").asDouble(1)).isZero();
    assertThat(plan.at("/unused_hosts")).isEmpty();
    assertThat(plan.at("/stages")).hasSize(8);
    assertThat(plan.at("/stages/7/transfer_s").asDouble(1)).isZero();
    assertThat(plan.at("/warnings/0").asText()).contains("DummyDeviceType");
  }

  @Test
  void usesNoMoreHostsThanAllowed() throws IOException {
    assertThat(plan("--max-hosts", "1").out()).isEqualTo("- rcc-0: [1, 48]\n");
    JsonNode plan = json(plan("--max-hosts", "3", "--json"));
    assertThat(plan.at("/stages")).hasSizeLessThanOrEqualTo(3);
    assertThat(plan.at("/unused_hosts").size() + plan.at("/stages").size()).isEqualTo(8);
  }

  @Test
  void plansForTheShortestLatency_ifAsked() throws IOException {
    assertThat(plan("--objective", "latency").out()).isEqualTo("- rcc-0: [1, 48]\n");
    Path small = typesWithMemory(700);
    Path devices = CONFIGS.resolve("devices.yml");
    JsonNode quickest = json(plan(small, devices, "--objective", "latency", "--json"));
    JsonNode most = json(plan(small, devices, "--json"));
    assertThat(quickest.at("/status").asText()).isEqualTo("optimal");
    assertThat(quickest.at("/stages")).hasSizeBetween(2, 8);
    assertThat(quickest.at("/latency_s").asDouble())
        .isCloseTo(quickest.at("/lower_bound_s").asDouble(), within(1e-9))
        .isLessThan(most.at("/latency_s").asDouble());
    assertThat(quickest.at("/bottleneck_s").asDouble())
        .isGreaterThan(most.at("/bottleneck_s").asDouble());
  }

  @Test
  void endsWithTheBestPlanFound_andABound_whenTimeIsUp() throws IOException {
    JsonNode plan = json(plan("--limit", "0ms", "--json"));
    assertThat(plan.at("/status").asText()).isEqualTo("best_found");
    assertThat(plan.at("/verdict").asText()).matches("within \\d+\\.\\d % of the optimum");
    assertThat(plan.at("/gap").asDouble(-1)).isNotNegative();
    assertThat(plan.at("/lower_bound_s").asDouble())
        .isLessThanOrEqualTo(1.539865)
        .isLessThanOrEqualTo(plan.at("/bottleneck_s").asDouble() + 1e-9);
  }

  @Test
  void showsAnotherSetOfDevices_besideThisOne() throws IOException {
    var ended = plan("--what-if", "RCC-VE-C2558+2");
    assertThat(ended.out()).isEqualTo(EIGHT_LINES);
    assertThat(ended.err()).contains("what if       RCC-VE-C2558+2").contains("RCC-VE-C2558+2: [");
    JsonNode fewer = json(plan("--what-if", "RCC-VE-C2558-4", "--json"));
    assertThat(fewer.at("/what_if/bottleneck_s").asDouble())
        .isGreaterThan(fewer.at("/bottleneck_s").asDouble());
    plan("--what-if", "RCC+1").isRefused(1).says("the device type (RCC) is unknown");
    plan("--what-if", "RCC-VE-C2558-5").isRefused(1).says("has (4) hosts, fewer than (5)");
    plan("--what-if", "two more").isRefused(1).says("you meant a form like TYPE+2");
  }

  @Test
  void pricesAGivenSchedule_andNamesWhatBreaksIt() throws IOException {
    Path schedule = folder.resolve("schedule.yml");
    Files.writeString(schedule, EIGHT_LINES);
    var ended = plan("--evaluate", schedule.toString());
    assertThat(ended.status()).isZero();
    assertThat(ended.out())
        .contains("bottleneck    1.539864 s")
        .contains("mb-0   Minnowboard-E3845  1-5     ###### 1.5399")
        .contains("the schedule breaks no rule");
    Files.writeString(schedule, "- mb-0: [1, 5]\n- rcc-0: [6, 47]\n- mb-0: [48, 48]\n");
    var illegal =
        plan(
            typesWithMemory(900),
            CONFIGS.resolve("devices.yml"),
            "--evaluate",
            schedule.toString());
    assertThat(illegal.status()).isEqualTo(ExitStatus.FAULTS);
    assertThat(illegal.out())
        .contains("memory exceeded: rcc-0 [6, 47] needs ")
        .contains("host used twice: mb-0 [48, 48]");
    JsonNode json =
        json(
            plan(
                typesWithMemory(900),
                CONFIGS.resolve("devices.yml"),
                "--evaluate",
                schedule.toString(),
                "--json"));
    assertThat(json.at("/status").asText()).isEqualTo("illegal");
    assertThat(json.at("/broken_rules")).hasSize(2);
    Files.writeString(schedule, "- mb-0: [1, 5]\n");
    plan("--evaluate", schedule.toString()).says("ends at layer (5), and the model has (48)");
    plan("--evaluate", schedule.toString(), "--max-hosts", "2").isRefused(1);
  }

  @Test
  void saysThatThereIsNoPlan_withTheReason_andExits3() throws IOException {
    var nowhere = plan(typesWithMemory(20), CONFIGS.resolve("devices.yml"));
    assertThat(nowhere.status()).isEqualTo(ExitStatus.FAULTS);
    assertThat(nowhere.out()).isEmpty();
    assertThat(nowhere.err())
        .contains("proved: there is no plan, since layer (")
        .contains(" fits nowhere");
    var together = plan(typesWithMemory(500), CONFIGS.resolve("devices.yml"), "--max-hosts", "2");
    assertThat(together.err())
        .contains("all layers need")
        .contains("the hosts that may be used have 1000.0 MiB together");
    var compatible = plan(typesWithMemory(20), CONFIGS.resolve("devices.yml"), "--compatible");
    assertThat(compatible.status()).isZero();
    assertThat(compatible.out()).isEqualTo("[]\n");
  }

  @Test
  void isAnEmptyList_withoutAProfile_whenCompatible() {
    var ended = plan("-b", "4", "--compatible");
    assertThat(ended.status()).isZero();
    assertThat(ended.out()).isEqualTo("[]\n");
    plan("-b", "4").isRefused(1).says("torch.float32 with batch size 8");
  }

  @Test
  void drawsThePlan() throws IOException {
    Path picture = folder.resolve("plan.png");
    assertThat(plan("--plot", picture.toString()).status()).isZero();
    assertThat(ImageIO.read(picture.toFile()).getWidth()).isEqualTo(1200);
    var ended = plan("--plot", folder.resolve("no/plan.png").toString());
    assertThat(ended.status()).isEqualTo(2);
    assertThat(ended.err()).contains("--plot: error: (").contains("cannot be written");
  }

  @Test
  void drawsInThePlaceOfAnOlderPicture_andReplacesNoOtherFile() throws IOException {
    Path picture = folder.resolve("plan.png");
    Path link = Files.createSymbolicLink(folder.resolve("link.png"), picture);
    assertThat(plan("--plot", picture.toString()).status()).isZero();
    assertThat(plan("--plot", link.toString()).status()).isZero();
    assertThat(link).isSymbolicLink();
    Path table = Files.writeString(folder.resolve("trace.csv"), "job_id\n");
    plan("--plot", table.toString())
        .isRefused(1)
        .says(table + ": error: this file is no PNG picture, and is not replaced.");
    assertThat(table).hasContent("job_id\n");
  }

  @Test
  void refusesOptions_thatMakeNoSense() {
    plan("--objective", "latenci").isRefused(1).says("Maybe you meant latency");
    plan("--limit", "soon").isRefused(1).says("(soon) is no time");
    plan("--max-hosts", "0").isRefused(1).says("--max-hosts (0) must be at least 1");
    plan("--buffers-in", "-1").isRefused(1).says("you meant 1");
    plan("--seconds", "5").isRefused(1).says("the option needs --execute");
    plan("-d", "float32").isRefused(1).says("the dtype (float32) is unknown");
    plan("-m", "google/vit-base-patch16-225").isRefused(1).says("google/vit-base-patch16-224");
    sluice("plan").isRefused(1).says("models.yml: error: the file does not exist");
  }
}
