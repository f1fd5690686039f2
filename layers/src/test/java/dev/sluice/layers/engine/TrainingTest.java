package dev.sluice.layers.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.djl.ndarray.NDList;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.network.TensorShape;
import dev.sluice.executor.network.Workloads;
import dev.sluice.layers.engine.LayerTrace.Row;
import dev.sluice.layers.engine.ResidentLayers.LayerReadException;
import dev.sluice.layers.engine.TestSchedule.Plan;
import dev.sluice.layers.parameters.ParameterSource;
import dev.sluice.layers.parameters.SafetensorsFile;
import dev.sluice.layers.schedule.Hooks;
import dev.sluice.layers.schedule.Hooks.Hook;
import dev.sluice.layers.schedule.Layers;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Training by layers against one graph of the whole network: equal bits. */
@Tag("loop")
final class TrainingTest {
  private static final ModelCache CACHE = new ModelCache(Path.of("target", "test-model-cache"));

  @TempDir private Path folder;

  private static Training open(
      Training.Settings settings, Path out, boolean resume, long budgetBytes) throws Exception {
    return open(settings, out, resume, budgetBytes, source -> source, LayerTrace.NONE);
  }

  private static Training open(
      Training.Settings settings,
      Path out,
      boolean resume,
      long budgetBytes,
      UnaryOperator<ParameterSource> pace,
      LayerTrace trace)
      throws Exception {
    return Training.open(
        settings, out, resume, budgetBytes, CACHE, Engines.prepare(1, CACHE), pace, () -> 0, trace);
  }

  private static Training.Settings settings(String model, String optimizer) {
    return new Training.Settings(model, optimizer, 7, 4, 1, false);
  }

