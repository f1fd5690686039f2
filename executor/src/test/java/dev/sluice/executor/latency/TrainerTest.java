package dev.sluice.executor.latency;

import static dev.sluice.executor.latency.SyntheticProfile.key;
import static dev.sluice.executor.latency.SyntheticProfile.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.latency.LatencyModel.Method;
import dev.sluice.executor.latency.LatencyModel.Reach;
import dev.sluice.executor.latency.Validation.ErrorFigures;
import dev.sluice.executor.latency.Validation.Pair;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ForkJoinPool;
import org.junit.jupiter.api.Test;

/**
 * Training on rows whose law is known: the fitted values, the chosen method, and the error figures.
 */
final class TrainerTest {
  @Test
  void theNoiseFloorIsTheErrorOfTheOtherPassesMedians() {
    List<ProfileRow> rows = new ArrayList<>();
    double[][] msByPass = {{10, 10, 10}, {20, 20, 20}, {40, 40, 40}};
    for (int pass = 1; pass <= 3; pass++) {
      for (int repeat = 1; repeat <= 3; repeat++) {
        rows.add(row(key("a", "onnx", 1, 1), pass, repeat, msByPass[pass - 1][repeat - 1]));
        rows.add(row(key("b", "onnx", 1, 1), pass, repeat, 7));
      }
    }
    var validation = Trainer.train(rows, 1).validation();
    // a: 10 beside a median of √(20 × 40), 20 beside √(10 × 40), 40 beside √(10 × 20)
    double[] errors = {Math.log(Math.sqrt(800) / 10), 0, Math.log(40 / Math.sqrt(200))};
    assertThat(validation.noiseFloor(Reach.SEEN).rows()).isEqualTo(18);
    assertThat(validation.noiseFloor(Reach.SEEN).medianAbsoluteLog()).isZero();
    var pairs = new ArrayList<Pair>();
    validation.at(Reach.SEEN).stream()
        .filter(held -> held.row().key().workload().equals("a"))
        .forEach(
            held ->
                pairs.add(
                    new Pair(
                        Math.log(held.row().serviceNs() / 1e6),
                        Math.log(validation.predictedMs(held)))));
    assertThat(pairs.stream().map(Pair::absoluteLog).distinct().toList())
        .usingComparatorForType((x, y) -> Math.abs(x - y) < 1e-9 ? 0 : 1, Double.class)
        .containsExactly(errors[0], errors[1], errors[2]);
  }

  @Test
  void seenKeysAreAsGoodAsTheNoiseFloorAllows_andUnseenSamplesNearlySo() {
    var trained = Trainer.train(SyntheticProfile.linear(0.02, 0.05).rows(3), 1);
    var validation = trained.validation();
    double floor = validation.noiseFloor(Reach.SEEN).medianAbsoluteLog();
    assertThat(floor).isBetween(0.03, 0.06);
    assertThat(validation.chosen(Reach.SEEN).medianAbsoluteLog()).isLessThan(1.15 * floor);
    for (Reach reach : List.of(Reach.BETWEEN, Reach.BEYOND)) {
      assertThat(validation.at(reach)).isNotEmpty();
      assertThat(validation.chosen(reach).medianAbsoluteLog())
          .isLessThan(1.5 * validation.noiseFloor(reach).medianAbsoluteLog());
    }
  }

  @Test
  void interpolatesALawOfTheFormAlphaPlusBetaTimesSamples_exactly() {
    LatencyModel model = Trainer.train(SyntheticProfile.linear(0, 0).rows(1), 1).model();
    for (LatencyKey key : SyntheticProfile.keys(1, 3, 5, 7, 8, 64)) {
      assertThat(model.predictNs(key) / 1e6)
          .isCloseTo(SyntheticProfile.linearMs(key), within(1e-5));
    }
    assertThat(model.reach(key("small", "onnx", 8, 1))).isEqualTo(Reach.SEEN);
    assertThat(model.reach(key("small", "onnx", 7, 1))).isEqualTo(Reach.BETWEEN);
    assertThat(model.reach(key("small", "onnx", 9, 1))).isEqualTo(Reach.BEYOND);
  }

  @Test
  void choosesTheMedian_whereEachKeyHasALawOfItsOwn() {
    var odd =
        new SyntheticProfile(
            SyntheticProfile.keys(1, 2, 3, 4, 5),
            k -> 10 + 5 * Math.sin(7 * k.samples() + 3 * SyntheticProfile.linearMs(k)),
            2,
            4,
            0,
            0.01);
    var trained = Trainer.train(odd.rows(1), 1);
    assertThat(trained.model().choice().get(Reach.SEEN)).isEqualTo(Method.MEDIAN);
    assertThat(trained.validation().byMethod(Reach.SEEN)).hasSize(Method.values().length);
    assertThat(trained.validation().byMethod(Reach.BETWEEN).keySet())
        .containsExactly(Method.INTERPOLATED, Method.LINE, Method.BOOSTING, Method.FOREST);
    assertThat(trained.validation().byMethod(Reach.BEYOND).keySet())
        .containsExactly(Method.LINE, Method.BOOSTING, Method.FOREST);
  }

