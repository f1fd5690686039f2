package dev.sluice.cli;

import static dev.sluice.cli.BadInputCommand.sluice;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From a profile of layers to a plan that runs here. */
final class LayersCommandTest {
  @TempDir private Path folder;

  private BadInputCommand profile(String... more) {
    List<String> arguments = new ArrayList<>(List.of("profile", "--results", folder.toString()));
    arguments.addAll(List.of(more));
    return sluice(arguments.toArray(new String[0]));
  }

  private BadInputCommand executed(Path devices) {
    return sluice(
        "plan",
        "-m",
        "vit_tiny",
        "-b",
        "2",
        "-M",
        folder.resolve("models.yml").toString(),
        "-T",
        folder.resolve("device_types.yml").toString(),
        "-D",
        devices.toString(),
        "--execute",
        "--seconds",
        "1");
  }

  @Tag("loop")
  @Test
  void layersAreMeasured_planned_andRunAsPlanned() throws Exception {
    String[] measure = {
      "--layers",
      "vit_tiny",
      "-b",
      "2",
      "--device-type",
      "here",
      "--bw-mbps",
      "1000",
      "--mem-mb",
      "4096",
      "--passes",
      "1",
      "--repeats",
      "2"
    };
    assertThat(profile(measure).status()).isZero();
    assertThat(folder.resolve("models.yml")).content().contains("vit_tiny:\n  layers: 48\n");
    assertThat(profile(measure).status()).isEqualTo(2);
    Path devices = Files.writeString(folder.resolve("devices.yml"), "here: [one, two]\n");

    BadInputCommand executed = executed(devices);

    assertThat(executed.status()).as(executed.err()).isZero();
    assertThat(executed.out()).startsWith("- one: [1, ").contains("- two: [").endsWith(", 48]\n");
    assertThat(executed.err())
        .contains("vit_tiny in 2 stages here", "samples/s predicted", "bit for bit");
    try (var left = Files.list(folder)) {
      assertThat(left.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder("models.yml", "device_types.yml", "devices.yml");
    }
  }

  @Test
  void mistakesAreNamed_andNothingIsMeasured() {
    assertThat(profile("--layers", "vit_tyni", "--device-type", "a").err())
        .contains("--layers: error: model (vit_tyni) is unknown.", "you meant vit_tiny");
    assertThat(profile("--layers", "vit").err()).contains("--device-type: error:");
    assertThat(profile("--layers", "vit", "--device-type", "a", "--mem-mb", "1").err())
        .contains("--bw-mbps: error: the device type (a) is not in");
    assertThat(profile("--layers", "vit", "--device-type", "a", "-b", "0").err())
        .contains("--batch-size: error: the value (0.0) must be between 1 and 256");
    assertThat(profile("--layers", "vit", "--minutes", "1").err())
        .contains("--layers: error: layers have no experiment (CONFIG), --set or --minutes");
    assertThat(profile("--device-type", "a").err())
        .contains("profile: error: an experiment file (CONFIG) or --layers is missing");
    assertThat(folder).isEmptyDirectory();
  }
}
