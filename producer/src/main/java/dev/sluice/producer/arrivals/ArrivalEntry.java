package dev.sluice.producer.arrivals;

import dev.sluice.contract.experiment.ArrivalKeys;
import java.util.Map;

/**
 * An arrival process in a jar of its own. The jar names the class of the entry in {@code
 * META-INF/services/dev.sluice.producer.arrivals.ArrivalEntry}, and lies beside Sluice's jars.
 */
public interface ArrivalEntry {
  String name();

  default ArrivalKeys keys() {
    return ArrivalKeys.NONE;
  }

  /**
   * Makes the process.
   *
   * @param settings a value for each of the keys
   */
  ArrivalProcess make(double ratePerSecond, Map<String, Double> settings);
}
