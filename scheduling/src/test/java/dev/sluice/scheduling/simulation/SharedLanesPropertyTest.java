package dev.sluice.scheduling.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

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
    return batches.stream().mapToLong(batch -> batch.finishNs).min().orElse(Timeline.NEVER);
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
}
