package dev.sluice.producer.arrivals;

import static java.util.Map.entry;

import dev.sluice.contract.experiment.ArrivalKeys;
import dev.sluice.contract.experiment.Arrivals;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.function.BiFunction;

/**
 * The arrival processes by the name that an experiment file uses, with the keys of each: those
 * below, of which each is one line, and each {@link ArrivalEntry} on the class path.
 */
public final class ArrivalProcesses {
  private static final List<ArrivalEntry> BUILT_IN =
      List.of(
          new Entry("constant", ArrivalKeys.NONE, (rate, settings) -> constant(rate)),
          new Entry("gamma", GammaArrivals.KEYS, GammaArrivals::new),
          new Entry("mmpp", MmppArrivals.KEYS, MmppArrivals::new),
          new Entry("poisson", ArrivalKeys.NONE, (rate, settings) -> poisson(rate)));

  private static final Map<String, ArrivalEntry> BY_NAME = new TreeMap<>();

  static {
    BUILT_IN.forEach(ArrivalProcesses::register);
    ServiceLoader.load(ArrivalEntry.class, ArrivalProcesses.class.getClassLoader())
        .forEach(ArrivalProcesses::register);
  }

  private record Entry(
      String name, ArrivalKeys keys, BiFunction<Double, Map<String, Double>, ArrivalProcess> maker)
      implements ArrivalEntry {
    @Override
    public ArrivalProcess make(double ratePerSecond, Map<String, Double> settings) {
      return maker.apply(ratePerSecond, settings);
    }
  }

  private ArrivalProcesses() {}

  private static void register(ArrivalEntry entry) {
    if (BY_NAME.put(entry.name(), entry) != null) {
      throw new IllegalStateException("two arrivals have the name (" + entry.name() + ")");
    }
  }

  /** Arrivals at equal gaps of 1 / rate, the first after one gap. */
  static ArrivalProcess constant(double ratePerSecond) {
    double gapNs = 1e9 / ratePerSecond;
    return random -> gapNs;
  }

  /**
   * Poisson arrivals: gaps are independent and exponential, by inversion: −mean × ln(u), u uniform
   * over the open unit interval. Nothing is capped: mean and standard deviation are both 1 / rate.
   * The longest gap that 53 bits can give is 36.7 means.
   */
  static ArrivalProcess poisson(double ratePerSecond) {
    double meanGapNs = 1e9 / ratePerSecond;
    return random -> -meanGapNs * StrictMath.log(random.nextOpenUnit());
  }

  public static List<String> names() {
    return List.copyOf(BY_NAME.keySet());
  }

  public static Map<String, ArrivalKeys> keys() {
    Map<String, ArrivalKeys> keys = new TreeMap<>();
    BY_NAME.forEach((name, entry) -> keys.put(name, entry.keys()));
    return keys;
  }

  /** Fails if no process has that name. */
  public static ArrivalProcess of(Arrivals.Drawn arrivals, double ratePerSecond) {
    ArrivalEntry entry = BY_NAME.get(arrivals.process());
    if (entry == null) {
      throw new IllegalArgumentException(
          "arrivals (%s) is unknown. Known arrivals: %s"
              .formatted(arrivals.process(), String.join(", ", names())));
    }
    return entry.make(ratePerSecond, arrivals.settings());
  }
}