  @Test
  void treesLearnABendThatAllCurvesShareAndNoLineHas() {
    var stairs =
        new SyntheticProfile(
            SyntheticProfile.keys(1, 2, 3, 4, 5), k -> k.samples() <= 2 ? 10 : 30, 2, 2, 0, 0.02);
    var rows = stairs.rows(1);
    var fit = Fit.to(rows, 1, List.of(Method.FOREST, Method.BOOSTING));
    for (Method trees : List.of(Method.BOOSTING, Method.FOREST)) {
      assertThat(errors(fit, trees, rows).medianAbsoluteLog())
          .isLessThan(0.8 * errors(fit, Method.LINE, rows).medianAbsoluteLog());
    }
  }

  private static ErrorFigures errors(LatencyModel model, List<ProfileRow> rows) {
    return ErrorFigures.of(
        rows.stream()
            .map(row -> new Pair(row.lnNs(), StrictMath.log(model.predictNs(row.key()))))
            .toList());
  }

  private static ErrorFigures errors(Fit fit, Method method, List<ProfileRow> rows) {
    return ErrorFigures.of(
        rows.stream().map(r -> new Pair(r.lnNs(), fit.lnNs(method, r.key()))).toList());
  }

  @Test
  void onePauseMovesNothing() {
    var rows = SyntheticProfile.linear(0, 0.01).rows(2);
    LatencyKey key = key("small", "onnx", 2, 1);
    double before = Models.ofMedians(rows).predictNs(key);
    var paused = new ArrayList<>(rows);
    paused.replaceAll(
        r -> r.key().equals(key) && r.pass() == 2 && r.repeat() == 5 ? row(key, 2, 5, 9_999) : r);
    assertThat(Models.ofMedians(paused).predictNs(key)).isCloseTo(before, within(0.01 * before));
  }

  @Test
  void equalRowsGiveAnEqualFile_inWhateverOrderAndOnWhateverThreads() throws Exception {
    var rows = SyntheticProfile.linear(0.02, 0.05).rows(4);
    byte[] first = ModelFile.bytes(withTrees(rows));
    var shuffled = new ArrayList<>(rows);
    Collections.shuffle(shuffled, new Random(9));
    var one = new ForkJoinPool(1);
    try {
      assertThat(one.submit(() -> ModelFile.bytes(withTrees(shuffled))).get()).isEqualTo(first);
    } finally {
      one.shutdown();
    }
    var few = new SyntheticProfile(SyntheticProfile.keys(1, 2, 4), k -> k.samples(), 2, 3, 0, 0.1);
    var fewShuffled = new ArrayList<>(few.rows(4));
    Collections.shuffle(fewShuffled, new Random(8));
    assertThat(ModelFile.bytes(Trainer.train(fewShuffled, 7).model()))
        .isEqualTo(ModelFile.bytes(Trainer.train(few.rows(4), 7).model()));
  }

  private static LatencyModel withTrees(List<ProfileRow> rows) {
    return Models.of(rows, Method.FOREST, Method.BOOSTING, Method.FOREST);
  }

  @Test
  void aRefitKeepsTheChoice_andFollowsItsRows() {
    var keys = SyntheticProfile.keys(1, 2, 8);
    var first = new SyntheticProfile(keys, SyntheticProfile::linearMs, 2, 5, 0, 0.02);
    var before = Trainer.train(first.rows(1), 1).model();
    var slower = new SyntheticProfile(keys, k -> 1.5 * SyntheticProfile.linearMs(k), 2, 5, 0, 0.02);
    var after = Trainer.refit(before, slower.rows(2));
    assertThat(after.choice()).isEqualTo(before.choice());
    assertThat(after.version()).isNotEqualTo(before.version());
    LatencyKey key = key("large", "onnx", 8, 2);
    assertThat(after.predictNs(key) / before.predictNs(key)).isCloseTo(1.5, within(0.05));
    assertThat(errors(after, slower.rows(3)).medianAbsoluteLog()).isLessThan(0.03);
    assertThat(errors(before, slower.rows(3)).medianAbsoluteLog())
        .isCloseTo(Math.log(1.5), within(0.03));
    assertThat(after.residuals("large", "onnx", Reach.SEEN))
        .isNotEqualTo(before.residuals("large", "onnx", Reach.SEEN));
    assertThat(after.residuals("large", "onnx", Reach.BETWEEN))
        .hasSize(20)
        .isEqualTo(before.residuals("large", "onnx", Reach.BETWEEN));
  }

