package dev.sluice.bench;

import dev.sluice.layers.schedule.AutoSchedule;
import dev.sluice.layers.schedule.LayerTimes;
import dev.sluice.layers.schedule.Layers;
import dev.sluice.layers.schedule.ScheduleCheck;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Duration of finding a schedule for 200 layers of unlike sizes and times, forward and backward, 20
 * steps, in this process. The reading is the largest of five budgets' medians of five, after three
 * that warm the code up; each schedule passes {@link ScheduleCheck}.
 */
public final class AutoScheduleBench implements Bench {
  private static final Row ROW = Row.atMost("layers_auto_200_ms", "ms", 300);
  private static final int LAYERS = 200;
  private static final int STEPS = 20;
  private static final int WARM_UPS = 3;
  private static final int READINGS = 5;
  private static final double NS_PER_MS = 1e6;
  private static final List<Double> BUDGET_SHARES = List.of(0.02, 0.1, 0.3, 0.6, 0.95);

  private final LongSupplier nanoTime;

  /**
   * @param nanoTime a monotonic clock
   */
  public AutoScheduleBench(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  @Override
  public String name() {
    return "layers";
  }

  @Override
  public List<Row> rows() {
    return List.of(ROW);
  }

  @Override
  public Map<Row, Double> measure() {
    double largestMs = 0;
    for (double share : BUDGET_SHARES) {
      double[] ms = new double[READINGS];
      for (int i = -WARM_UPS; i < READINGS; i++) {
        double readingMs = readingMs(share);
        if (i >= 0) {
          ms[i] = readingMs;
        }
      }
      Arrays.sort(ms);
      largestMs = Math.max(largestMs, ms[READINGS / 2]);
    }
    return Map.of(ROW, largestMs);
  }

  private double readingMs(double share) {
    var random = new SplittableRandom(7);
    var layers =
        new Layers(
            IntStream.range(0, LAYERS).mapToObj(i -> "block_" + i).toList(),
            drawn(random, 1_000_000, 30_000_000),
            true);
    var times =
        new LayerTimes(
            drawn(random, 1_000_000, 80_000_000),
            drawn(random, 1_000_000, 60_000_000),
            drawn(random, 2_000_000, 120_000_000));
    long budgetBytes = Math.max((long) (share * layers.totalBytes()), 2 * layers.largestBytes());
    long beganNs = nanoTime.getAsLong();
    AutoSchedule found = AutoSchedule.best(layers, times, budgetBytes, STEPS);
    double ms = (nanoTime.getAsLong() - beganNs) / NS_PER_MS;
    if (!ScheduleCheck.faults(found.schedule(), layers, budgetBytes).isEmpty()) {
      throw new IllegalStateException("a wrong schedule within %,d bytes".formatted(budgetBytes));
    }
    return ms;
  }

  private static List<Long> drawn(SplittableRandom random, long least, long most) {
    return LongStream.range(0, LAYERS).map(i -> random.nextLong(least, most)).boxed().toList();
  }
}
