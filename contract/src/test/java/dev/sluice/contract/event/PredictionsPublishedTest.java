package dev.sluice.contract.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.event.PredictionsPublished.Calibration;
import dev.sluice.contract.event.PredictionsPublished.Service;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.UnreadableEventException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A published table: how large it gets, and what is no table. */
final class PredictionsPublishedTest {
  private static final String GOOD =
      new String(EventCodec.FACTS.write(small()), StandardCharsets.UTF_8);

  private static PredictionsPublished small() {
    return new PredictionsPublished(
        "executor-0",
        "cpu",
        "3f9a1c02-1",
        1,
        List.of(
            new Service(
                "resnet18", "onnx", "fp32", List.of(List.of(1000L, 2000L), List.of(1100L, 2200L)))),
        List.of(new Calibration("resnet18", "onnx", List.of(-0.25, 0.5))));
  }

  @Test
  void fourWorkloadsOnTwoEngines_with128SamplesAnd4BusyLanes_areAtMost200KilobytesOfJson() {
    Random random = new Random(1);
    List<Service> services = new ArrayList<>();
    List<Calibration> calibrations = new ArrayList<>();
    for (String workload : List.of("resnet18", "resnet50", "vit", "vit_tiny")) {
      for (String backend : List.of("onnx", "pytorch")) {
        List<List<Long>> meanNs =
            IntStream.range(0, 4)
                .mapToObj(busy -> longs(random.longs(128, 10_000_000_000L, 99_999_999_999L)))
                .toList();
        services.add(new Service(workload, backend, "fp32", meanNs));
        List<Double> residuals = random.doubles(200, -0.5, 0.5).sorted().boxed().toList();
        calibrations.add(new Calibration(workload, backend, residuals));
      }
    }
    var table = new PredictionsPublished("e", "cpu", "3f9a1c02-1", 1, services, calibrations);

    assertThat(EventCodec.FACTS.write(table)).hasSizeLessThanOrEqualTo(200_000);
  }

  private static List<Long> longs(LongStream values) {
    return values.boxed().toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[1000,2000]       | [0,2000]          | meanNs (0) is out of range",
        "[1000,2000]       | [-5,2000]         | meanNs (-5) is out of range",
        "[1000,2000]       | [1e3,2000]        | ",
        "[1000,2000]       | [\"NaN\",2000]    | ",
        "[1000,2000]       | [null,2000]       | ",
        "[1000,2000]       | [1000000000000001,2000] | meanNs (1000000000000001) is out of range",
        "[1000,2000]       | [1000]            | meanNs has 1 samples and 2",
        "[[1000,2000],[1100,2200]] | []        | busy lanes (0) must be at least 1",
        "[-0.25,0.5]       | [0.5,-0.25]       | residual (-0.25) is out of range or out of order",
        "[-0.25,0.5]       | [\"NaN\",0.5]     | residual (NaN) is out of range or out of order",
        "[-0.25,0.5]       | [-0.25,1e300]     | residual (1.0E300) is out of range or out of order",
        "\"tableVersion\":1 | \"tableVersion\":0 | tableVersion (0) must be at least 1",
        "\"tableVersion\":1 | \"later\":1      | ",
        "\"deviceKind\":\"cpu\" | \"deviceKind\":null | deviceKind",
      })
  void whatIsNoTable_isRefused(String part, String instead, String reason) throws Exception {
    assertThat(EventCodec.FACTS.read(bytes(GOOD))).isEqualTo(small());
    assertThat(GOOD).contains(part);
    assertThatThrownBy(() -> EventCodec.FACTS.read(bytes(GOOD.replace(part, instead))))
        .isInstanceOf(UnreadableEventException.class)
        .hasMessageContaining(reason == null ? "" : reason);
  }

  @Test
  void aKeyStandsInItOnce_andResidualsAreFew() {
    PredictionsPublished table = small();
    Service service = table.services().get(0);
    Calibration calibration = table.calibrations().get(0);

    assertThatThrownBy(
            () ->
                new PredictionsPublished("e", "cpu", "m", 1, List.of(service, service), List.of()))
        .hasMessage("[resnet18, onnx, fp32] is there twice");
    assertThatThrownBy(
            () ->
                new PredictionsPublished(
                    "e", "cpu", "m", 1, List.of(service), List.of(calibration, calibration)))
        .hasMessage("[resnet18, onnx] is there twice");
    List<Double> many = IntStream.range(0, 201).mapToObj(i -> 0.01 * i).toList();
    assertThatThrownBy(() -> new Calibration("resnet18", "onnx", many))
        .hasMessage("residuals (201) are more than 200");
  }

  private static byte[] bytes(String json) {
    return json.getBytes(StandardCharsets.UTF_8);
  }
}
