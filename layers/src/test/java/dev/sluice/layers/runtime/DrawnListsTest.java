package dev.sluice.layers.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.model.ModelProgress;
import dev.sluice.executor.network.Network;
import dev.sluice.executor.network.Workloads;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.layers.engine.LayerTrace;
import dev.sluice.layers.engine.LayeredModel;
import dev.sluice.layers.engine.Training;
import dev.sluice.layers.parameters.LayerFile;
import dev.sluice.layers.parameters.ParameterSource;
import dev.sluice.layers.schedule.LayerSchedule;
import dev.sluice.layers.schedule.Layers;
import dev.sluice.layers.schedule.ScheduleCheck;
import dev.sluice.layers.schedule.ScheduleWalk;
import dev.sluice.layers.schedule.Schedules;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Drawn lists that pass the check, on real layers, while each read takes a drawn time. */
@Tag("loop")
final class DrawnListsTest {
  private static final int SEEDS = "full".equals(System.getProperty("sluice.tries")) ? 25 : 6;
  private static final ModelCache CACHE = new ModelCache(Path.of("target", "test-model-cache"));
  private static final int STEPS = 3;
  private static final long DELAY_NS_MAX = 2_000_000;

  @TempDir private Path folder;

  /** A source whose reads begin and end later than they could. */
  private record Delayed(ParameterSource source, Random random) implements ParameterSource {
    @Override
    public void read(int layer, ByteBuffer into) throws IOException {
      delay();
      source.read(layer, into);
      delay();
    }

    private void delay() throws IOException {
      try {
        MachineClock.pacer()
            .awaitNs(MachineClock.monotonicNs() + (long) (DELAY_NS_MAX * random.nextDouble()));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("the reading was ended");
      }
    }

    @Override
    public void close() throws IOException {
      source.close();
    }
  }

  private static DrawnList legal(Layers layers, Random random) {
    DrawnList drawn = DrawnList.of(layers, random);
    assertThat(ScheduleCheck.faults(drawn.schedule(), layers, drawn.budgetBytes()))
        .as("%s", drawn)
        .isEmpty();
    assertThat(ScheduleCheck.faults(drawn.schedule(), layers, drawn.budgetBytes() - 1))
        .isNotEmpty();
    return drawn;
  }

  @Test
  void inferenceRunsToItsEnd_withinTheBudget_withEqualLogits() throws Exception {
    Network network = Workloads.network("vit_tiny");
    Layers layers = RunPlan.ofInference(network);
    Path weights = CACHE.weights("vit_tiny", ModelProgress.none());
    try (LayeredModel model = LayeredModel.load(network, Engines.prepare(1, CACHE))) {
      float[] expected;
      try (ParameterSource source = LayerFile.open(weights, model.tensors())) {
        expected =
            Inference.of(network, model, source)
                .run(Schedules.eager(layers), layers.totalBytes(), 1, LayerTrace.NONE)
                .logits();
      }
      for (int seed = 0; seed < SEEDS; seed++) {
        var random = new Random(seed);
        DrawnList drawn = legal(layers, random);
        var figures = new RunFigures(layers.count());
        LayerTrace trace =
            row -> {
              synchronized (figures) {
                figures.add(row);
              }
            };
        try (var source = new Delayed(LayerFile.open(weights, model.tensors()), random)) {
          float[] logits =
              Inference.of(network, model, source)
                  .run(drawn.schedule(), drawn.budgetBytes(), STEPS, trace)
                  .logits();
          assertThat(logits).as("seed %d", seed).isEqualTo(expected);
        }
        assertThat(figures.residentBytesMax()).isEqualTo(drawn.budgetBytes());
      }
    }
  }

  @Test
  void trainingRunsToItsEnd_withinTheBudget_withEqualFiles() throws Exception {
    Layers layers = RunPlan.ofTraining("vit_micro", "sgd");
    Map<String, ByteBuffer> expected =
        trained("eager", Schedules.eager(layers), layers, layers.totalBytes(), new Random(7));
    for (int seed = 0; seed < SEEDS; seed++) {
      var random = new Random(seed);
      DrawnList drawn = legal(layers, random);
      assertThat(trained("t" + seed, drawn.schedule(), layers, drawn.budgetBytes(), random))
          .as("seed %d", seed)
          .isEqualTo(expected);
    }
  }

  private Map<String, ByteBuffer> trained(
      String name, LayerSchedule schedule, Layers layers, long budgetBytes, Random random)
      throws Exception {
    Path out = folder.resolve(name);
    try (Training state =
        Training.open(
            new Training.Settings("vit_micro", "sgd", 7, 2, 1, false),
            out,
            false,
            budgetBytes,
            CACHE,
            Engines.prepare(1, CACHE),
            source -> new Delayed(source, random),
            MachineClock::monotonicNs,
            LayerTrace.NONE)) {
      var hooks = new ScheduleWalk(schedule, layers.names(), state);
      for (int step = 0; step < STEPS; step++) {
        state.step(hooks);
      }
      assertThat(state.residentBytesMax()).isEqualTo(budgetBytes);
    }
    Map<String, ByteBuffer> files = new TreeMap<>();
    try (var all = Files.newDirectoryStream(out)) {
      for (Path path : all) {
        files.put(path.getFileName().toString(), ByteBuffer.wrap(Files.readAllBytes(path)));
      }
    }
    return files;
  }
}
