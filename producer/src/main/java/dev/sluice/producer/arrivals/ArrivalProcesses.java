package dev.sluice.producer.arrivals;

import static java.util.Map.entry;

import dev.sluice.contract.experiment.ArrivalKeys;
import dev.sluice.contract.experiment.Arrivals;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.function.DoubleFunction;

/**
 * The arrival processes by the name that an experiment file uses, with the keys of each: those
 * below, of which each is one line, and each {@link ArrivalEntry} on the class path.
 */
public final class ArrivalProcesses {
  private static final Map<String, Registered> BUILT_IN =
      Map.ofEntries(
          entry("constant", plain(ConstantArrivals::new)),
          entry("gamma", new Registered(GammaArrivals.KEYS, GammaArrivals::new)),
          entry("mmpp", new Registered(MmppArrivals.KEYS, MmppArrivals::new)),
          entry("poisson", plain(PoissonArrivals::new)));

  private static final Map<String, Registered> BY_NAME = withEntries();

  private record Registered(ArrivalKeys keys, Maker maker) {}

  @FunctionalInterface
  private interface Maker {
    /** Makes a process at a rate, with a value for each of its keys. */
    ArrivalProcess make(double ratePerSecond, Map<String, Double> settings);
  }

  private ArrivalProcesses() {}

  private static Map<String, Registered> withEntries() {
    Map<String, Registered> all = new HashMap<>(BUILT_IN);
    for (ArrivalEntry entry :
        ServiceLoader.load(ArrivalEntry.class, ArrivalProcesses.class.getClassLoader())) {
      if (all.put(entry.name(), new Registered(entry.keys(), entry::make)) != null) {
        throw new IllegalStateException("two arrivals have the name (" + entry.name() + ")");
      }
    }
    return Map.copyOf(all);
  }

  private static Registered plain(DoubleFunction<ArrivalProcess> maker) {
    return new Registered(ArrivalKeys.NONE, (rate, settings) -> maker.apply(rate));
  }

  /** Returns the known names, in alphabetical order. */
  public static List<String> names() {
    return BY_NAME.keySet().stream().sorted().toList();
  }

  /** Returns the keys of each process, by its name. */
  public static Map<String, ArrivalKeys> keys() {
    Map<String, ArrivalKeys> keys = new TreeMap<>();
    BY_NAME.forEach((name, registered) -> keys.put(name, registered.keys()));
    return keys;
  }

  /**
   * Returns a process at a rate.
   *
   * @throws IllegalArgumentException if no process has that name; the message lists the known names
   */
  public static ArrivalProcess of(Arrivals.Drawn arrivals, double ratePerSecond) {
    Registered registered = BY_NAME.get(arrivals.process());
    if (registered == null) {
      throw new IllegalArgumentException(
          "arrivals ("
              + arrivals.process()
              + ") is unknown. Known arrivals: "
              + String.join(", ", names()));
    }
    return registered.maker().make(ratePerSecond, arrivals.settings());
  }
}
