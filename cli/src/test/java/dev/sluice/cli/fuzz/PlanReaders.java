package dev.sluice.cli.fuzz;

import static dev.sluice.cli.fuzz.FuzzedReader.CONFIGS;
import static dev.sluice.cli.fuzz.FuzzedReader.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.layers.runtime.ScheduleFile;
import dev.sluice.layers.schedule.LayerSchedule.Operation;
import dev.sluice.planning.plan.PlanningFiles;
import dev.sluice.planning.plan.PlanningFiles.Asked;
import dev.sluice.planning.split.PlanProblem;
import dev.sluice.planning.split.PlanProblem.DeviceType;
import dev.sluice.sweep.workspace.Grid;
import dev.sluice.sweep.workspace.GridFile;
import dev.sluice.sweep.workspace.WorkspaceConfig;
import dev.sluice.sweep.workspace.WorkspaceConfig.WorkspaceKey;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Planning files, schedules of layers, and sweeps: files that a person may have written. */
final class PlanReaders {
  private static final Asked ASKED =
      new Asked("google/vit-base-patch16-224", "torch.float32", 8, 2, 2, false);
  private static final String MODELS = planning("models.yml");
  private static final String TYPES = planning("device_types.yml");
  private static final String DEVICES = planning("devices.yml");
  private static final PlanProblem PROBLEM =
      new PlanProblem(
          Collections.nCopies(48, 1.0),
          Collections.nCopies(49, 1L),
          1,
          1,
          List.of(type("mb-0", "mb-1", "mb-2", "mb-3"), type("rcc-0", "rcc-1", "rcc-2", "rcc-3")));
  private static final Map<String, List<String>> LAYERS =
      Map.of(
          "vit_tiny",
          Stream.concat(
                  Stream.of("embedding", "head"),
                  IntStream.range(0, 12).mapToObj(block -> "block_" + block))
              .toList());

  private PlanReaders() {}

  private static DeviceType type(String... hosts) {
    return new DeviceType("type", List.of(hosts), 1, 1, Collections.nCopies(48, 1.0));
  }

  static Stream<FuzzedReader> all() {
    return Stream.of(
        new FuzzedReader(
            "models with layers",
            List.of(MODELS),
            (in, input) -> planning(in, input, bytes(TYPES), bytes(DEVICES))),
        new FuzzedReader(
            "device types",
            List.of(TYPES),
            (in, input) -> planning(in, bytes(MODELS), input, bytes(DEVICES))),
        new FuzzedReader(
            "devices",
            List.of(DEVICES),
            (in, input) -> planning(in, bytes(MODELS), bytes(TYPES), input)),
        new FuzzedReader(
            "schedules of stages", List.of(planning("schedule.yml")), PlanReaders::stages),
        new FuzzedReader(
            "schedules of layers",
            List.of(FuzzedReader.text(CONFIGS.resolve("layers/vit_tiny.yaml"))),
            PlanReaders::layers),
        new FuzzedReader(
            "grids",
            List.of(
                FuzzedReader.text(CONFIGS.resolve("sweeps/policies.yaml"))
                    .replace("../emulated_accelerator.yaml", "g.yaml")),
            PlanReaders::grid),
        new FuzzedReader("workspaces", List.of(workspace()), PlanReaders::workspace));
  }

  private static String planning(String name) {
    return FuzzedReader.text(CONFIGS.resolve("planning").resolve(name));
  }

  private static void planning(Path folder, byte[] models, byte[] types, byte[] devices)
      throws Exception {
    PlanningFiles.Read read =
        new PlanningFiles(
                Files.write(folder.resolve("models.yml"), models),
                Files.write(folder.resolve("types.yml"), types),
                Files.write(folder.resolve("devices.yml"), devices))
            .read(ASKED);
    assertThat(read.problem().hosts()).isPositive();
    assertThat(read.problem().cutBytes()).hasSize(read.problem().layers() + 1);
  }

  private static void stages(Path folder, byte[] input) throws Exception {
    var stages =
        dev.sluice.planning.plan.GivenSchedule.read(
            Files.write(folder.resolve("stages.yml"), input), PROBLEM);
    assertThat(stages.stream().mapToInt(s -> s.lastLayer() - s.firstLayer() + 1).sum())
        .isEqualTo(48);
  }

  private static void layers(Path folder, byte[] input) throws Exception {
    ScheduleFile read = ScheduleFile.read(Files.write(folder.resolve("l.yaml"), input), LAYERS);
    Path written =
        Files.writeString(
            folder.resolve("written.yaml"),
            ScheduleFile.text(read.model(), LAYERS.get(read.model()), read.schedule()));
    ScheduleFile again = ScheduleFile.read(written, LAYERS);
    assertThat(again.model()).isEqualTo(read.model());
    assertThat(unplaced(again.schedule().first())).isEqualTo(unplaced(read.schedule().first()));
    assertThat(unplaced(again.schedule().step())).isEqualTo(unplaced(read.schedule().step()));
  }

  private static List<Operation> unplaced(List<Operation> operations) {
    return operations.stream().map(each -> Operation.made(each.kind(), each.layer())).toList();
  }

  private static void grid(Path folder, byte[] input) throws Exception {
    Grid grid = GridFile.read(Files.write(folder.resolve("g.yaml"), input), null, 2);
    assertThat(grid.slots()).isPositive();
    assertThat(grid.axes()).isNotEmpty();
  }

  private static String workspace() {
    return Arrays.stream(WorkspaceKey.values())
        .filter(key -> key != WorkspaceKey.GPUS)
        .map(key -> key.key() + ": \"" + key.fallback() + "\" # " + key.comment() + "\n")
        .map(line -> line.replaceFirst("\"([0-9.]+|true|false)\"", "$1"))
        .collect(Collectors.joining());
  }

  private static void workspace(Path folder, byte[] input) throws Exception {
    Path file = Files.write(folder.resolve("scheduler_config.yml"), input);
    WorkspaceConfig read = WorkspaceConfig.read(file, folder);
    for (WorkspaceKey key : WorkspaceKey.values()) {
      assertThat(read.written().get(key)).isNotNull();
    }
    FileSystems.getDefault().getPathMatcher("glob:" + read.folders().pattern());
    assertThat(read.rules().perGpu()).isPositive();
    assertThat(read.rules().checkInterval()).isPositive();
  }
}
