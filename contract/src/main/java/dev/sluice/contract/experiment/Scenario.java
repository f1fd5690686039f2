package dev.sluice.contract.experiment;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The scenarios, named as MLPerf Inference names them (Reddi et al., ISCA 2020). */
public enum Scenario {
  /** Jobs arrive over time, by the arrival process and the shape of the load. */
  SERVER,
  /** All jobs arrive at time zero. */
  OFFLINE,
  /** The next job arrives when the one before it has ended. */
  SINGLE_STREAM;

  /** Name of the scenario in a file. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  static List<String> keys() {
    return Arrays.stream(values()).map(Scenario::key).toList();
  }

  /**
   * The scenario with a name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Scenario of(String key) {
    return valueOf(key.toUpperCase(Locale.ROOT));
  }
}
