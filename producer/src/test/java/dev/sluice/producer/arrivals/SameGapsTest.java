package dev.sluice.producer.arrivals;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.experiment.LoadShape.Diurnal;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Gaps that a seed gives in every build, on every machine: a request list is the same wherever it
 * is drawn. That they are distributed as they should be is tested elsewhere; the two together leave
 * no formula to slip.
 */
final class SameGapsTest {
  @Test
  void constant() {
    assertThat(gapsNs(ArrivalProcesses.constant(8))).containsOnly(125_000_000L);
  }

  @Test
  void poisson() {
    assertThat(gapsNs(ArrivalProcesses.poisson(8)))
        .containsExactly(205086109, 155073864, 210626832, 52503051, 177837573, 116945040);
  }

  /** A shape below 1 takes another draw than one of 1 and above. */
  @Test
  void gamma() {
    assertThat(gapsNs(new GammaArrivals(8, Map.of("cv", 2.0))))
        .containsExactly(51750375, 11220548, 5979027, 324599, 37576474, 309878);
    assertThat(gapsNs(new GammaArrivals(8, Map.of("cv", 1.0))))
        .containsExactly(45885293, 88694897, 10457443, 134434608, 64769771, 1643846);
    assertThat(gapsNs(new GammaArrivals(8, Map.of("cv", 0.5))))
        .containsExactly(90126813, 117689374, 55869310, 141826766, 103174588, 37447406);
  }

  /** The sampler rejects a draw now and then; another rejection would move all that follows. */
  @Test
  void gammaAfterManyRejections() {
    assertThat(sumNs(2, 3000)).isEqualTo(377_666_148_499L);
    assertThat(sumNs(0.5, 3000)).isEqualTo(374_160_543_402L);
  }

  private static long sumNs(double cv, int count) {
    var process = new GammaArrivals(8, Map.of("cv", cv));
    RandomStream random = RandomStream.of(42, "arrivals");
    return LongStream.range(0, count).map(i -> Math.round(process.nextGapNs(random))).sum();
  }

  @Test
  void mmpp() {
    assertThat(gapsNs(mmpp(4, 0.1, 2)))
        .containsExactly(230212747, 77942674, 173609131, 86857622, 214293375, 137260347);
    assertThat(gapsNs(mmpp(2, 0.5, 0.05)))
        .containsExactly(34460859, 11667345, 25987787, 13001835, 32077866, 332485569);
  }

  private static MmppArrivals mmpp(double burst, double share, double meanBurstSeconds) {
    return new MmppArrivals(
        8, Map.of("burst", burst, "share", share, "mean_burst_seconds", meanBurstSeconds));
  }

  @Test
  void aPurposeHasItsStream() {
    RandomStream random = RandomStream.of(42, "arrivals");
    assertThat(random.nextLong()).isEqualTo(3575836046660719156L);
    assertThat(random.nextOpenUnit()).isEqualTo(0.2892132667787649);
    assertThat(random.nextBelow(1000)).isEqualTo(740);
    assertThat(random.nextBelow(1000)).isEqualTo(878);
  }

  /** Each repeat of an experiment has a seed of its own, and always the same one. */
  @Test
  void aRepeatHasItsSeed() {
    assertThat(RepeatSeeds.of(42, 1)).isEqualTo(RandomStream.of(42, "repeat-1").nextLong());
    assertThat(RepeatSeeds.of(42, 2)).isEqualTo(RandomStream.of(42, "repeat-2").nextLong());
  }

  @Test
  void aSineBendsTheTime() {
    var time = new DiurnalTime(new Diurnal(10, 0.8));
    assertThat(LongStream.range(0, 8).map(i -> time.atNs(i * 2_750_000_000L)))
        .containsExactly(
            0L,
            1_926_040_125L,
            3_486_883_515L,
            5_903_029_199L,
            10_830_535_625L,
            12_487_089_079L,
            14_136_405_650L,
            19_012_834_445L);
  }

  /** A time is the sum of the gaps rounded down, not the sum of gaps that were rounded. */
  @Test
  void fractionsOfGapsAddUp() {
    ArrivalProcess quarters = random -> 1.25;
    var times = new IntendedTimes(quarters, RandomStream.of(1, "any"), RescaledTime.EVEN);
    assertThat(LongStream.range(0, 7).map(i -> times.nextNs()))
        .containsExactly(1L, 2L, 3L, 5L, 6L, 7L, 8L);
  }

  private static long[] gapsNs(ArrivalProcess process) {
    RandomStream random = RandomStream.of(42, "arrivals");
    return LongStream.range(0, 6).map(i -> Math.round(process.nextGapNs(random))).toArray();
  }
}
