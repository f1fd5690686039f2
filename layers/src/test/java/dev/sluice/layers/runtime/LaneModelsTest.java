package dev.sluice.layers.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.model.Devices;
import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.InputBuffer;
import dev.sluice.executor.model.JobInput;
import dev.sluice.executor.model.LoadedModels;
import dev.sluice.executor.model.LoadedModels.ModelRequest;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.model.ModelProgress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lanes of a model with a memory budget, by the schedule that its timed passes choose. */
@Tag("loop")
final class LaneModelsTest {
  private static final ModelCache CACHE = new ModelCache(Path.of("target", "test-model-cache"));
  private static final int ELEMENTS = 3 * 224 * 224;

  @ParameterizedTest
  @ValueSource(longs = {1_779_456, 5_000_000, 30_000_000}) // one layer, some, all
  void eachJobHasTheWholeModelsLogits(long budgetBytes) throws Exception {
    Engines engines = Engines.prepare(1, CACHE);
    List<JobInput> jobs =
        List.of(JobInput.make(3, "one", 1, ELEMENTS), JobInput.make(3, "two", 2, ELEMENTS));
    try (LoadedModels whole =
            LoadedModels.load(
                List.of(new ModelRequest(new ModelKey("vit_tiny", "pytorch", "fp32"), null)),
                engines,
                Devices.processor(List.of("pytorch")),
                CACHE,
                ModelProgress.none());
        LaneModels layered =
            LaneModels.load(
                Map.of("vit_tiny", budgetBytes),
                engines,
                CACHE,
                ModelProgress.none(),
                LaneModels::auto);
        var reference =
            whole.openSession(new ModelKey("vit_tiny", "pytorch", "fp32"), 0, new InputBuffer());
        var one = layered.openSession("vit_tiny", new InputBuffer());
        var other = layered.openSession("vit_tiny", new InputBuffer())) {
      float[][] expected = reference.infer(jobs);
      for (int round = 0; round < 3; round++) {
        assertThat(one.infer(jobs)).isDeepEqualTo(expected);
        assertThat(other.infer(jobs)).isDeepEqualTo(expected);
      }
    }
  }
}
