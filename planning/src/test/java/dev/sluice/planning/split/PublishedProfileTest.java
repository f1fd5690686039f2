package dev.sluice.planning.split;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.planning.split.PlanOutcome.Found;
import dev.sluice.planning.split.PlanProblem.DeviceType;
import dev.sluice.planning.split.SearchSettings.Objective;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** ViT-B/16 as published for two types of small devices, four hosts each, at batch size 8. */
final class PublishedProfileTest {
  private static final double MIB = 1024 * 1024;
  private static final long BYTES_PER_VALUE = 8 * 4;

  private static final double[] LAYER_MIB = {
    26.509311999999994,
    19.140608,
    26.67724799999999,
    26.07923199999999,
    24.797183999999987,
    19.136511999999996,
    26.98854399999999,
    26.26355199999999,
    24.805375999999995,
    19.447807999999995,
    26.992639999999994,
    26.308607999999992,
    24.862719999999996,
    19.456000000000003,
    27.189248000000006,
    26.460160000000002,
    24.997888000000003,
    19.582976000000002,
    27.189248000000006,
    26.464256000000006,
    25.006079999999997,
    19.595264,
    27.19744,
    26.468351999999996,
    25.010176,
    19.595264,
    27.205631999999994,
    26.476544000000004,
    25.018367999999995,
    19.603455999999994,
    27.209728,
    26.484735999999998,
    25.030655999999993,
    19.623936,
    27.226112,
    26.497023999999996,
    25.030655999999993,
    19.628032000000005,
    27.226112,
    26.505216000000004,
    25.034751999999997,
    19.632127999999994,
    27.234303999999995,
    26.505216000000004,
    25.042944000000006,
    19.632127999999994,
    27.2384,
    33.312768000000005
  };

  private static final double[] MINNOWBOARD_SECONDS = {
    0.4647976398468018,
    0.081429123878479,
    0.35223798751831054,
    0.30705602169036866,
    0.334343695640564,
    0.08168408870697022,
    0.35525476932525635,
    0.29761509895324706,
    0.3432546854019165,
    0.08214852809906006,
    0.3514878273010254,
    0.2973480224609375,
    0.33687992095947267,
    0.08745484352111817,
    0.3513890981674194,
    0.2990673780441284,
    0.33904352188110354,
    0.0820387363433838,
    0.3599841117858887,
    0.3008598566055298,
    0.34143800735473634,
    0.08183374404907226,
    0.35214321613311766,
    0.30913715362548827,
    0.33610079288482664,
    0.08196830749511719,
    0.35222153663635253,
    0.29788894653320314,
    0.34281072616577146,
    0.08043785095214843,
    0.35116066932678225,
    0.29960758686065675,
    0.33389151096343994,
    0.08327310085296631,
    0.351961350440979,
    0.3087209463119507,
    0.3380953073501587,
    0.08033528327941894,
    0.359782075881958,
    0.3045568704605103,
    0.34939324855804443,
    0.08265531063079834,
    0.3566495180130005,
    0.3135842800140381,
    0.33506648540496825,
    0.0797731876373291,
    0.3533466339111328,
    0.30309011936187746
  };

  private static final double[] RCC_SECONDS = {
    0.3705007314682007,
    0.06647565364837646,
    0.2820276737213135,
    0.2384713411331177,
    0.274668550491333,
    0.06490416526794433,
    0.2823554277420044,
    0.23835470676422119,
    0.2715897798538208,
    0.06483523845672608,
    0.2828279733657837,
    0.23872714042663573,
    0.268969464302063,
    0.0654902458190918,
    0.2824599027633667,
    0.24004292488098145,
    0.2688004016876221,
    0.0648651123046875,
    0.28231818675994874,
    0.238350248336792,
    0.2689300537109375,
    0.06483714580535889,
    0.2821572542190552,
    0.23866772651672363,
    0.26873691082000734,
    0.06452174186706543,
    0.282421612739563,
    0.23887989521026612,
    0.26858208179473875,
    0.06486790180206299,
    0.2821630954742432,
    0.24305939674377441,
    0.268857479095459,
    0.06488118171691895,
    0.2824052095413208,
    0.2386331081390381,
    0.26898989677429197,
    0.06421992778778077,
    0.2831083059310913,
    0.23894820213317872,
    0.26886940002441406,
    0.0651090145111084,
    0.2882387638092041,
    0.24090991020202637,
    0.27237935066223146,
    0.06447927951812744,
    0.2851618766784668,
    0.24462425708770752
  };

  @Test
  void splitsInEightStages() {
    List<Long> cutBytes = new ArrayList<>(List.of(150_528 * BYTES_PER_VALUE));
    for (int block = 0; block < 12; block++) {
      for (long values : new long[] {302_592, 302_592, 756_480, 151_296}) {
        cutBytes.add(values * BYTES_PER_VALUE);
      }
    }
    cutBytes.set(48, 1000 * BYTES_PER_VALUE);
    var problem =
        new PlanProblem(
            Arrays.stream(LAYER_MIB).map(mib -> mib * MIB).boxed().toList(),
            cutBytes,
            2,
            2,
            List.of(type("mb", 2048, MINNOWBOARD_SECONDS), type("rcc", 8192, RCC_SECONDS)));

    Found found = (Found) Planner.plan(problem, SearchSettings.of(Objective.THROUGHPUT));

    assertThat(found.proved()).isTrue();
    assertThat(PlanChecker.mistakes(problem, found.plan())).isEmpty();
    assertThat(found.plan().bottleneckSeconds()).isCloseTo(1.539864, within(5e-7));
    assertThat(found.plan().bytesSent()).isEqualTo(53_256_192);
    assertThat(found.plan().stages().stream().map(Plan.PricedStage::stage).map(problem::hostOf))
        .containsExactly("mb-0", "rcc-0", "mb-1", "rcc-1", "mb-2", "rcc-2", "mb-3", "rcc-3");
    assertThat(found.plan().stages().stream().map(stage -> stage.stage().lastLayer()))
        .containsExactly(5, 12, 17, 24, 29, 36, 41, 48);
  }

  private static DeviceType type(String name, double memoryMib, double[] seconds) {
    return new DeviceType(
        name,
        List.of(name + "-0", name + "-1", name + "-2", name + "-3"),
        1000 * MIB,
        memoryMib * MIB,
        Arrays.stream(seconds).boxed().toList());
  }
}
