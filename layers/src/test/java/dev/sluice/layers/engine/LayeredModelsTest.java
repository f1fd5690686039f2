package dev.sluice.layers.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.model.Devices;
import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.model.InputBuffer;
import dev.sluice.executor.model.JobInput;
import dev.sluice.executor.model.LoadedModels;
import dev.sluice.executor.model.LoadedModels.ModelRequest;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.model.ModelProgress;
import dev.sluice.layers.engine.ResidentLayers.LayerReadException;
import dev.sluice.layers.runtime.LaneModels;
import dev.sluice.layers.runtime.LaneModels.LayerScheduling;
import dev.sluice.layers.schedule.Hooks.Hook;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Lanes' sessions of models whose layers come and go, beside those of whole models. */
@Tag("loop")
final class LayeredModelsTest {
  private static final ModelCache CACHE = new ModelCache(Path.of("target", "test-model-cache"));
  private static final int ELEMENTS = 3 * 224 * 224;
  private static final List<JobInput> JOBS =
      List.of(JobInput.make(3, "one", 1, ELEMENTS), JobInput.make(3, "two", 2, ELEMENTS));

  @Test
  void aLanesLogitsEqualThoseOfTheWholeModel_evenAfterAStepThatFailed() throws Exception {
    Engines engines = Engines.prepare(1, CACHE);
    var failing = new AtomicBoolean();
    LayerScheduling scheduling =
        (network, model, source, budgetBytes) ->
            resident ->
                new ListedHooks(ListedHooks.PREFETCH, model.names().size(), resident) {
                  @Override
                  public void on(Hook hook, int layer) {
                    super.on(hook, layer);
                    if (hook == Hook.POST_FORWARD && layer == 5 && failing.getAndSet(false)) {
                      throw new LayerReadException("block_5", new IllegalStateException("gone"));
                    }
                  }
                };
    try (LoadedModels whole =
            LoadedModels.load(
                List.of(new ModelRequest(new ModelKey("vit_tiny", "pytorch", "fp32"), null)),
                engines,
                Devices.processor(List.of("pytorch")),
                CACHE,
                ModelProgress.none());
        LaneModels layered =
            LaneModels.load(
                Map.of("vit_tiny", 5_000_000L), engines, CACHE, ModelProgress.none(), scheduling)) {
      assertThat(layered.holds("vit_tiny")).isTrue();
      assertThat(layered.holds("vit")).isFalse();
      float[][] expected;
      try (var session =
          whole.openSession(new ModelKey("vit_tiny", "pytorch", "fp32"), 0, new InputBuffer())) {
        expected = session.infer(JOBS);
      }
      var buffer = new InputBuffer();
      try (var first = layered.openSession("vit_tiny", buffer);
          var second = layered.openSession("vit_tiny", buffer)) {
        assertThat(first.infer(JOBS)).isDeepEqualTo(expected);
        assertThat(second.infer(JOBS)).isDeepEqualTo(expected);
        failing.set(true);
        assertThatThrownBy(() -> first.infer(JOBS))
            .isInstanceOf(InferenceException.class)
            .hasMessage("inference failed: layer block_5 could not be read: gone");
        assertThat(first.infer(JOBS)).isDeepEqualTo(expected);
      }
    }
  }

  @Test
  void aFileThatCannotBeRead_isTheUsersMistake_andNamed() throws Exception {
    Engines engines = Engines.prepare(1, CACHE);
    LayerScheduling failing =
        (network, model, source, budgetBytes) -> {
          throw new LayerReadException("block_3", new IOException("the disk is gone"));
        };
    assertThatThrownBy(
            () ->
                LaneModels.load(
                    Map.of("vit_tiny", 5_000_000L), engines, CACHE, ModelProgress.none(), failing))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("vit_tiny")
        .hasMessageContaining("layer block_3 could not be read: the disk is gone");
  }
}
