package dev.sluice.executor.latency;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableSet;
import java.util.OptionalDouble;
import java.util.SortedMap;

/**
 * A model of service times on one kind of device: for each {@link Reach} the method that predicted
 * best, fitted to the model's rows. The rows are part of the model, so that it can be fitted again.
 * Immutable; may be used from many threads.
 *
 * @param deviceKind kind of device that the rows were measured on
 * @param choice a method for each reach
 * @param rows all rows of the device kind, in {@link ProfileRow#ORDER}
 * @param fit the methods of the choice, fitted to these rows
 * @param residuals calibration residuals by their key, each list ascending
 */
public record LatencyModel(
    String deviceKind,
    long seed,
    Map<Reach, Method> choice,
    List<ProfileRow> rows,
    Fit fit,
    SortedMap<Calibrated, double[]> residuals) {
  public LatencyModel {
    choice = Map.copyOf(choice);
    rows = List.copyOf(rows);
  }

  /** The kinds of prediction that compete, the simplest first; the names stand in model files. */
  public enum Method {
    MEDIAN("the median of the key's own times"),
    INTERPOLATED("between the medians of the nearest samples below and above, linearly"),
    LINE("alpha + beta × samples of the key's workload, backend, precision, threads, busy lanes"),
    BOOSTING("the line times what gradient-boosted trees add to it"),
    FOREST("the line times what a random forest adds to it");

    private final String words;

    Method(String words) {
      this.words = words;
    }

    public String words() {
      return words;
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The distance of a key from measured keys. */
  public enum Reach {
    /** The key itself was measured. */
    SEEN,
    /** Both fewer and more samples were measured, all else equal, but not the key's number. */
    BETWEEN,
    /** Only fewer or only more samples were measured, all else equal. */
    BEYOND;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  record Calibrated(String workload, String backend, Reach reach)
      implements Comparable<Calibrated> {
    private static final Comparator<Calibrated> ORDER =
        Comparator.comparing(Calibrated::workload)
            .thenComparing(Calibrated::backend)
            .thenComparing(Calibrated::reach);

    @Override
    public int compareTo(Calibrated other) {
      return ORDER.compare(this, other);
    }
  }

  /** Returns twelve hex digits that tell models apart. */
  public String version() {
    return ModelFile.digest(this).substring(0, 12);
  }

  /** Returns whether the key's model was measured with its number of threads. */
  public boolean knows(LatencyKey key) {
    return fit.busyLanes(key) != null;
  }

  /** At the nearest measured count of busy lanes. */
  public Reach reach(LatencyKey key) {
    NavigableSet<Integer> measured = measuredBusyLanes(key);
    Integer nearest = measured.floor(key.busyLanes());
    return fit.reach(key.withBusyLanes(nearest == null ? measured.first() : nearest));
  }

  private NavigableSet<Integer> measuredBusyLanes(LatencyKey key) {
    NavigableSet<Integer> measured = fit.busyLanes(key);
    if (measured == null) {
      throw new IllegalArgumentException("nothing like it was measured: " + key);
    }
    return measured;
  }

  /**
   * Returns the typical service time: half of the times lie above it. Between two measured counts
   * of busy lanes it is interpolated linearly; beyond them the nearest count holds.
   *
   * @return above 0
   * @throws IllegalArgumentException if the model does not know the key
   */
  public double predictNs(LatencyKey key) {
    NavigableSet<Integer> measured = measuredBusyLanes(key);
    Integer below = measured.floor(key.busyLanes());
    Integer above = measured.ceiling(key.busyLanes());
    if (below == null || above == null || below.equals(above)) {
      int nearest = below == null ? measured.first() : below;
      return measuredBusyLanesNs(key.withBusyLanes(nearest));
    }
    double lowNs = measuredBusyLanesNs(key.withBusyLanes(below));
    double highNs = measuredBusyLanesNs(key.withBusyLanes(above));
    return lowNs + (highNs - lowNs) * (key.busyLanes() - below) / (above - below);
  }

  private double measuredBusyLanesNs(LatencyKey key) {
    Method method = choice.get(fit.reach(key));
    double lnNs = method == null ? Double.NaN : fit.lnNs(method, key);
    if (Double.isNaN(lnNs)) {
      throw new IllegalStateException("(" + method + ") has no answer for " + key);
    }
    return StrictMath.exp(lnNs);
  }

  /**
   * Returns the calibration residuals, ln(actual / predicted), of the workload on the backend for
   * keys at a reach: each row is predicted from the other passes and, if the reach is not {@link
   * Reach#SEEN}, from other samples counts alone.
   *
   * @return ascending; empty if it knows none
   */
  public double[] residuals(String workload, String backend, Reach reach) {
    double[] known = residuals.get(new Calibrated(workload, backend, reach));
    return known == null ? new double[0] : known.clone();
  }

  /**
   * Returns the time that a batch exceeds with a chance of at most 1 − level, if its residual is
   * exchangeable with the calibration's.
   *
   * @param level in (0, 1)
   * @return empty if the calibration has too few rows for this level
   * @throws IllegalArgumentException if the model does not know the key
   */
  public OptionalDouble quantileNs(LatencyKey key, double level) {
    OptionalDouble residual =
        Conformal.quantile(residuals(key.workload(), key.backend(), reach(key)), level);
    return residual.isEmpty()
        ? residual
        : OptionalDouble.of(predictNs(key) * StrictMath.exp(residual.getAsDouble()));
  }
}
