package dev.sluice.executor.latency;

import static java.util.stream.Collectors.collectingAndThen;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import dev.sluice.executor.latency.LatencyModel.Calibrated;
import dev.sluice.executor.latency.LatencyModel.Method;
import dev.sluice.executor.latency.LatencyModel.Reach;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The predictions of each method for rows that it was not fitted to. Rows of a measured key are
 * predicted from the other passes; rows of samples counts that were held out are predicted from the
 * other samples counts of the other passes. Rows of one pass share its drift, so that passes are
 * held out, not rows; each pass in turn, so that all rows calibrate the upper quantiles.
 */
public record Validation(List<Held> held, Map<Reach, Method> choice) {
  public Validation {
    held = List.copyOf(held);
    choice = Map.copyOf(choice);
  }

  record Pair(double actualLnNs, double predictedLnNs) {
    double absoluteLog() {
      return Math.abs(actualLnNs - predictedLnNs);
    }
  }

  /**
   * A row that was held out.
   *
   * @param reach distance of its key from the rows that were left
   * @param lnNsByMethod prediction of each method that had an answer
   * @param floorLnNs median of the row's key in the other passes; NaN: the key was in no other pass
   */
  public record Held(
      ProfileRow row, Reach reach, Map<Method, Double> lnNsByMethod, double floorLnNs) {
    Pair pair(Method method) {
      return new Pair(row.lnNs(), Objects.requireNonNull(lnNsByMethod.get(method)));
    }
  }

  /**
   * The coverage of an upper quantile on passes that were held out of its calibration.
   *
   * @param rows number of rows of workloads and backends with enough calibration rows
   * @param above number of these rows that exceeded the quantile
   */
  public record Coverage(double level, int rows, int above) {
    public double missRate() {
      return rows == 0 ? Double.NaN : (double) above / rows;
    }
  }

  /**
   * The errors of predictions.
   *
   * @param rows number of rows; the other figures are NaN if it is 0
   * @param medianAbsoluteLog median of |ln(actual / predicted)|, which "error" means wherever no
   *     other figure is named
   * @param maeMs mean of |actual − predicted|
   * @param mape mean of |actual − predicted| / actual; 0.1 is 10 %
   * @param rSquared 1 − squared errors / squared distances from the mean; NaN if all times are
   *     equal
   */
  public record ErrorFigures(
      int rows, double medianAbsoluteLog, double maeMs, double mape, double rSquared) {
    static ErrorFigures of(List<Pair> pairs) {
      int rows = pairs.size();
      if (rows == 0) {
        return new ErrorFigures(0, Double.NaN, Double.NaN, Double.NaN, Double.NaN);
      }
      double absoluteMs = 0;
      double relative = 0;
      double squares = 0;
      double meanMs = 0;
      for (Pair pair : pairs) {
        double actualMs = ms(pair.actualLnNs());
        double errorMs = actualMs - ms(pair.predictedLnNs());
        absoluteMs += Math.abs(errorMs);
        relative += Math.abs(errorMs) / actualMs;
        squares += errorMs * errorMs;
        meanMs += actualMs / rows;
      }
      double distances = 0;
      for (Pair pair : pairs) {
        double distanceMs = ms(pair.actualLnNs()) - meanMs;
        distances += distanceMs * distanceMs;
      }
      return new ErrorFigures(
          rows,
          Medians.of(pairs.stream().mapToDouble(Pair::absoluteLog).toArray()),
          absoluteMs / rows,
          relative / rows,
          distances == 0 ? Double.NaN : 1 - squares / distances);
    }

    private static double ms(double lnNs) {
      return StrictMath.exp(lnNs) / 1e6;
    }
  }

  /** Returns the methods that answered at a reach, each with its errors, the simplest first. */
  public Map<Method, ErrorFigures> byMethod(Reach reach) {
    Map<Method, ErrorFigures> figures = new EnumMap<>(Method.class);
    for (Method method : Method.values()) {
      List<Pair> pairs =
          at(reach).stream()
              .filter(h -> h.lnNsByMethod().containsKey(method))
              .map(h -> h.pair(method))
              .toList();
      if (!pairs.isEmpty()) {
        figures.put(method, ErrorFigures.of(pairs));
      }
    }
    return figures;
  }

  public ErrorFigures chosen(Reach reach) {
    return chosen(at(reach));
  }

  public SortedMap<String, SortedMap<Integer, ErrorFigures>> chosenByWorkloadAndSamples(
      Reach reach) {
    return at(reach).stream()
        .collect(
            groupingBy(
                row -> row.row().key().workload(),
                TreeMap::new,
                groupingBy(
                    row -> row.row().key().samples(),
                    TreeMap::new,
                    collectingAndThen(toList(), this::chosen))));
  }

  private ErrorFigures chosen(List<Held> rows) {
    return ErrorFigures.of(rows.stream().map(this::chosenPair).toList());
  }

  public List<Held> at(Reach reach) {
    return held.stream().filter(row -> row.reach() == reach).toList();
  }

  private Pair chosenPair(Held row) {
    return row.pair(Objects.requireNonNull(choice.get(row.reach())));
  }

  /**
   * Returns the noise floor: the errors if each held-out row is predicted by the median of its own
   * key in the other passes. A method that knows only the key cannot be expected to do much better.
   */
  public ErrorFigures noiseFloor(Reach reach) {
    return ErrorFigures.of(
        at(reach).stream()
            .filter(h -> !Double.isNaN(h.floorLnNs()))
            .map(h -> new Pair(h.row().lnNs(), h.floorLnNs()))
            .toList());
  }

  /** Returns the time that the model would have predicted for a held-out row. */
  public double predictedMs(Held row) {
    return StrictMath.exp(chosenPair(row).predictedLnNs()) / 1e6;
  }

  /** How often measured keys of one pass exceeded the quantile of the other passes. */
  public Coverage coverage(double level) {
    List<Held> seen = at(Reach.SEEN);
    List<Integer> passes = seen.stream().map(h -> h.row().pass()).distinct().sorted().toList();
    int rows = 0;
    int above = 0;
    for (int pass : passes) {
      var calibration = residuals(seen.stream().filter(h -> h.row().pass() != pass));
      for (Held row : seen) {
        double[] sorted = calibration.get(calibrated(row));
        if (sorted != null && row.row().pass() == pass) {
          OptionalDouble bound = Conformal.quantile(sorted, level);
          rows += bound.isPresent() ? 1 : 0;
          above += residual(row) > bound.orElse(Double.POSITIVE_INFINITY) ? 1 : 0;
        }
      }
    }
    return new Coverage(level, rows, above);
  }

  private static Calibrated calibrated(Held row) {
    LatencyKey key = row.row().key();
    return new Calibrated(key.workload(), key.backend(), row.reach());
  }

  private double residual(Held row) {
    Pair pair = chosenPair(row);
    return pair.actualLnNs() - pair.predictedLnNs();
  }

  SortedMap<Calibrated, double[]> residuals() {
    return residuals(held.stream());
  }

  private SortedMap<Calibrated, double[]> residuals(Stream<Held> rows) {
    return rows.collect(
        groupingBy(
            Validation::calibrated,
            TreeMap::new,
            collectingAndThen(
                toList(), of -> of.stream().mapToDouble(this::residual).sorted().toArray())));
  }
}
