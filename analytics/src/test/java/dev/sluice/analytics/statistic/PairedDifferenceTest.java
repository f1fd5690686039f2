package dev.sluice.analytics.statistic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** Student's paired test, held to numbers that R and SciPy 1.17.1 give. */
final class PairedDifferenceTest {
  /** Hours of sleep that a second drug gave above a first one: Student, Biometrika 6, 1908. */
  private static final List<Double> SLEEP =
      List.of(1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4);

  private static final Offset<Double> DIGITS = within(5e-5);

  @Test
  void isStudentsOwnExample() {
    PairedDifference sleep = PairedDifference.of(SLEEP);
    assertThat(sleep.p()).isCloseTo(0.002832890197384273, within(1e-12));
    assertThat(sleep.interval().mean()).isCloseTo(1.58, within(1e-12));
    assertThat(sleep.interval().low()).isCloseTo(0.7001142367230175, within(1e-9));
    assertThat(sleep.interval().high()).isCloseTo(2.459885763276983, within(1e-9));
  }

  @Test
  void equalDifferences_areCertain_andNoDifferenceIsNone() {
    assertThat(PairedDifference.of(Collections.nCopies(8, 0.5)).p()).isZero();
    assertThat(PairedDifference.of(Collections.nCopies(8, 0.0)).p()).isEqualTo(1);
    assertThat(PairedDifference.of(List.of(0.5)).p()).isNaN();
    assertThat(PairedDifference.of(List.of(0.5)).detectable(0.05)).isNaN();
  }

  @Test
  void knowsWhatFourOfFiveTestsFind() {
    // solved for the power 0.8 with the noncentral t of SciPy; power.t.test of R says the same
    assertThat(PairedDifference.detectableEffect(8, 0.05)).isCloseTo(1.156034677994664, DIGITS);
    assertThat(PairedDifference.detectableEffect(8, 0.005)).isCloseTo(1.8051613576537497, DIGITS);
    assertThat(PairedDifference.detectableEffect(20, 0.05)).isCloseTo(0.6604416546231745, DIGITS);
    assertThat(PairedDifference.detectableEffect(100, 0.01)).isCloseTo(0.3475879364913373, DIGITS);
  }

  @Test
  void findsADetectableDifferenceFourTimesInFive_andNoneOneTimeInTwenty() {
    var random = new Random(7);
    double effect = PairedDifference.detectableEffect(8, 0.05);
    int found = 0;
    int wrong = 0;
    int tests = 10_000;
    for (int i = 0; i < tests; i++) {
      List<Double> nothing = new ArrayList<>();
      List<Double> differences = new ArrayList<>();
      for (int pair = 0; pair < 8; pair++) {
        nothing.add(3 * random.nextGaussian());
        differences.add(3 * (effect + random.nextGaussian()));
      }
      found += PairedDifference.of(differences).p() <= 0.05 ? 1 : 0;
      wrong += PairedDifference.of(nothing).p() <= 0.05 ? 1 : 0;
    }
    assertThat((double) found / tests).isCloseTo(0.8, within(0.012)); // three standard errors
    assertThat((double) wrong / tests).isCloseTo(0.05, within(0.0066));
  }
}
