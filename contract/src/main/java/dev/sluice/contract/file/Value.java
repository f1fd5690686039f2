package dev.sluice.contract.file;

import java.util.List;
import java.util.Map;

public sealed interface Value {
  Place place();

  /**
   * A text as the file writes it.
   *
   * @param quoted whether it can only be a text, not a number or a boolean
   * @param missing whether it is null
   */
  record Scalar(Place place, String text, boolean quoted, boolean missing) implements Value {}

  record Sequence(Place place, List<Value> items) implements Value {}

  /**
   * A mapping of keys to values.
   *
   * @param entries by key, in the order of the file; overrides replace some of them
   */
  record Mapping(Place place, Map<String, Entry> entries) implements Value {}

  record Entry(Place keyPlace, Value value) {}
}
