package dev.sluice.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.Launch;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The layer runtime, each measurement in a process of its own: wall time over the ideal at 700
 * MB/s, {@code on_demand} over {@code auto} there, a training step over that of the whole graph,
 * and memory.
 */
final class LayersBench implements Bench {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Environment in which the C library gives freed memory back at once. */
  private static final Map<String, String> FREED_AT_ONCE =
      Map.of("MALLOC_MMAP_THRESHOLD_", "65536", "MALLOC_TRIM_THRESHOLD_", "65536");

  private static final String BYTES_PER_SECOND = "700000000";
  private static final String BUDGET_BYTES = "64000000";

  private static final Row WALL = Row.atMost("layers_wall_per_ideal_700", "", 1.05);
  private static final Row ON_DEMAND = Row.atLeast("layers_on_demand_per_auto_700", "", 1.2);
  private static final Row TRAINING = Row.atMost("layers_training_step", "", 1.5);
  private static final Row MEMORY = Row.atMost("layers_memory_above_engine", "MB", 112);

  private final Path folder;
  private final Consumer<String> out;

  /**
   * @param folder folder of the children's error files
   * @param out receives what each child printed
   */
  LayersBench(Path folder, Consumer<String> out) {
    this.folder = folder;
    this.out = out;
  }

  @Override
  public String name() {
    return "layers";
  }

  @Override
  public List<Row> rows() {
    return List.of(WALL, ON_DEMAND, TRAINING, MEMORY);
  }

  @Override
  public Map<Row, Double> measure()
      throws IOException, InterruptedException, MeasurementFailedException {
    Map<Row, Double> readings = new LinkedHashMap<>();
    JsonNode wall = probed("wall", "1", BYTES_PER_SECOND);
    readings.put(WALL, wall.path("wall_per_ideal").asDouble());
    readings.put(ON_DEMAND, wall.path("on_demand_per_auto").asDouble());
    readings.put(TRAINING, probed("training").path("training_step").asDouble());
    readings.put(MEMORY, probed("memory", BUDGET_BYTES).path("memory_above_engine_mb").asDouble());
    return readings;
  }

  private JsonNode probed(String... arguments)
      throws IOException, InterruptedException, MeasurementFailedException {
    Files.createDirectories(folder);
    Path errors = folder.resolve("layers-" + String.join("-", arguments) + ".log");
    List<String> options = ChildJvm.probe(128);
    options.add("-XX:MaxDirectMemorySize=2g");
    Launch launch =
        Launch.of(ChildJvm.of(options, LayersProbe.class.getName(), List.of(arguments)))
            .errors(Redirect.to(errors.toFile()))
            .environment(FREED_AT_ONCE);
    try {
      String printed = launch.printed("the layers' probe (" + String.join(" ", arguments) + ")");
      out.accept("  layers " + String.join(" ", arguments) + ": " + printed.strip());
      return JSON.readTree(printed);
    } catch (IOException e) {
      throw new MeasurementFailedException(String.valueOf(e.getMessage()), errors);
    }
  }
}
