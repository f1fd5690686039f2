package dev.sluice.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.Launch;
import dev.sluice.layers.runtime.LayersProbe;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The layer runtime, each measurement in a process of its own: wall time over the ideal at four
 * bandwidths, memory, and what hooks, weightless modules and second forwards cost.
 */
final class LayersBench implements Bench {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Environment in which the C library gives freed memory back at once. */
  private static final Map<String, String> FREED_AT_ONCE =
      Map.of("MALLOC_MMAP_THRESHOLD_", "65536", "MALLOC_TRIM_THRESHOLD_", "65536");

  /** The whole heap is touched at the start, so that it adds nothing to the process's memory. */
  private static final List<String> JVM =
      List.of(
          "-XX:+UseSerialGC",
          "-Xms128m",
          "-Xmx128m",
          "-XX:MaxDirectMemorySize=2g",
          "-XX:+AlwaysPreTouch",
          "-XX:TieredStopAtLevel=1",
          "--enable-native-access=ALL-UNNAMED",
          "-Djava.awt.headless=true");

  private static final long MB = 1_000_000;
  private static final long BUDGET_BYTES = 64 * MB;

  /** Bandwidths in bytes a second, by their name in a row; 0: as fast as the page cache gives. */
  private static final Map<String, Long> BANDWIDTHS = bandwidths();

  private static final Row ON_DEMAND = Row.atLeast("layers_on_demand_per_auto_700", "", 1.35);
  private static final Row MEMORY = Row.atMost("layers_memory_above_engine", "MB", 112);
  private static final Row RESIDENT = Row.atMost("layers_resident_per_budget", "", 1);
  private static final Row WHOLE_1 = Row.atMost("layers_nothing_to_fetch_b1", "", 1.04);
  private static final Row WHOLE_8 = Row.atMost("layers_nothing_to_fetch_b8", "", 1.02);
  private static final Row FETCH = Row.atLeast("layers_fetch_per_plain_read", "", 0.7);
  private static final Row TRAINING = Row.atMost("layers_training_step", "", 1.45);

  private final Path folder;
  private final Consumer<String> out;
  private final Map<String, Row> walls = new LinkedHashMap<>();

  /**
   * @param folder folder of the children's error files
   */
  LayersBench(Path folder, Consumer<String> out) {
    this.folder = folder;
    this.out = out;
    for (int samples : new int[] {1, 8}) {
      for (String name : BANDWIDTHS.keySet()) {
        walls.put(
            samples + " " + name,
            Row.atMost("layers_wall_per_ideal_b%d_%s".formatted(samples, name), "", 1.05));
      }
    }
  }

  private static Map<String, Long> bandwidths() {
    Map<String, Long> all = new LinkedHashMap<>();
    all.put("cache", 0L);
    all.put("1400", 1400 * MB);
    all.put("700", 700 * MB);
    all.put("350", 350 * MB);
    return all;
  }

  @Override
  public String name() {
    return "layers";
  }

  @Override
  public List<Row> rows() {
    List<Row> rows = new ArrayList<>(walls.values());
    rows.addAll(List.of(ON_DEMAND, MEMORY, RESIDENT, WHOLE_1, WHOLE_8, FETCH, TRAINING));
    return rows;
  }

  @Override
  public Map<Row, Double> measure()
      throws IOException, InterruptedException, MeasurementFailedException {
    Map<Row, Double> readings = new LinkedHashMap<>();
    for (var wall : walls.entrySet()) {
      String[] of = wall.getKey().split(" ", -1);
      JsonNode read = probed("wall", of[0], BANDWIDTHS.getOrDefault(of[1], 0L).toString());
      readings.put(wall.getValue(), read.path("wall_per_ideal").asDouble());
      if (wall.getKey().equals("1 700")) {
        readings.put(ON_DEMAND, read.path("on_demand_per_auto").asDouble());
      }
    }
    JsonNode memory = probed("memory", Long.toString(BUDGET_BYTES));
    readings.put(MEMORY, memory.path("memory_above_engine_mb").asDouble());
    readings.put(RESIDENT, memory.path("resident_per_budget").asDouble());
    readings.put(WHOLE_1, probed("whole", "1").path("nothing_to_fetch").asDouble());
    readings.put(WHOLE_8, probed("whole", "8").path("nothing_to_fetch").asDouble());
    readings.put(FETCH, probed("fetch").path("fetch_per_plain_read").asDouble());
    readings.put(TRAINING, probed("training").path("training_step").asDouble());
    return readings;
  }

  private JsonNode probed(String... arguments)
      throws IOException, InterruptedException, MeasurementFailedException {
    Files.createDirectories(folder);
    Path errors = folder.resolve("layers-" + String.join("-", arguments) + ".log");
    Launch launch =
        Launch.of(ChildJvm.of(JVM, LayersProbe.class.getName(), List.of(arguments)))
            .errors(Redirect.to(errors.toFile()))
            .environment(FREED_AT_ONCE);
    try {
      String printed = launch.printed("the layers' probe (" + String.join(" ", arguments) + ")");
      out.accept("layers " + String.join(" ", arguments) + ": " + printed.strip());
      return JSON.readTree(printed);
    } catch (IOException e) {
      throw new MeasurementFailedException(String.valueOf(e.getMessage()), errors);
    }
  }
}
