package dev.sluice.scheduling.policy;

import java.util.Collections;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Numbers that a policy keeps from one choice to the next, by name. {@link
 * SchedulingPolicy#remember} alone changes them, as a function of the facts and of the applied
 * choices. Snapshots hold them, so that a restarted or replayed core has equal ones.
 */
public final class Memory {
  private final NavigableMap<String, Double> values = new TreeMap<>();

  /** Returns a number; the other one if there is none of that name. */
  public double get(String name, double otherwise) {
    Double value = values.get(name);
    return value == null ? otherwise : value;
  }

  public void set(String name, double value) {
    values.put(name, value);
  }

  /** Forgets all numbers whose names begin so. */
  public void forget(String prefix) {
    values.subMap(prefix, true, prefix + Character.MAX_VALUE, true).clear();
  }

  /** Returns the numbers whose names begin so, by name, as a view. */
  public Map<String, Double> withPrefix(String prefix) {
    return Collections.unmodifiableMap(
        values.subMap(prefix, true, prefix + Character.MAX_VALUE, true));
  }

  public Map<String, Double> values() {
    return Collections.unmodifiableMap(values);
  }
}
