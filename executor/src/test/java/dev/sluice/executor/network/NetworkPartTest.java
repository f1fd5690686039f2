package dev.sluice.executor.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Networks cut into layers. */
final class NetworkPartTest {
  static List<String> splittable() {
    return Workloads.splittable();
  }

  @ParameterizedTest
  @CsvSource({"vit, 48", "vit_large, 96", "vit_tiny, 48", "resnet18, 10", "resnet50, 18"})
  void haveFourLayersForEachTransformerBlock_andOneForEachResidualBlock(String name, int layers) {
    assertThat(Workloads.network(name).layers()).isEqualTo(layers);
  }

  @Test
  void everyTensorThatCrossesACutCounts() {
    Network vit = Workloads.network("vit");
    int tokens = 197 * 768;

    assertThat(IntStream.rangeClosed(0, 5).map(vit::elementsBehind))
        .containsExactly(150_528, 2 * tokens, tokens, 5 * tokens, tokens, 2 * tokens);
    assertThat(vit.elementsBehind(48)).isEqualTo(1000);
    assertThat(Workloads.network("vit_large").elementsBehind(3)).isEqualTo(1_008_640);
    assertThat(Workloads.network("resnet18").elementsBehind(1)).isEqualTo(64 * 56 * 56);
  }

  @ParameterizedTest
  @MethodSource("splittable")
  void partsHaveAllWeightsOnce_andTakeWhatTheOneBeforeGives(String name) {
    Network network = Workloads.network(name);
    List<Weight> weights = new ArrayList<>();
    List<List<Integer>> given = network.whole().inputShapes();
    for (int layer = 1; layer <= network.layers(); layer++) {
      NetworkPart part = network.layers(layer, layer);
      assertThat(part.inputShapes()).isEqualTo(given);
      given = part.outputShapes();
      weights.addAll(part.weights());
    }
    assertThat(given).containsExactly(List.of(Network.CLASSES));
    assertThat(weights).isEqualTo(network.weights());
  }

  @Test
  void refusesLayersThatAreNotThere() {
    assertThatThrownBy(() -> Workloads.network("resnet18").layers(3, 11))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("layers (3) to (11) of (10)");
  }
}
