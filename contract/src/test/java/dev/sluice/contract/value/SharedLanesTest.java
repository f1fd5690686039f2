package dev.sluice.contract.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Batches as amounts of work, by hand. */
final class SharedLanesTest {
  private static final double[] TWICE_AS_LONG_BESIDE_ANOTHER = {100, 200};

  private final SharedLanes lanes = new SharedLanes(3);
  private final int[] ended = new int[3];

  @Test
  void takesItsTime_whenAlone() {
    lanes.start(1, TWICE_AS_LONG_BESIDE_ANOTHER, 1, 40);
    assertThat(lanes.nextFinishNs()).isEqualTo(140);
    assertThat(lanes.endNext(ended)).isEqualTo(1);
    assertThat(ended[0]).isEqualTo(1);
    assertThat(lanes.nextFinishNs()).isEqualTo(SharedLanes.NEVER);
  }

  @Test
  void isSlower_forAsLongAsAnotherRuns() {
    lanes.start(0, TWICE_AS_LONG_BESIDE_ANOTHER, 1, 0); // half done at 50
    lanes.start(1, TWICE_AS_LONG_BESIDE_ANOTHER, 1, 50); // then at half the rate
    assertThat(lanes.nextFinishNs()).isEqualTo(150);
    assertThat(lanes.endNext(ended)).isEqualTo(1);
    assertThat(ended[0]).isZero();
    assertThat(lanes.nextFinishNs()).isEqualTo(200); // half was left, now alone
  }

  @Test
  void takesTheLastEntry_beyondWhatIsKnown() {
    lanes.start(0, TWICE_AS_LONG_BESIDE_ANOTHER, 1, 0);
    lanes.start(1, TWICE_AS_LONG_BESIDE_ANOTHER, 1, 0);
    lanes.start(2, TWICE_AS_LONG_BESIDE_ANOTHER, 1, 0);
    assertThat(lanes.nextFinishNs()).isEqualTo(200);
  }

  @Test
  void endsAllThatIsDoneAtOneTime_inTheOrderOfTheirStarts() {
    lanes.start(2, new double[] {100}, 1, 0);
    lanes.start(0, new double[] {100}, 1, 0);
    lanes.start(1, new double[] {101}, 1, 0);
    assertThat(lanes.endNext(ended)).isEqualTo(2);
    assertThat(ended).startsWith(2, 0);
    assertThat(lanes.busy()).isOne();
    assertThat(lanes.nextFinishNs()).isEqualTo(101);
  }

  @Test
  void leavesThoseAloneThatDependOnNobody() {
    lanes.start(0, new double[] {100}, 1, 0);
    lanes.start(1, TWICE_AS_LONG_BESIDE_ANOTHER, 0.5, 50);
    assertThat(lanes.nextFinishNs()).isEqualTo(100);
    assertThat(lanes.endNext(ended)).isOne();
    assertThat(lanes.nextFinishNs()).isEqualTo(125); // half done beside the other, half alone
  }

  @Test
  void refusesASecondBatchOnALane() {
    lanes.start(0, new double[] {100}, 1, 0);
    assertThatThrownBy(() -> lanes.start(0, new double[] {100}, 1, 10))
        .isInstanceOf(IllegalStateException.class);
  }
}
