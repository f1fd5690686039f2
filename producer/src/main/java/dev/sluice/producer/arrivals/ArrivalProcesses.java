package dev.sluice.producer.arrivals;

import static java.util.Map.entry;

import java.util.List;
import java.util.Map;
import java.util.function.DoubleFunction;

/**
 * The arrival processes by the name that an experiment file uses. A new process needs one line
 * here.
 */
public final class ArrivalProcesses {
  private static final Map<String, DoubleFunction<ArrivalProcess>> BY_NAME =
      Map.ofEntries(
          entry("constant", ConstantArrivals::new), entry("poisson", PoissonArrivals::new));

  private ArrivalProcesses() {}

  /** Returns the known names, in alphabetical order. */
  public static List<String> names() {
    return BY_NAME.keySet().stream().sorted().toList();
  }

  /**
   * Returns the process of a name at a rate.
   *
   * @throws IllegalArgumentException if no process has that name; the message lists the known names
   */
  public static ArrivalProcess of(String name, double ratePerSecond) {
    DoubleFunction<ArrivalProcess> maker = BY_NAME.get(name);
    if (maker == null) {
      throw new IllegalArgumentException(
          "arrivals (" + name + ") is unknown. Known arrivals: " + String.join(", ", names()));
    }
    return maker.apply(ratePerSecond);
  }
}
