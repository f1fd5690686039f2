package dev.sluice.executor.latency;

import dev.sluice.executor.latency.ErrorFigures.Pair;
import dev.sluice.executor.profile.LatencyKey;
import dev.sluice.executor.profile.ProfileRow;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The predictions of each method for rows that it was not fitted to. Rows of a measured key are
 * predicted from the other passes; rows of samples counts that were held out are predicted from the
 * other samples counts of the other passes. Rows of one pass share its drift, so that passes are
 * held out, not rows; each pass in turn, so that all rows calibrate the upper quantiles.
 */
public final class Validation {
  private final List<Held> held;
  private final Map<Reach, Method> choice;

  /**
   * A row that was held out.
   *
   * @param reach distance of its key from the rows that were left
   * @param lnNsByMethod prediction of each method that had an answer
   * @param floorLnNs median of the row's key in the other passes; null: the key was in no other
   *     pass
   */
  record Held(
      ProfileRow row, Reach reach, Map<Method, Double> lnNsByMethod, @Nullable Double floorLnNs) {
    Pair pair(Method method) {
      return new Pair(row.lnNs(), Objects.requireNonNull(lnNsByMethod.get(method)));
    }
  }

  /**
   * The coverage of an upper quantile on passes that were held out of its calibration.
   *
   * @param level of the quantile
   * @param rows number of rows of workloads and backends with enough calibration rows
   * @param above number of these rows that exceeded the quantile
   */
  public record Coverage(double level, int rows, int above) {
    /** Returns the share of the rows that exceeded the quantile; NaN if there are no rows. */
    public double missRate() {
      return rows == 0 ? Double.NaN : (double) above / rows;
    }
  }

  /** A held-out row as the model would have predicted it. */
  public record Point(LatencyKey key, int pass, Reach reach, double actualMs, double predictedMs) {}

  Validation(List<Held> held, Map<Reach, Method> choice) {
    this.held = List.copyOf(held);
    this.choice = new EnumMap<>(choice);
  }

  /** Returns the methods that answered at a reach, each with its errors, the simplest first. */
  public Map<Method, ErrorFigures> byMethod(Reach reach) {
    Map<Method, ErrorFigures> figures = new EnumMap<>(Method.class);
    for (Method method : Method.values()) {
      List<Pair> pairs =
          held.stream()
              .filter(h -> h.reach() == reach && h.lnNsByMethod().containsKey(method))
              .map(h -> h.pair(method))
              .toList();
      if (!pairs.isEmpty()) {
        figures.put(method, ErrorFigures.of(pairs));
      }
    }
    return figures;
  }

  /** Returns the errors of the chosen method at a reach. */
  public ErrorFigures chosen(Reach reach) {
    return chosen(h -> h.reach() == reach);
  }

  /** Returns the errors of the chosen method at that reach, by workload and samples. */
  public SortedMap<String, SortedMap<Integer, ErrorFigures>> chosenByWorkloadAndSamples(
      Reach reach) {
    SortedMap<String, SortedMap<Integer, ErrorFigures>> figures = new TreeMap<>();
    for (Held row : held) {
      LatencyKey key = row.row().key();
      if (row.reach() == reach) {
        figures
            .computeIfAbsent(key.workload(), w -> new TreeMap<>())
            .computeIfAbsent(
                key.samples(),
                s ->
                    chosen(
                        h ->
                            h.reach() == reach
                                && h.row().key().workload().equals(key.workload())
                                && h.row().key().samples() == s));
      }
    }
    return figures;
  }

  private ErrorFigures chosen(Predicate<Held> which) {
    return ErrorFigures.of(held.stream().filter(which).map(this::chosenPair).toList());
  }

  private Pair chosenPair(Held row) {
    return row.pair(Objects.requireNonNull(choice.get(row.reach())));
  }

  /**
   * Returns the noise floor: the errors if each held-out row is predicted by the median of its own
   * key in the other passes. A method that knows only the key cannot be expected to do much better.
   */
  public ErrorFigures noiseFloor(Reach reach) {
    List<Pair> pairs = new ArrayList<>();
    for (Held row : held) {
      if (row.reach() == reach && row.floorLnNs() != null) {
        pairs.add(new Pair(row.row().lnNs(), row.floorLnNs()));
      }
    }
    return ErrorFigures.of(pairs);
  }

  /** Returns the held-out rows at that reach, as the model would have predicted them. */
  public List<Point> points(Reach reach) {
    return held.stream()
        .filter(h -> h.reach() == reach)
        .map(
            h ->
                new Point(
                    h.row().key(),
                    h.row().pass(),
                    reach,
                    h.row().serviceNs() / 1e6,
                    StrictMath.exp(chosenPair(h).predictedLnNs()) / 1e6))
        .toList();
  }

  /**
   * Returns how often measured keys of one pass exceeded the quantile that the other passes gave.
   */
  public Coverage coverage(double level) {
    List<Held> seen = held.stream().filter(h -> h.reach() == Reach.SEEN).toList();
    List<Integer> passes = seen.stream().map(h -> h.row().pass()).distinct().sorted().toList();
    int rows = 0;
    int above = 0;
    for (int pass : passes) {
      var calibration = residuals(h -> h.reach() == Reach.SEEN && h.row().pass() != pass);
      for (Held row : seen) {
        double[] sorted = calibration.get(calibrated(row));
        var bound =
            sorted == null || row.row().pass() != pass
                ? OptionalDouble.empty()
                : Conformal.quantile(sorted, level);
        if (bound.isPresent()) {
          rows++;
          above += residual(row) > bound.getAsDouble() ? 1 : 0;
        }
      }
    }
    return new Coverage(level, rows, above);
  }

  private static LatencyModel.Calibrated calibrated(Held row) {
    LatencyKey key = row.row().key();
    return new LatencyModel.Calibrated(key.workload(), key.backend(), row.reach());
  }

  private double residual(Held row) {
    Pair pair = chosenPair(row);
    return pair.actualLnNs() - pair.predictedLnNs();
  }

  /** Returns the calibration residuals of the chosen methods, each list ascending. */
  SortedMap<LatencyModel.Calibrated, double[]> residuals() {
    return residuals(h -> true);
  }

  private SortedMap<LatencyModel.Calibrated, double[]> residuals(Predicate<Held> which) {
    SortedMap<LatencyModel.Calibrated, List<Double>> lists = new TreeMap<>();
    held.stream()
        .filter(which)
        .forEach(
            h -> lists.computeIfAbsent(calibrated(h), c -> new ArrayList<>()).add(residual(h)));
    SortedMap<LatencyModel.Calibrated, double[]> sorted = new TreeMap<>();
    lists.forEach(
        (of, values) ->
            sorted.put(of, values.stream().mapToDouble(Double::doubleValue).sorted().toArray()));
    return sorted;
  }

  /** Returns the number of rows held out at a reach. */
  public int rows(Reach reach) {
    return (int) held.stream().filter(h -> h.reach() == reach).count();
  }
}
