package dev.sluice.sweep.grid;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * One experiment of a sweep.
 *
 * @param values value of each axis, in the order of the grid
 * @param overrides overrides of the base, as the command line takes them
 * @param key digest of all that decides the outcome: equal keys, equal cells
 */
record Cell(Map<String, String> values, List<String> overrides, String key) {
  private static final int ID_VALUES_MAX = 120;
  private static final int ID_KEY_LENGTH = 12;

  Cell {
    values = new LinkedHashMap<>(values);
    overrides = List.copyOf(overrides);
  }

  /** The cell in words: each key with its value. */
  String name() {
    return name(values);
  }

  static String name(Map<String, String> values) {
    return values.entrySet().stream()
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .collect(Collectors.joining(", "));
  }

  /** Name of the cell's folder: its values, and the beginning of its key. */
  String id() {
    String joined =
        values.values().stream()
            .map(value -> value.replaceAll("[^A-Za-z0-9._]+", "_"))
            .collect(Collectors.joining("-"))
            .replaceFirst("^[^A-Za-z0-9]+", "");
    String cut = joined.substring(0, Math.min(ID_VALUES_MAX, joined.length()));
    return (cut.isEmpty() ? "cell" : cut) + "-" + key.substring(0, ID_KEY_LENGTH);
  }

  /** The values without one key's: equal for the repeats of one measurement. */
  Map<String, String> without(String repeated) {
    Map<String, String> others = new LinkedHashMap<>(values);
    others.remove(repeated);
    return others;
  }
}
