package dev.sluice.harness.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.executor.lane.Emulation;
import dev.sluice.executor.lane.SharedWork;
import dev.sluice.scheduling.simulation.SharedLanes;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/**
 * The lanes of a simulation and emulated lanes end every batch in the same nanosecond, in the same
 * order. Each has its own code for that, since neither module sees the other.
 */
final class SimulationEqualsEmulationTest {
  private static final int LANES = 6;

  /**
   * One batch to run.
   *
   * @param gapNs since the batch before began, or would have begun
   * @param lane that runs it; it is left out if the lane is busy
   * @param meanNs by number of busy lanes, from 1
   * @param drift multiplies all service times that begin then
   * @param spread of the noise
   */
  record Batch(long gapNs, int lane, double[] meanNs, double drift, double spread) {}

  record End(int lane, long atNs) {}

  @Provide
  Arbitrary<List<Batch>> batches() {
    // Halves of a nanosecond, where the rounding of two sums that should be equal would part.
    Arbitrary<Double> halves = Arbitraries.integers().between(1, 4_000).map(n -> n / 2.0);
    Arbitrary<Double> any = Arbitraries.doubles().between(1, 2_000_000);
    Arbitrary<Double> time = Arbitraries.oneOf(halves, any);
    Arbitrary<double[]> alone = time.map(ns -> new double[] {ns});
    Arbitrary<double[]> flat = time.map(ns -> new double[] {ns, ns, ns, 2 * ns, 2 * ns, 2 * ns});
    Arbitrary<double[]> columns =
        time.list()
            .ofSize(LANES)
            .map(list -> list.stream().mapToDouble(Double::doubleValue).toArray());
    Arbitrary<Double> drift =
        Arbitraries.frequencyOf(
            Tuple.of(2, Arbitraries.just(1.0)), Tuple.of(1, Arbitraries.doubles().between(0.5, 3)));
    Arbitrary<Double> spread =
        Arbitraries.frequencyOf(
            Tuple.of(2, Arbitraries.just(0.0)), Tuple.of(1, Arbitraries.doubles().between(0, 0.5)));
    Arbitrary<Long> gap =
        Arbitraries.oneOf(
            Arbitraries.just(0L),
            Arbitraries.longs().between(0, 300),
            Arbitraries.longs().between(0, 1_000_000));
    return Combinators.combine(
            gap,
            Arbitraries.integers().between(0, LANES - 1),
            Arbitraries.oneOf(alone, flat, columns),
            drift,
            spread)
        .as(Batch::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(40);
  }

  @Property(tries = 1_000)
  void everyBatchEnds_inTheSameNanosecond(@ForAll("batches") List<Batch> batches) {
    var simulated = new SharedLanes(LANES);
    var emulated = new SharedWork();
    var simulatedEnds = new ArrayList<End>();
    var emulatedEnds = new ArrayList<End>();
    boolean[] busy = new boolean[LANES];
    long nowNs = 0;
    for (int i = 0; i < batches.size(); i++) {
      Batch batch = batches.get(i);
      nowNs += batch.gapNs();
      end(simulated, simulatedEnds, emulated, emulatedEnds, busy, nowNs);
      if (!busy[batch.lane()]) {
        busy[batch.lane()] = true;
        double noise = Emulation.noise(7, "job-" + i, 1, batch.spread());
        double[] ns = batch.meanNs();
        simulated.start(batch.lane(), ns, batch.drift() * noise, nowNs);
        emulated.start(batch.lane(), ns, batch.drift() * noise, nowNs);
      }
      assertThat(emulated.nextFinishNs()).isEqualTo(simulated.nextFinishNs());
    }
    end(simulated, simulatedEnds, emulated, emulatedEnds, busy, Long.MAX_VALUE - 1);
    assertThat(busy).containsOnly(false);
  }

  private static void end(
      SharedLanes simulated,
      List<End> simulatedEnds,
      SharedWork emulated,
      List<End> emulatedEnds,
      boolean[] busy,
      long toNs) {
    int[] ended = new int[LANES];
    while (simulated.nextFinishNs() <= toNs) {
      long atNs = simulated.nextFinishNs();
      int count = simulated.endNext(ended);
      for (int i = 0; i < count; i++) {
        simulatedEnds.add(new End(ended[i], atNs));
        busy[ended[i]] = false;
      }
    }
    emulated.advance(toNs).forEach(done -> emulatedEnds.add(new End(done.lane(), done.atNs())));
    assertThat(emulatedEnds).isEqualTo(simulatedEnds);
  }
}