  @ParameterizedTest
  @CsvSource({"vit_micro, sgd, 5", "vit_micro, adam, 5", "resnet18_small, sgd, 2"})
  void eachScheduleGivesTheBitsOfOneGraph(String model, String optimizer, int steps)
      throws Exception {
    assertEqualBits(model, optimizer, steps);
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({
    "vit_micro, sgd, 20",
    "vit_micro, adam, 20",
    "resnet18_small, sgd, 20",
    "resnet18_small, adam, 20"
  })
  void eachScheduleGivesTheBitsOfOneGraph_forTwentySteps(String model, String optimizer, int steps)
      throws Exception {
    assertEqualBits(model, optimizer, steps);
  }

  private void assertEqualBits(String model, String optimizer, int steps) throws Exception {
    var losses = new ArrayList<Float>();
    var gradients = new ArrayList<Map<String, ByteBuffer>>();
    Map<String, ByteBuffer> end;
    try (WholeGraphTraining whole =
        WholeGraphTraining.load(model, optimizer, 7, 4, CACHE, Engines.prepare(1, CACHE))) {
      for (int step = 0; step < steps; step++) {
        losses.add(whole.step());
        Map<String, ByteBuffer> all = values(whole.shapes(), whole.tensors());
        all.keySet().removeIf(name -> !name.endsWith(".gradient"));
        gradients.add(all);
      }
      end = values(whole.shapes(), whole.tensors());
      end.keySet().removeIf(name -> name.endsWith(".gradient"));
    }
    assertThat(losses).as("each step changes the network").doesNotHaveDuplicates();

    Layers sizes = Training.layers(model, optimizer);
    long all = sizes.totalBytes();
    for (Plan plan : Plan.values()) {
      Path out = folder.resolve(plan.name());
      try (Training training = open(settings(model, optimizer), out, false, all)) {
        var hooks = new TestSchedule(training, sizes.count(), plan);
        for (int step = 0; step < steps; step++) {
          Map<String, ByteBuffer> seen = new TreeMap<>();
          assertThat(training.step(new Spy(hooks, training, model, optimizer, seen)))
              .as("%s, loss of step %d", plan, step + 1)
              .isEqualTo(losses.get(step));
          assertThat(seen)
              .as("%s, gradients of step %d", plan, step + 1)
              .isEqualTo(gradients.get(step));
        }
        if (plan == Plan.EAGER) {
          assertThat(training.residentBytesMax()).isEqualTo(all);
        } else {
          assertThat(training.residentBytes()).isZero();
          assertThat(training.residentBytesMax()).isLessThan(all);
        }
      }
      assertThat(stored(out)).as("%s, parameters, statistics and state", plan).isEqualTo(end);
    }
  }

  private static Map<String, ByteBuffer> values(List<TensorShape> shapes, NDList tensors) {
    Map<String, ByteBuffer> values = new TreeMap<>();
    for (int i = 0; i < shapes.size(); i++) {
      ByteBuffer bytes = tensors.get(i).toByteBuffer(true);
      values.put(shapes.get(i).name(), ByteBuffer.allocate(bytes.remaining()).put(bytes).flip());
    }
    return values;
  }

  /** Reads the tensors of all files of a training's folder. */
  private static Map<String, ByteBuffer> stored(Path out) throws Exception {
    Map<String, ByteBuffer> stored = new TreeMap<>();
    try (var files = Files.newDirectoryStream(out, "*.safetensors")) {
      for (Path path : files) {
        try (SafetensorsFile file = SafetensorsFile.open(path)) {
          for (SafetensorsFile.Entry entry : file.entries()) {
            ByteBuffer values = ByteBuffer.allocate((int) entry.bytes());
            file.read(entry.offset(), values);
            assertThat(stored.put(entry.tensor().name(), values.flip())).isNull();
          }
        }
      }
    }
    return stored;
  }

  /** Takes each layer's gradients before it is released. */
  private record Spy(
      Hooks hooks,
      Training training,
      String model,
      String optimizer,
      Map<String, ByteBuffer> gradients)
      implements Hooks {
    @Override
    public void on(Hook hook, int layer) {
      if (hook == Hook.POST_BACKWARD) {
        var block = Workloads.network(model).blocks().get(layer);
        var shapes = new TrainedTensors(block.part(), Optimizer.named(optimizer)).all();
        values(shapes, training.tensors(layer))
            .forEach(
                (name, bytes) -> {
                  if (name.endsWith(".gradient")) {
                    gradients.put(name, bytes);
                  }
                });
      }
      hooks.on(hook, layer);
    }
  }

  /** Returns the content of all files of a folder. */
  private static Map<String, ByteBuffer> files(Path out) throws Exception {
    Map<String, ByteBuffer> files = new HashMap<>();
    try (var all = Files.newDirectoryStream(out)) {
      for (Path path : all) {
        files.put(path.getFileName().toString(), ByteBuffer.wrap(Files.readAllBytes(path)));
      }
    }
    return files;
  }

  @Test
  void endsWithTheBytesOfOneRun_whenItWasResumed() throws Exception {
    var settings = new Training.Settings("vit_micro", "adam", 3, 2, 3, true);
    Layers sizes = Training.layers("vit_micro", "adam");
    long all = sizes.totalBytes();
    Path once = folder.resolve("once");
    try (Training training = open(settings, once, false, all)) {
      train(training, 7, new TestSchedule(training, sizes.count(), Plan.EAGER));
      training.commit();
    }
    Path twice = folder.resolve("twice");
    try (Training training = open(settings, twice, false, all)) {
      train(training, 5, new TestSchedule(training, sizes.count(), Plan.ON_DEMAND));
    }
    try (Training training = open(settings, twice, true, all)) {
      assertThat(training.stepsDone()).isEqualTo(3);
      train(training, 7, new TestSchedule(training, sizes.count(), Plan.PREFETCH));
      training.commit();
      assertThat(training.keptInputBytesMax()).isPositive();
    }
    assertThat(files(twice)).isEqualTo(files(once));
    assertThat(files(once)).containsKeys("losses.csv", "manifest.json", "head-7.safetensors");
  }

  private static void train(Training training, int steps, Hooks hooks) throws Exception {
    while (training.stepsDone() < steps) {
      training.step(hooks);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aReadThatFailsEndsTheStepAtTheHookThatNeededIt_andNothingIsLost(Plan plan) throws Exception {
    int steps = 2;
    var settings = settings("vit_micro", "sgd");
    Layers sizes = Training.layers("vit_micro", "sgd");
    int layers = sizes.count();
    long all = sizes.totalBytes();
    Path whole = folder.resolve("whole");
    var reads = new ArrayList<Integer>();
    try (Training training =
        open(settings, whole, false, all, source -> source, added(reads, Row.READ))) {
      train(training, steps, new TestSchedule(training, layers, plan));
    }
    Map<String, ByteBuffer> expected = files(whole);

    int readsOfStep =
        switch (plan) {
          case EAGER -> 0;
          case ON_DEMAND -> 2 * layers;
          case PREFETCH -> 2 * layers - 1; // the last layer's backward follows its forward
        };
    assertThat(reads).hasSize(plan == Plan.EAGER ? layers : steps * readsOfStep);
    for (int failing = 0; failing < reads.size(); failing++) {
      Path out = folder.resolve("failed" + failing);
      int read = failing;
      var computed = new ArrayList<Integer>();
      Training training =
          open(
              settings,
              out,
              false,
              all,
              source -> new FailingAt(source, read),
              added(computed, Row.COMPUTE));
      var hooks = new TestSchedule(training, layers, plan);
      assertThatThrownBy(() -> train(training, steps, hooks))
          .isInstanceOf(LayerReadException.class)
          .hasMessage(
              "layer %s could not be read: the disk is gone",
              sizes.names().get(reads.get(failing)));
      int beforeInStep = readsOfStep == 0 ? 0 : failing % readsOfStep;
      boolean sharedRead = plan == Plan.PREFETCH && beforeInStep >= layers;
      assertThat(computed)
          .as("computes before read %d", failing)
          .hasSize(
              readsOfStep == 0
                  ? 0
                  : failing / readsOfStep * 2 * layers + beforeInStep + (sharedRead ? 1 : 0));
      assertThatThrownBy(training::commit)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("a step failed");
      assertThatThrownBy(() -> training.step(hooks)).isInstanceOf(IllegalStateException.class);
      training.close();
      assertThat(training.residentBytes()).isZero();

      try (Training resumed = open(settings, out, true, all)) {
        train(resumed, steps, new TestSchedule(resumed, layers, plan));
      }
      assertThat(files(out)).as("failed at read %d", failing).isEqualTo(expected);
    }
  }

  private static LayerTrace added(List<Integer> layers, String operation) {
    return row -> {
      if (row.operation().equals(operation)) {
        layers.add(row.layer());
      }
    };
  }

  @Test
  void anUpdateFollowsEachBackward() throws Exception {
    Layers sizes = Training.layers("vit_micro", "adam");
    long all = sizes.totalBytes();
    var rows = new ArrayList<String>();
    LayerTrace trace =
        row -> {
          if (!row.operation().equals(Row.READ) && row.hook().equals("on_pre_backward")) {
            rows.add(row.operation() + " " + row.layer());
          }
        };
    try (Training training =
        open(settings("vit_micro", "adam"), folder, false, all, source -> source, trace)) {
      train(training, 1, new TestSchedule(training, sizes.count(), Plan.EAGER));
    }
    var expected = new ArrayList<String>();
    for (int layer = sizes.count() - 1; layer >= 0; layer--) {
      expected.add("compute " + layer);
      expected.add("update " + layer);
    }
    assertThat(rows).isEqualTo(expected);
  }

  @Test
  void refusesTheFolderOfAnotherTraining() throws Exception {
    Layers sizes = Training.layers("vit_micro", "sgd");
    long all = sizes.totalBytes();
    open(settings("vit_micro", "sgd"), folder, false, all).close();

    assertThatThrownBy(() -> open(settings("vit_micro", "sgd"), folder, false, all))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("the folder holds a training already");
    assertThatThrownBy(
            () ->
                open(new Training.Settings("vit_micro", "sgd", 8, 4, 1, false), folder, true, all))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("the folder holds a training with seed (7), not (8)");
  }
}
