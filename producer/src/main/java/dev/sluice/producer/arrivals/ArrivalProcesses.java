package dev.sluice.producer.arrivals;

import static java.util.Map.entry;

import java.util.List;
import java.util.Map;
import java.util.function.DoubleFunction;

/** The arrival processes by the name that an experiment file uses. To add one is one line here. */
public final class ArrivalProcesses {
  private static final Map<String, DoubleFunction<ArrivalProcess>> BY_NAME =
      Map.ofEntries(
          entry("constant", ConstantArrivals::new), entry("poisson", PoissonArrivals::new));

  private ArrivalProcesses() {}

  /** The known names, in alphabetical order. */
  public static List<String> names() {
    return BY_NAME.keySet().stream().sorted().toList();
  }

  /**
   * The process of that name at that rate.
   *
   * @throws IllegalArgumentException if there is none; the message lists the known ones
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
