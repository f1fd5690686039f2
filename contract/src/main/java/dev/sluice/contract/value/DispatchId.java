package dev.sluice.contract.value;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import org.jspecify.annotations.Nullable;

/**
 * The name of a dispatch, written {@code 1234-0}: the offset of the fact that led to it, and its
 * place among that fact's dispatches. Ids rise within a shard.
 */
public record DispatchId(long factOffset, int index) implements Comparable<DispatchId> {
  public DispatchId {
    Checks.atLeast(0, factOffset, "factOffset");
    Checks.atLeast(0, index, "index");
  }

  /**
   * Reads the written form.
   *
   * @throws IllegalArgumentException if the text is not a dispatch id
   */
  @JsonCreator
  public static DispatchId parse(String text) {
    int dash = text.indexOf('-');
    if (dash <= 0) {
      throw new IllegalArgumentException("a dispatch id is OFFSET-INDEX, not " + text);
    }
    return new DispatchId(
        Long.parseLong(text.substring(0, dash)), Integer.parseInt(text.substring(dash + 1)));
  }

  @Override
  public int compareTo(DispatchId that) {
    int byOffset = Long.compare(factOffset, that.factOffset);
    return byOffset != 0 ? byOffset : Integer.compare(index, that.index);
  }

  /**
   * Compares by hand, as {@link #hashCode} does: a record's generated methods are slow in a table
   * of running batches.
   */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof DispatchId that && factOffset == that.factOffset && index == that.index;
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(factOffset) + index;
  }

  @JsonValue
  @Override
  public String toString() {
    return factOffset + "-" + index;
  }
}
