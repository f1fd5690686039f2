package dev.sluice.contract.experiment;

import dev.sluice.contract.file.Numbers;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Where the arrivals of a run come from, the key {@code arrivals}. */
public sealed interface Arrivals permits Arrivals.Drawn, Replay {
  /** Poisson arrivals, which a file without the key has. */
  Arrivals POISSON = drawn("poisson");

  /** The process and its settings, for a person: {@code gamma, cv 2}. */
  String words();

  /** A process without settings of its own. */
  static Arrivals drawn(String process) {
    return new Drawn(process, Map.of());
  }

  /**
   * Arrivals drawn from the run's seed.
   *
   * @param process name of the process, as the file gives it
   */
  record Drawn(String process, Map<String, Double> settings) implements Arrivals {
    public Drawn {
      settings = Map.copyOf(settings);
    }

    @Override
    public String words() {
      return process
          + new TreeMap<>(settings)
              .entrySet().stream()
                  .map(e -> ", " + e.getKey() + " " + Numbers.text(e.getValue()))
                  .collect(Collectors.joining());
    }
  }
}
