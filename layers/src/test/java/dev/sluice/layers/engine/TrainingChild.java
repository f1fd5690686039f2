package dev.sluice.layers.engine;

import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.layers.engine.TestSchedule.Plan;
import java.nio.file.Files;
import java.nio.file.Path;

/** A training in a process of its own, which prints a line with each operation on a layer. */
final class TrainingChild {
  static final String MODEL = "vit_micro";
  static final int STEPS = 6;

  private TrainingChild() {}

  /** Trains to the last step in the folder of the first argument; goes on if it holds a step. */
  public static void main(String[] args) throws Exception {
    Path out = Path.of(args[0]);
    var cache = new ModelCache(Path.of("target", "test-model-cache"));
    try (Training training =
        Training.open(
            new Training.Settings(MODEL, "sgd", 11, 2, 2, true),
            out,
            Files.exists(out.resolve("manifest.json")),
            Long.MAX_VALUE,
            cache,
            Engines.prepare(1, cache),
            source -> source,
            () -> 0,
            row ->
                System.out.println(
                    row.step() + " " + row.hook() + " " + row.operation() + " " + row.layer()))) {
      var hooks = new TestSchedule(training, Training.layers(MODEL, "sgd").count(), Plan.ON_DEMAND);
      while (training.stepsDone() < STEPS) {
        training.step(hooks);
        System.out.println("committed");
      }
      training.commit();
    }
  }
}
