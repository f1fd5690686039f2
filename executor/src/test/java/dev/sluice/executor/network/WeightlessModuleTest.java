package dev.sluice.executor.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.executor.network.Network.Block;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Networks by blocks, and the modules of their blocks. */
final class WeightlessModuleTest {
  static List<String> names() {
    return Workloads.names();
  }

  @ParameterizedTest
  @CsvSource({"vit, 14, 4", "vit_tiny, 14, 4", "resnet18, 10, 6", "resnet50, 18, 9"})
  void blocksOfEqualShapeShareAModule(String name, int blocks, int modulesMax) {
    List<Block> all = Workloads.network(name).blocks();
    assertThat(all).hasSize(blocks);
    assertThat(all.stream().map(block -> WeightlessModule.of(block.part())).distinct().count())
        .isLessThanOrEqualTo(modulesMax);
  }

  @Test
  void allBlocksOfATransformerAreOneModule() {
    assertThat(
            Workloads.network("vit").blocks().subList(1, 13).stream()
                .map(block -> WeightlessModule.of(block.part()))
                .distinct())
        .hasSize(1);
  }

  @Test
  void blocksAreNamedAsTheirWeights() {
    assertThat(Workloads.network("resnet18").blocks())
        .extracting(Block::name)
        .startsWith("conv1", "layer1.0", "layer1.1", "layer2.0")
        .endsWith("layer4.1", "fc");
    assertThat(Workloads.network("vit").blocks())
        .extracting(Block::name)
        .startsWith("embedding", "block_0")
        .endsWith("block_11", "head");
  }

  @ParameterizedTest
  @MethodSource("names")
  void blocksHaveAllWeightsOnce_andTakeWhatTheOneBeforeGives(String name) {
    Network network = Workloads.network(name);
    List<Weight> weights = new ArrayList<>();
    List<List<Integer>> given = network.whole().inputShapes();
    for (Block block : network.blocks()) {
      assertThat(block.part().inputShapes()).isEqualTo(given);
      given = block.part().outputShapes();
      weights.addAll(block.part().weights());
    }
    assertThat(given).containsExactly(List.of(Network.CLASSES));
    assertThat(weights).isEqualTo(network.weights());
  }

  @Test
  void weightsFollowTheInputs_inTheirOrder() {
    List<Block> blocks = Workloads.network("vit_tiny").blocks();

    assertThat(WeightlessModule.of(blocks.get(13).part()).code())
        .isEqualTo(
            """
            class Network(Module):
              __parameters__ = []
              __buffers__ = []
              training : bool
              def forward(self: __torch__.Network,
                x0: Tensor,
                w0: Tensor,
                w1: Tensor,
                w2: Tensor,
                w3: Tensor) -> Tensor:
                x1 = torch.layer_norm(x0, [192], w0, w1, 1.0E-6, False)
                x2 = torch.select(x1, 1, 0)
                x3 = torch.linear(x2, w2, w3)
                return x3
            """);
  }
}
