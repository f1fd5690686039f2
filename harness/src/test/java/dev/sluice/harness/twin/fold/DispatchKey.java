package dev.sluice.harness.twin.fold;

import dev.sluice.contract.value.DispatchId;
import java.util.Comparator;

/** A dispatch id with its shard: unique in the run. */
public record DispatchKey(int shard, DispatchId id) implements Comparable<DispatchKey> {
  private static final Comparator<DispatchKey> ORDER =
      Comparator.comparingInt(DispatchKey::shard).thenComparing(DispatchKey::id);

  @Override
  public int compareTo(DispatchKey that) {
    return ORDER.compare(this, that);
  }
}
