package dev.sluice.executor.latency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.value.SplitMix64;
import dev.sluice.executor.latency.LatencyModel.Method;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import smile.base.cart.Loss;
import smile.data.DataFrame;
import smile.data.Tuple;
import smile.data.formula.Formula;
import smile.data.vector.DoubleVector;
import smile.math.MathEx;
import smile.regression.GradientTreeBoost;
import smile.regression.RandomForest;

/** Both kinds of ensembles beside Smile's own. */
final class EnsembleTest {
  private static final long SEED = 5;
  private static final List<ProfileRow> ROWS = SyntheticProfile.linear(0.02, 0.1).rows(1);
  private static final List<Medians.OfPass> MEDIANS = Medians.byKeyAndPass(ROWS);
  private static final Ensemble.Features FEATURES = new Ensemble.Features(ROWS);
  private static final Fit LINES = new Fit(ROWS);
  private static final DataFrame X =
      DataFrame.of(
          MEDIANS.stream().map(m -> FEATURES.of(m.key())).toArray(double[][]::new),
          FEATURES.names().toArray(String[]::new));
  private static final DataFrame TABLE = X.merge(DoubleVector.of("y", target()));

  private static double[] target() {
    return MEDIANS.stream().mapToDouble(m -> m.lnNs() - line(m.key())).toArray();
  }

  private static double line(LatencyKey key) {
    return LINES.lnNs(Method.LINE, key);
  }

  @Test
  void theForestGivesWhatSmilesGives_toTheLastBit() {
    var smile =
        RandomForest.fit(
            Formula.lhs("y"),
            TABLE,
            200,
            FEATURES.names().size() / 3,
            20,
            MEDIANS.size(),
            2,
            1.0,
            LongStream.range(0, 200).map(i -> Ensemble.treeSeed(SEED, i)));
    Ensemble ours = Ensemble.fit(Method.FOREST, MEDIANS, FEATURES, EnsembleTest::line, SEED);
    for (LatencyKey key : SyntheticProfile.keys(1, 2, 3, 5, 8, 40)) {
      double overLine = smile.predict(Tuple.of(FEATURES.of(key), X.schema()));
      assertThat(ours.overLine(key)).isEqualTo(overLine);
    }
  }

  @Test
  void eachTreeOfAForestHasItsOwnSeed() {
    // Smile does not apply a seed of 1 or less.
    assertThat(LongStream.range(0, 200).map(i -> Ensemble.treeSeed(SEED, i)))
        .allMatch(seed -> seed > 1)
        .doesNotHaveDuplicates();
  }

  @Test
  void boostingGivesWhatSmilesGives_toTheLastBit() {
    MathEx.setSeed(SplitMix64.derived(SEED, -1));
    var smile = GradientTreeBoost.fit(Formula.lhs("y"), TABLE, Loss.lad(), 200, 6, 6, 3, 0.05, 0.7);
    Ensemble ours = Ensemble.fit(Method.BOOSTING, MEDIANS, FEATURES, EnsembleTest::line, SEED);
    for (LatencyKey key : SyntheticProfile.keys(1, 2, 3, 5, 8, 40)) {
      double overLine = smile.predict(Tuple.of(FEATURES.of(key), X.schema()));
      assertThat(ours.overLine(key)).isEqualTo(overLine);
    }
  }

  @Test
  void featuresAreWhatTheKeySays_inAFixedOrder() {
    assertThat(FEATURES.names())
        .containsExactly(
            "workload_large",
            "workload_small",
            "backend_onnx",
            "backend_pytorch",
            "precision_fp32",
            "flops_per_sample",
            "parameters",
            "samples",
            "busy_lanes",
            "threads");
    assertThat(FEATURES.of(SyntheticProfile.key("small", "onnx", 4, 2)))
        .containsExactly(0, 1, 1, 0, 1, 2e9, 5e6, 4, 2, 1);
    assertThat(Arrays.stream(FEATURES.of(SyntheticProfile.key("large", "pytorch", 1, 1))).sum())
        .isEqualTo(3 + 8e9 + 25e6 + 3);
  }
}
