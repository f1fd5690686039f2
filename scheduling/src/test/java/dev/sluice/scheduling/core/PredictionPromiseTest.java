package dev.sluice.scheduling.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.value.Prediction;
import dev.sluice.scheduling.core.VirtualLanes.Done;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The core's predictions over thousands of batches at load 0.8, with a known truth. */
final class PredictionPromiseTest {
  private static final double Z95 = 1.6449;
  private static final double Z99 = 2.3263;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void boundsAreMissedAsPromised_andTight_whileTheMachineDrifts(long seed) {
    VirtualLanes lanes =
        new VirtualLanes(seed, 0.8, batches -> Math.exp(0.25 * Math.sin(batches / 700.0)))
            .publish(1, 1)
            .run(12_000);

    assertThat(missRate(lanes.done, Prediction::p95Ns)).isBetween(0.04, 0.06);
    assertThat(missRate(lanes.done, Prediction::p99Ns)).isBetween(0.006, 0.015);
    assertThat(overTrueQuantile(lanes.done, Prediction::p95Ns, Z95)).isBetween(0.95, 1.25);
    assertThat(overTrueQuantile(lanes.done, Prediction::p99Ns, Z99)).isBetween(0.95, 1.25);
  }

  @Test
  void boundsAreMissedAsPromised_withoutATable() {
    VirtualLanes lanes = new VirtualLanes(6, 0.8, batches -> 1).run(12_000);

    assertThat(missRate(lanes.done, Prediction::p95Ns)).isBetween(0.04, 0.06);
    assertThat(missRate(lanes.done, Prediction::p99Ns)).isBetween(0.006, 0.015);
    assertThat(lanes.done.get(0).dispatch().prediction().p95Ns()).isNull();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void errorsAreBackWithinTwentyBatches_whenTheLanesSlowDownByHalf(long seed) {
    VirtualLanes lanes =
        new VirtualLanes(seed, 0.6, batches -> batches < 4000 ? 1 : 1.5).publish(1, 1).run(4000);
    var before = lanes.byWorkload(3000);
    int ran = lanes.done.size();
    var after = lanes.run(2000).byWorkload(ran);

    before.forEach(
        (workload, batches) -> {
          List<Done> slow = after.get(workload);
          assertThat(slow).hasSizeGreaterThan(60);
          assertThat(medianError(slow.subList(20, 60)))
              .as(workload)
              .isLessThan(2 * medianError(batches));
        });
  }

  @Test
  void aNewTableThatHoldsWhatWasLearnt_changesNoPredictionForTheWorse() {
    VirtualLanes lanes = new VirtualLanes(7, 0.6, batches -> 1.4).publish(1, 1).run(3000);
    double learnt = medianError(lanes.done.subList(2000, 3000));
    lanes.publish(2, 1.4).run(300);
    List<Done> retrained = byTable(lanes, "model-2");
    assertThat(retrained).hasSizeGreaterThan(280);
    assertThat(medianError(retrained)).isLessThan(1.3 * learnt);

    lanes.publish(3, 1).run(300);
    assertThat(medianError(byTable(lanes, "model-3")))
        .as("nor does one that lacks it")
        .isLessThan(1.3 * learnt);
  }

  private static List<Done> byTable(VirtualLanes lanes, String modelVersion) {
    return lanes.done.stream()
        .filter(d -> modelVersion.equals(d.dispatch().prediction().modelVersion()))
        .toList();
  }

  private static double missRate(List<Done> done, Function<Prediction, @Nullable Long> bound) {
    int judged = 0;
    int missed = 0;
    for (Done batch : done) {
      Long boundNs = bound.apply(batch.dispatch().prediction());
      if (boundNs != null) {
        judged++;
        missed += batch.serviceNs() > boundNs ? 1 : 0;
      }
    }
    assertThat(judged).isGreaterThanOrEqualTo(10_000);
    return (double) missed / judged;
  }

  private static double overTrueQuantile(
      List<Done> done, Function<Prediction, @Nullable Long> bound, double z) {
    List<Double> ratios = new ArrayList<>();
    for (Done batch : done) {
      Long boundNs = bound.apply(batch.dispatch().prediction());
      if (boundNs != null) {
        ratios.add(boundNs / (batch.typicalNs() * Math.exp(z * batch.spread())));
      }
    }
    return median(ratios);
  }

  private static double medianError(List<Done> done) {
    return median(
        done.stream()
            .map(
                d ->
                    Math.abs(Math.log((double) d.serviceNs() / d.dispatch().prediction().meanNs())))
            .toList());
  }

  private static double median(List<Double> values) {
    return values.stream().sorted().toList().get(values.size() / 2);
  }
}
