package dev.sluice.executor.latency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.latency.Retraining.Measured;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Retraining on made-up times: alpha + beta × samples, 20 % more for each further busy lane, 5 %
 * noise.
 */
final class RetrainingTest {
  private static final ModelKey SMALL = new ModelKey("small", "onnx", "fp32");
  private static final ModelKey LARGE = new ModelKey("large", "onnx", "fp32");
  private static final ModelKey FOREIGN = new ModelKey("foreign", "onnx", "fp32");
  private static final PredictionTable REACH =
      new PredictionTable(List.of(SMALL, LARGE, FOREIGN), 1, 2, 16);
  private static final String KIND = "made-up";

  private final Random random = new Random(11);

  private static double trueNs(ModelKey model, int samples, int busyLanes) {
    double ms = model.equals(SMALL) ? 2 + 0.5 * samples : 8 + 2.0 * samples;
    return ms * 1e6 * (1 + 0.2 * (busyLanes - 1));
  }

  private long measuredNs(ModelKey model, int samples, int busyLanes, double factor) {
    double noise = Math.exp(0.05 * random.nextGaussian());
    return Math.round(trueNs(model, samples, busyLanes) * factor * noise);
  }

  private LatencyModel profiled() {
    List<ProfileRow> rows = new ArrayList<>();
    for (int pass = 1; pass <= 3; pass++) {
      for (ModelKey model : List.of(SMALL, LARGE)) {
        for (int samples : new int[] {1, 4, 8, 16}) {
          for (int busyLanes = 1; busyLanes <= 2; busyLanes++) {
            for (int repeat = 1; repeat <= 10; repeat++) {
              rows.add(
                  new ProfileRow(
                      KIND,
                      new LatencyKey(
                          new ModelKey(model.workload(), "onnx", "fp32"), 1, samples, busyLanes),
                      pass,
                      repeat,
                      rows.size(),
                      measuredNs(model, samples, busyLanes, 1),
                      null,
                      0,
                      0));
            }
          }
        }
      }
    }
    return Trainer.train(rows, 7).model();
  }

  private List<Measured> run(int batches, double factor) {
    List<Measured> measured = new ArrayList<>();
    for (int i = 0; i < batches; i++) {
      ModelKey model = i % 3 == 0 ? LARGE : SMALL;
      int samples = 1 + random.nextInt(16);
      int busyLanes = 1 + random.nextInt(2);
      measured.add(
          new Measured(
              model, samples, busyLanes, i, measuredNs(model, samples, busyLanes, factor)));
    }
    return measured;
  }

  @Test
  void aTableHoldsEveryBatchInReach_ofTheModelsThatWereMeasured() {
    PredictionsPublished table = REACH.fill(profiled(), "executor-0", 1);
    assertThat(table.deviceKind()).isEqualTo(KIND);
    assertThat(table.services())
        .extracting(PredictionsPublished.Service::workload)
        .containsExactly("small", "large");
    for (var service : table.services()) {
      assertThat(service.meanNs()).hasSize(2).allMatch(bySamples -> bySamples.size() == 16);
    }
    assertThat(PredictionTable.meanNs(table, LARGE, 5, 2))
        .isCloseTo(trueNs(LARGE, 5, 2), within(0.1 * trueNs(LARGE, 5, 2)));
    assertThat(PredictionTable.meanNs(table, FOREIGN, 1, 1)).isNaN();
    assertThat(table.calibrations()).hasSize(2).allMatch(c -> c.residuals().size() >= 99);
  }

  @Test
  void lanesThatBecameSlower_giveABetterTable() {
    LatencyModel profiled = profiled();
    PredictionsPublished first = REACH.fill(profiled, "executor-0", 1);
    var outcome = new Retraining(REACH).run(profiled, KIND, run(400, 1.5), first, "executor-0");
    assertThat(outcome.errorBefore()).isCloseTo(Math.log(1.5), within(0.03));
    assertThat(outcome.errorAfter()).isLessThan(0.06);
    PredictionsPublished table = outcome.table();
    assertThat(table).isNotNull();
    assertThat(table.tableVersion()).isEqualTo(2);
    assertThat(table.modelVersion()).isNotEqualTo(first.modelVersion());
    assertThat(PredictionTable.meanNs(table, SMALL, 11, 1))
        .isCloseTo(1.5 * trueNs(SMALL, 11, 1), within(0.15 * trueNs(SMALL, 11, 1)));
  }

  @Test
  void aTableThatIsAsGood_isNotPublished() {
    LatencyModel profiled = profiled();
    PredictionsPublished first = REACH.fill(profiled, "executor-0", 1);
    var retraining = new Retraining(REACH);
    var again = retraining.run(profiled, KIND, run(400, 1.5), first, "executor-0").table();
    assertThat(again).isNotNull();
    assertThat(retraining.run(profiled, KIND, run(400, 1.5), again, "executor-0").table()).isNull();
  }

  @Test
  void aFewBatches_teachNothing() {
    LatencyModel profiled = profiled();
    var outcome = new Retraining(REACH).run(profiled, KIND, run(59, 3), null, "executor-0");
    assertThat(outcome.table()).isNull();
    assertThat(outcome.rows()).isEqualTo(59);
  }

  @Test
  void withoutAProfile_theRunItselfTeaches() {
    var outcome = new Retraining(REACH).run(null, KIND, run(1500, 1), null, "executor-0");
    PredictionsPublished table = outcome.table();
    assertThat(table).isNotNull();
    assertThat(table.tableVersion()).isEqualTo(1);
    assertThat(outcome.errorBefore()).isNaN();
    assertThat(outcome.errorAfter()).isLessThan(0.06);
  }
}
