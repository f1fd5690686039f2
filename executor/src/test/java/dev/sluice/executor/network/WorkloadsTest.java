package dev.sluice.executor.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.contract.experiment.ModelInput;
import dev.sluice.executor.network.Workloads.WorkloadInfo;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The built-in architectures against the numbers published for them. */
final class WorkloadsTest {
  /** Multiply-adds as torchvision's documentation states them; DeiT-Tiny's as its paper does. */
  @ParameterizedTest
  @CsvSource({
    "resnet18, 80, 11689512, 1.81e9",
    "resnet50, 160, 25557032, 4.09e9",
    "vit, 260, 86567656, 17.56e9",
    "vit_tiny, 40, 5717416, 1.26e9"
  })
  void haveThePublishedSizes(String name, int tokens, long parameters, double multiplyAdds) {
    WorkloadInfo info = Workloads.info(name);

    assertThat(info.tokens()).isEqualTo(tokens);
    assertThat(info.parameters()).isEqualTo(parameters);
    assertThat((double) info.flopsPerSample()).isCloseTo(2 * multiplyAdds, within(2e7));
    assertThat(info.inputs()).containsExactly(ModelInput.of(List.of(3, 224, 224)));
    assertThat(info.elementsPerSample()).isEqualTo(150_528);
  }

  /** Parameters of a ResNet-18 of CIFAR-10, as its public implementations count them. */
  @Test
  void trainedNetworksAreSmall_andServeNoLane() {
    assertThat(Workloads.trainable()).isNotEmpty().isSorted();
    assertThat(Workloads.names()).doesNotContainAnyElementsOf(Workloads.trainable());
    assertThat(Workloads.network("resnet18_small").parameters()).isEqualTo(11_173_962);
    assertThat(Workloads.network("resnet18_small").blocks())
        .extracting(Network.Block::name)
        .startsWith("conv1", "layer1.0")
        .endsWith("layer4.1", "fc")
        .hasSize(10);
    assertThat(Workloads.network("vit_micro").blocks())
        .extracting(Network.Block::name)
        .containsExactly(
            "embedding", "block_0", "block_1", "block_2", "block_3", "block_4", "block_5", "head");
    assertThat(Workloads.network("vit_micro").input().shape()).containsExactly(3, 32, 32);
  }

  @Test
  void areListedByName() {
    assertThat(Workloads.names()).contains("resnet18", "vit").isSorted().doesNotHaveDuplicates();
    assertThat(Workloads.tokens()).containsEntry("vit", 260);
    assertThat(Workloads.tokens().keySet()).containsExactlyElementsOf(Workloads.names());
    assertThat(Workloads.splittable()).containsAll(Workloads.names()).isSorted();
  }

  @Test
  void eachCanBeBuilt_andCountsTokensForItself() {
    for (String name : Workloads.names()) {
      WorkloadInfo info = Workloads.info(name);
      assertThat(info.tokens()).as(name).isEqualTo(Workloads.tokens().get(name)).isPositive();
      assertThat(info.parameters()).as(name).isPositive();
      assertThat(info.flopsPerSample()).as(name).isPositive();
    }
  }

  @Test
  void refuseAnUnknownName() {
    assertThatThrownBy(() -> Workloads.info("resnet19"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("workload (resnet19) is unknown");
  }

  @Test
  void filtersIgnoreAMeanThatAllChannelsShare() {
    var kernel = new Weight("k", List.of(2, 5, 3, 3), Weight.Rule.RANDOM_ZERO_SUM, 1f);
    float[] values = kernel.values("test");

    for (int filter = 0; filter < 2; filter++) {
      for (int tap = 0; tap < 9; tap++) {
        double sum = 0;
        for (int channel = 0; channel < 5; channel++) {
          sum += values[(filter * 5 + channel) * 9 + tap];
        }
        assertThat(sum).isCloseTo(0, within(1e-6));
      }
    }
  }
}
