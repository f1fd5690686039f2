package dev.sluice.executor.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.network.Network;
import dev.sluice.executor.network.Workloads;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Stages one after another against the whole model: equal bits. */
@Tag("loop")
final class LayerModuleTest {
  private static final ModelCache CACHE = new ModelCache(Path.of("target", "test-model-cache"));

  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({"1, 5 20 47", "8, 5 20 47", "1, 1 2 3", "8, 24", "1, 6 18 30"})
  void stagesOfATransformer_giveTheWholeModelsLogits(int samples, String cuts) throws Exception {
    assertEqualLogits("vit_tiny", samples, cuts);
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({
    "resnet18, 1, 1 4 9",
    "resnet18, 8, 1 4 9",
    "resnet50, 1, 1 9 17",
    "resnet50, 8, 9",
    "vit, 1, 5 23 46",
    "vit, 8, 24"
  })
  void stages_giveTheWholeModelsLogits(String name, int samples, String cuts) throws Exception {
    assertEqualLogits(name, samples, cuts);
  }

  @Test
  void singleLayers_giveTheWholeModelsLogits() throws Exception {
    var cuts = new ArrayList<String>();
    for (int layer = 1; layer < Workloads.network("vit_tiny").layers(); layer++) {
      cuts.add(Integer.toString(layer));
    }
    assertEqualLogits("vit_tiny", 2, String.join(" ", cuts));
  }

  private void assertEqualLogits(String name, int samples, String cuts) throws Exception {
    Network network = Workloads.network(name);
    Engines engines = Engines.prepare(1, CACHE);
    ByteBuffer input = LayerModule.buffer(4 * samples * network.elementsBehind(0));
    input
        .asFloatBuffer()
        .put(JobInput.make(7, "layers", samples, network.elementsBehind(0)).values());
    Path file = CACHE.file(new ModelKey(name, "pytorch", "fp32"), ModelProgress.none());
    ByteBuffer expected;
    try (LayerModule whole = LayerModule.open(file, network.whole(), engines)) {
      expected = computed(whole, input, samples);
    }

    ByteBuffer between = input;
    int first = 1;
    for (int last : ends(cuts, network.layers())) {
      try (LayerModule stage = LayerModule.load(network.layers(first, last), engines, folder)) {
        assertThat(stage.inputBytes(samples))
            .isEqualTo(4 * samples * network.elementsBehind(first - 1));
        between = computed(stage, between, samples);
      }
      first = last + 1;
    }

    assertThat(between.remaining()).isEqualTo(4 * samples * Network.CLASSES);
    assertThat(between).isEqualTo(expected);
    assertThat(folder).isEmptyDirectory();
  }

  private static List<Integer> ends(String cuts, int layers) {
    var ends = new ArrayList<Integer>();
    for (String cut : cuts.split(" ", -1)) {
      ends.add(Integer.valueOf(cut));
    }
    ends.add(layers);
    return ends;
  }

  /** Computes three times: the engine compiles what it ran once or twice. */
  private static ByteBuffer computed(LayerModule module, ByteBuffer in, int samples)
      throws Exception {
    ByteBuffer out = LayerModule.buffer(module.outputBytes(samples));
    try (LayerModule.Session session = module.session()) {
      session.compute(in, samples, out);
      ByteBuffer before =
          LayerModule.buffer(module.outputBytes(samples)).put(out.duplicate()).flip();
      for (int i = 0; i < 2; i++) {
        session.compute(in, samples, out);
        assertThat(out).isEqualTo(before);
      }
    }
    return out;
  }
}
