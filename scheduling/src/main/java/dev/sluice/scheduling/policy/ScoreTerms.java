package dev.sluice.scheduling.policy;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;

/**
 * The terms of a score by name, in their order. Immutable, and small enough to be made for every
 * batch, since it shares the names with the policy.
 */
public final class ScoreTerms extends AbstractMap<String, Double> {
  private static final ScoreTerms NONE = new ScoreTerms(List.of());

  private final List<String> names;
  private final double[] values;

  private ScoreTerms(List<String> names, double... values) {
    this.names = names;
    this.values = values;
  }

  /**
   * Returns terms of these names, each with the value at its place. The array must not be changed
   * later.
   */
  public static ScoreTerms of(List<String> names, double... values) {
    if (names.size() != values.length) {
      throw new IllegalArgumentException(
          "(%d) values for terms %s".formatted(values.length, names));
    }
    return new ScoreTerms(List.copyOf(names), values);
  }

  /** Returns the terms of a map, in its order. */
  static ScoreTerms copyOf(Map<String, Double> terms) {
    if (terms instanceof ScoreTerms same) {
      return same;
    }
    if (terms.isEmpty()) {
      return NONE;
    }
    double[] values = terms.values().stream().mapToDouble(Double::doubleValue).toArray();
    return new ScoreTerms(List.copyOf(terms.keySet()), values);
  }

  @Override
  public int size() {
    return values.length;
  }

  @Override
  public Set<Entry<String, Double>> entrySet() {
    return new AbstractSet<>() {
      @Override
      public int size() {
        return values.length;
      }

      @Override
      public Iterator<Entry<String, Double>> iterator() {
        return new Iterator<>() {
          private int next;

          @Override
          public boolean hasNext() {
            return next < values.length;
          }

          @Override
          public Entry<String, Double> next() {
            if (!hasNext()) {
              throw new NoSuchElementException();
            }
            return Map.entry(names.get(next), values[next++]);
          }
        };
      }
    };
  }
}
