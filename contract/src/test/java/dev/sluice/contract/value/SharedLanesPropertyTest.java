package dev.sluice.contract.value;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** The lanes against a list of batches that is gone through at each start and end. */
final class SharedLanesPropertyTest {
  private static final int LANES = 5;

  /** A batch, in the order of the starts. */
  private static final class Batch {
    final int lane;
    final double[] ns;
    final double factor;
    double left = 1;
    double nsNow;
    long finishNs;

    Batch(int lane, double[] ns, double factor) {
      this.lane = lane;
      this.ns = ns;
      this.factor = factor;
    }
  }

  private final List<Batch> batches = new ArrayList<>();
  private long changedAtNs;

  private void progress(long toNs) {
    for (Batch batch : batches) {
      batch.left = Math.max(0, batch.left - (toNs - changedAtNs) / batch.nsNow);
    }
    changedAtNs = toNs;
  }

  private void retime() {
    for (Batch batch : batches) {
      if (batch.ns.length > 1) {
        batch.nsNow = batch.factor * batch.ns[Math.min(batches.size(), batch.ns.length) - 1];
        batch.finishNs = changedAtNs + Math.round(batch.left * batch.nsNow);
      }
    }
  }

  private long nextFinishNs() {
    return batches.stream().mapToLong(batch -> batch.finishNs).min().orElse(SharedLanes.NEVER);
  }

  @Property(tries = 500)
  void endsTheSameBatchesAtTheSameTimes(@ForAll long seed) {
    batches.clear();
    changedAtNs = 0;
    Random random = new Random(seed);
    SharedLanes lanes = new SharedLanes(LANES);
    int[] ended = new int[LANES];
    long nowNs = 0;
    for (int step = 0; step < 60; step++) {
      boolean[] busy = new boolean[LANES];
      batches.forEach(batch -> busy[batch.lane] = true);
      int lane = random.nextInt(LANES);
      long startsAtNs = nowNs + random.nextInt(4);
      if (!busy[lane] && startsAtNs < nextFinishNs()) {
        nowNs = startsAtNs;
        double[] ns = random.nextBoolean() ? new double[] {6} : new double[] {4, 6, 11};
        double factor = random.nextInt(3) == 0 ? 1.5 : 1;
        progress(nowNs);
        Batch batch = new Batch(lane, ns, factor);
        batch.nsNow = factor * ns[0];
        batch.finishNs = nowNs + Math.round(batch.nsNow);
        batches.add(batch);
        retime();
        lanes.start(lane, ns, factor, nowNs);
      } else if (!batches.isEmpty()) {
        nowNs = nextFinishNs();
        progress(nowNs);
        long atNs = nowNs;
        List<Integer> expected =
            batches.stream()
                .filter(batch -> batch.finishNs == atNs)
                .map(batch -> batch.lane)
                .toList();
        batches.removeIf(batch -> batch.finishNs == atNs);
        retime();
        int count = lanes.endNext(ended);
        assertThat(Arrays.stream(ended, 0, count).boxed().toList()).isEqualTo(expected);
      }
      assertThat(lanes.busy()).isEqualTo(batches.size());
      assertThat(lanes.nextFinishNs()).isEqualTo(nextFinishNs());
    }
  }

  /**
   * One batch to run.
   *
   * @param gapNs since the batch before began, or would have begun
   * @param lane that runs it; it is left out if the lane is busy
   * @param meanNs by number of busy lanes, from 1
   * @param factor multiplies all service times
   */
  record Run(long gapNs, int lane, double[] meanNs, double factor) {}

  @Provide
  Arbitrary<List<Run>> runs() {
    // Halves of a nanosecond, where the rounding of two sums that should be equal would part.
    Arbitrary<Double> halves = Arbitraries.integers().between(1, 4_000).map(n -> n / 2.0);
    Arbitrary<Double> any = Arbitraries.doubles().between(1, 2_000_000);
    Arbitrary<Double> time = Arbitraries.oneOf(halves, any);
    Arbitrary<double[]> alone = time.map(ns -> new double[] {ns});
    Arbitrary<double[]> flat = time.map(ns -> new double[] {ns, ns, ns, 2 * ns, 2 * ns});
    Arbitrary<double[]> columns =
        time.list()
            .ofSize(LANES)
            .map(list -> list.stream().mapToDouble(Double::doubleValue).toArray());
    Arbitrary<Double> factor =
        Arbitraries.frequencyOf(
            Tuple.of(2, Arbitraries.just(1.0)), Tuple.of(2, Arbitraries.doubles().between(0.3, 5)));
    Arbitrary<Long> gap =
        Arbitraries.oneOf(
            Arbitraries.just(0L),
            Arbitraries.longs().between(0, 300),
            Arbitraries.longs().between(0, 1_000_000));
    return Combinators.combine(
            gap,
            Arbitraries.integers().between(0, LANES - 1),
            Arbitraries.oneOf(alone, flat, columns),
            factor)
        .as(Run::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(40);
  }

  @Property(tries = 1_000)
  void everyBatchEnds_inTheNanosecondOfTheList(@ForAll("runs") List<Run> runs) {
    batches.clear();
    changedAtNs = 0;
    SharedLanes lanes = new SharedLanes(LANES);
    long nowNs = 0;
    for (Run run : runs) {
      nowNs += run.gapNs();
      endUpTo(nowNs, lanes);
      if (batches.stream().noneMatch(batch -> batch.lane == run.lane())) {
        progress(nowNs);
        Batch batch = new Batch(run.lane(), run.meanNs(), run.factor());
        batch.nsNow = run.factor() * run.meanNs()[0];
        batch.finishNs = nowNs + Math.round(batch.nsNow);
        batches.add(batch);
        retime();
        lanes.start(run.lane(), run.meanNs(), run.factor(), nowNs);
      }
      assertThat(lanes.nextFinishNs()).isEqualTo(nextFinishNs());
      batches.forEach(b -> assertThat(lanes.finishNs(b.lane)).isEqualTo(b.finishNs));
    }
    endUpTo(Long.MAX_VALUE - 1, lanes);
    assertThat(lanes.busy()).isZero();
  }

  private void endUpTo(long toNs, SharedLanes lanes) {
    int[] ended = new int[LANES];
    while (nextFinishNs() <= toNs) {
      long atNs = nextFinishNs();
      assertThat(lanes.nextFinishNs()).isEqualTo(atNs);
      progress(atNs);
      List<Integer> expected =
          batches.stream().filter(b -> b.finishNs == atNs).map(b -> b.lane).toList();
      batches.removeIf(batch -> batch.finishNs == atNs);
      retime();
      int count = lanes.endNext(ended);
      assertThat(Arrays.stream(ended, 0, count).boxed().toList()).isEqualTo(expected);
    }
    assertThat(lanes.nextFinishNs()).isGreaterThan(toNs);
  }
}
