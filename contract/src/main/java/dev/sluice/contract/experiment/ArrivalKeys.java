package dev.sluice.contract.experiment;

import dev.sluice.contract.file.Range;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The keys that an arrival process has below {@code arrivals}. Each must be given.
 *
 * @param rule a mistake in values that are each in their range; empty: there is none
 */
public record ArrivalKeys(List<Key> keys, Function<Map<String, Double>, Optional<Mistake>> rule) {
  public static final ArrivalKeys NONE = of();

  /**
   * A key whose value is a number.
   *
   * @param example a value that makes sense, for messages
   */
  public record Key(String name, Range range, double example) {}

  /**
   * A mistake in the values together.
   *
   * @param key key whose line is reported
   */
  public record Mistake(String key, String what, String maybe) {}

  public ArrivalKeys {
    keys = List.copyOf(keys);
  }

  public static ArrivalKeys of(Key... keys) {
    return new ArrivalKeys(List.of(keys), values -> Optional.empty());
  }
}
