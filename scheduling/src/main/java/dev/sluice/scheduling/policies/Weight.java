package dev.sluice.scheduling.policies;

import static java.util.Objects.requireNonNull;

import java.util.Map;

/** A weight of a policy's score, with its default value. */
record Weight(String name, double defaultValue) {
  /** Returns the weight of a name; the registry has filled in the defaults. */
  static double in(Map<String, Double> weights, String name) {
    return requireNonNull(weights.get(name), name);
  }
}
