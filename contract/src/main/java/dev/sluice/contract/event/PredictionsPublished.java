package dev.sluice.contract.event;

import dev.sluice.contract.value.Checks;
import dev.sluice.contract.value.ModelKey;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A whole table of predicted service times for one device kind. Topic {@code facts}. It replaces
 * the table published for that kind before, and predicts nothing beyond its entries.
 *
 * @param executorId the executor that published it, which has reported before and is of that kind
 * @param modelVersion names the model that the table was filled from, for the record: for example
 *     the head of its digest and a counter
 * @param tableVersion rises with each new table of a device kind, from any publisher; from 1. A
 *     version published already is ignored if its table is equal, and refused otherwise
 * @param services one entry for each workload, backend and precision
 * @param calibrations at most one entry for each workload and backend
 */
public record PredictionsPublished(
    String executorId,
    String deviceKind,
    String modelVersion,
    long tableVersion,
    List<Service> services,
    List<Calibration> calibrations)
    implements Fact {
  /** Most calibration residuals of one workload and backend. */
  public static final int RESIDUALS_MAX = 200;

  /** The longest mean service time that a table may hold: about eleven days. */
  public static final long MEAN_NS_MAX = 1_000_000_000_000_000L;

  /** The largest residual, about a factor of a million either way. */
  public static final double RESIDUAL_MAX = 14;

  public PredictionsPublished {
    Checks.atLeast(1, tableVersion, "tableVersion");
    services = List.copyOf(services);
    calibrations = List.copyOf(calibrations);
    Checks.atLeast(1, services.size(), "services");
    Set<List<String>> keys = new HashSet<>();
    for (Service service : services) {
      once(keys, List.of(service.workload, service.backend, service.precision));
    }
    keys.clear();
    for (Calibration calibration : calibrations) {
      once(keys, List.of(calibration.workload, calibration.backend));
    }
  }

  private static void once(Set<List<String>> keys, List<String> key) {
    if (!keys.add(key)) {
      throw new IllegalArgumentException(key + " is there twice");
    }
  }

  /**
   * The predicted mean service times of one model.
   *
   * @param meanNs by busy lanes of the executor, the batch's own included (index 0: one busy lane),
   *     then by samples (index 0: one sample); as many samples for each; each from 1 to {@value
   *     #MEAN_NS_MAX}
   */
  public record Service(
      String workload, String backend, String precision, List<List<Long>> meanNs) {
    public Service {
      meanNs = meanNs.stream().map(List::copyOf).toList();
      Checks.atLeast(1, meanNs.size(), "busy lanes");
      int samples = meanNs.get(0).size();
      Checks.atLeast(1, samples, "samples");
      for (List<Long> bySamples : meanNs) {
        if (bySamples.size() != samples) {
          throw new IllegalArgumentException(
              "meanNs has " + samples + " samples and " + bySamples.size());
        }
        for (long ns : bySamples) {
          if (ns < 1 || ns > MEAN_NS_MAX) {
            throw new IllegalArgumentException("meanNs (" + ns + ") is out of range");
          }
        }
      }
    }

    public Service(ModelKey model, List<List<Long>> meanNs) {
      this(model.workload(), model.backend(), model.precision(), meanNs);
    }

    public ModelKey model() {
      return new ModelKey(workload, backend, precision);
    }
  }

  /**
   * How far the model was off on measurements that it was not fitted to.
   *
   * @param residuals natural logarithms of actual / predicted service time, ascending, at most
   *     {@value #RESIDUALS_MAX}, each at most {@value #RESIDUAL_MAX} from 0
   */
  public record Calibration(String workload, String backend, List<Double> residuals) {
    public Calibration {
      residuals = List.copyOf(residuals);
      if (residuals.size() > RESIDUALS_MAX) {
        throw new IllegalArgumentException(
            "residuals (" + residuals.size() + ") are more than " + RESIDUALS_MAX);
      }
      double before = -RESIDUAL_MAX;
      for (double residual : residuals) {
        if (!(residual >= before && residual <= RESIDUAL_MAX)) {
          throw new IllegalArgumentException(
              "residual (" + residual + ") is out of range or out of order");
        }
        before = residual;
      }
    }
  }
}
