package dev.sluice.analytics.statistic;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Values as numbers, from 0, in the order in which they first came. Not safe for threads. */
public final class Interned<T> {
  private final Map<T, Integer> numbers = new HashMap<>(); // looked up, never iterated
  private final List<T> values = new ArrayList<>();
  private @Nullable T last;
  private int numberOfLast;

  public int number(T value) {
    if (!value.equals(last)) { // what came last is often what comes next
      numberOfLast = lookUp(value);
      last = value;
    }
    return numberOfLast;
  }

  private int lookUp(T value) {
    Integer known = numbers.get(value);
    if (known != null) {
      return known;
    }
    numbers.put(value, values.size());
    values.add(value);
    return values.size() - 1;
  }

  public T get(int number) {
    return values.get(number);
  }

  public List<T> values() {
    return Collections.unmodifiableList(values);
  }
}
