package dev.sluice.executor.latency;

import dev.sluice.contract.value.ModelKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.ToDoubleFunction;

/**
 * Rows whose law is known: a median that is a function of the key, times a lognormal factor for
 * each pass, times a lognormal factor for each row.
 *
 * @param passSpread standard deviation of the logarithm of a pass's factor
 * @param rowSpread standard deviation of the logarithm of a row's factor
 */
public record SyntheticProfile(
    List<LatencyKey> keys,
    ToDoubleFunction<LatencyKey> medianMs,
    int passes,
    int repeats,
    double passSpread,
    double rowSpread) {
  static final String DEVICE_KIND = "synthetic";

  public static LatencyKey key(String workload, String backend, int samples, int busyLanes) {
    return new LatencyKey(new ModelKey(workload, backend, "fp32"), 1, samples, busyLanes);
  }

  /**
   * Returns keys of two workloads on two backends, with these samples, beside no other busy lane
   * and beside one.
   */
  public static List<LatencyKey> keys(int... samples) {
    List<LatencyKey> keys = new ArrayList<>();
    for (String workload : List.of("small", "large")) {
      for (String backend : List.of("onnx", "pytorch")) {
        for (int count : samples) {
          keys.add(key(workload, backend, count, 1));
          keys.add(key(workload, backend, count, 2));
        }
      }
    }
    return keys;
  }

  /**
   * Returns 2 + 3 × samples ms, five times that for large, 1.5 times on pytorch, 1.1 times beside
   * one busy lane.
   */
  static double linearMs(LatencyKey key) {
    return (2 + 3.0 * key.samples())
        * (key.workload().equals("large") ? 5 : 1)
        * (key.backend().equals("pytorch") ? 1.5 : 1)
        * (key.busyLanes() == 2 ? 1.1 : 1);
  }

  public static SyntheticProfile linear(double passSpread, double rowSpread) {
    return new SyntheticProfile(
        keys(1, 2, 4, 8), SyntheticProfile::linearMs, 3, 10, passSpread, rowSpread);
  }

  public List<ProfileRow> rows(long seed) {
    var random = new Random(seed);
    List<ProfileRow> rows = new ArrayList<>();
    for (int pass = 1; pass <= passes; pass++) {
      double passFactor = Math.exp(passSpread * random.nextGaussian());
      for (LatencyKey key : keys) {
        for (int repeat = 1; repeat <= repeats; repeat++) {
          double factor = passFactor * Math.exp(rowSpread * random.nextGaussian());
          rows.add(row(key, pass, repeat, medianMs.applyAsDouble(key) * factor));
        }
      }
    }
    return rows;
  }

  static ProfileRow row(LatencyKey key, int pass, int repeat, double serviceMs) {
    boolean large = key.workload().equals("large");
    return new ProfileRow(
        DEVICE_KIND,
        key,
        pass,
        repeat,
        (100L * pass + repeat) * 1_000_000,
        Math.max(1, Math.round(serviceMs * 1e6)),
        0.25,
        large ? 8_000_000_000L : 2_000_000_000L,
        large ? 25_000_000 : 5_000_000);
  }
}