  @Test
  void betweenMeasuredCountsOfBusyLanesTimesAreInterpolated_andBeyondThemTheNearestHolds() {
    var keys = new ArrayList<LatencyKey>();
    for (int samples : new int[] {1, 2, 4}) {
      keys.add(key("a", "onnx", samples, 1));
      keys.add(key("a", "onnx", samples, 5));
    }
    var profile =
        new SyntheticProfile(keys, k -> k.samples() * (k.busyLanes() == 1 ? 10 : 30), 2, 3, 0, 0);
    LatencyModel model = Models.ofMedians(profile.rows(1));
    assertThat(model.predictNs(key("a", "onnx", 2, 3)) / 1e6).isCloseTo(40, within(1e-6));
    assertThat(model.predictNs(key("a", "onnx", 2, 9)) / 1e6).isCloseTo(60, within(1e-6));
    assertThat(model.knows(key("b", "onnx", 2, 1))).isFalse();
    assertThatThrownBy(() -> model.predictNs(key("b", "onnx", 2, 1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(model.knows(new LatencyKey(new ModelKey("a", "onnx", "fp32"), 2, 1, 1))).isFalse();
  }

  @Test
  void aLineNeitherFallsNorBeginsBelowZero() {
    assertThat(line(1, 10, 2, 18)).isEqualTo(new Fit.Line(2, 8));
    var steep = line(1, 1, 2, 10); // a line through both points would begin at -8
    assertThat(steep.alphaNs()).isZero();
    assertThat(steep.betaNs()).isBetween(1.0, 5.0);
    var falling = line(1, 20, 2, 10);
    assertThat(falling.betaNs()).isZero();
    assertThat(falling.alphaNs()).isBetween(10.0, 20.0);
    var one = new TreeMap<Integer, Double>();
    one.put(4, Math.log(100));
    assertThat(Fit.Line.through(one).betaNs()).isCloseTo(25, within(1e-9));
  }

  private static Fit.Line line(int samples1, double ns1, int samples2, double ns2) {
    var points = new TreeMap<Integer, Double>();
    points.put(samples1, StrictMath.log(ns1));
    points.put(samples2, StrictMath.log(ns2));
    Fit.Line line = Fit.Line.through(points);
    return new Fit.Line(
        Math.rint(line.alphaNs() * 1e6) / 1e6, Math.rint(line.betaNs() * 1e6) / 1e6);
  }

  @Test
  void errorsAreWhatTheirNamesSay() {
    var figures =
        ErrorFigures.of(
            List.of(
                new Pair(Math.log(10e6), Math.log(10e6)),
                new Pair(Math.log(20e6), Math.log(22e6)),
                new Pair(Math.log(60e6), Math.log(30e6))));
    assertThat(figures.rows()).isEqualTo(3);
    assertThat(figures.medianAbsoluteLog()).isCloseTo(Math.log(1.1), within(1e-12));
    assertThat(figures.maeMs()).isCloseTo((0 + 2 + 30) / 3.0, within(1e-9));
    assertThat(figures.mape()).isCloseTo((0 + 0.1 + 0.5) / 3, within(1e-9));
    // the mean is 30: squared distances 400 + 100 + 900, squared errors 0 + 4 + 900
    assertThat(figures.rSquared()).isCloseTo(1 - 904 / 1400.0, within(1e-9));
  }

  @Test
  void sharedDriftOfAPassIsSeenInTheMissRate() {
    var quiet = Trainer.train(SyntheticProfile.linear(0, 0.02).rows(6), 1).validation();
    assertThat(quiet.coverage(0.95).rows()).isEqualTo(960);
    assertThat(quiet.coverage(0.95).missRate()).isBetween(0.02, 0.08);
    var drifting = Trainer.train(SyntheticProfile.linear(0.3, 0.02).rows(6), 1).validation();
    assertThat(drifting.coverage(0.95).missRate()).isGreaterThan(0.1);
  }

  @Test
  void rowsThatNoModelCanBeFittedToAreRefused() {
    LatencyKey a = key("a", "onnx", 1, 1);
    LatencyKey b = key("b", "onnx", 1, 1);
    assertRefused(
        List.of(row(a, 1, 1, 5), row(a, 2, 1, 5), row(a, 2, 2, 5)),
        "the profile has rows of one key only (a on onnx in fp32, 1 sample, 1 busy lane of 1"
            + " thread)");
    assertRefused(
        List.of(row(a, 1, 1, 5), row(a, 1, 2, 5), row(a, 1, 3, 5), row(b, 1, 1, 5)),
        "the profile has one pass only");
    assertRefused(
        List.of(row(a, 1, 1, 5), row(a, 2, 1, 5), row(b, 1, 1, 5)),
        "2 of 2 keys have fewer than 3 rows: 3 more rows are needed");
    assertRefused(
        List.of(
            row(a, 1, 1, 5), row(a, 2, 1, 5), row(a, 2, 2, 5), row(b, 1, 1, 5), row(b, 2, 1, 5)),
        "1 of 2 keys has fewer than 3 rows: 1 more row is needed");
    var other = new ProfileRow("other", a, 1, 1, 0, 5, null, 0, 0);
    assertRefused(
        List.of(row(a, 1, 1, 5), other),
        "the profile has rows of several device kinds (other, synthetic)");
    assertThatThrownBy(() -> Trainer.checked(List.of(other), "p.csv", "cpu"))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("no row of device kind (cpu)")
        .hasMessageContaining("Maybe you want --device-kind other");
  }

  private static void assertRefused(List<ProfileRow> rows, String what) {
    assertThatThrownBy(() -> Trainer.checked(rows, "p.csv", null))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageStartingWith("p.csv: error: " + what)
        .hasMessageContaining("\n  Maybe ");
  }
}
