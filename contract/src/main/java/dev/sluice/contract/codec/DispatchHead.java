package dev.sluice.contract.codec;

import dev.sluice.contract.value.DispatchId;
import org.jspecify.annotations.Nullable;

/**
 * Whose a dispatch is: all that an executor needs to pass over those of others.
 *
 * @param executorId executor that the dispatch is for
 */
public record DispatchHead(DispatchId id, String executorId) {
  /**
   * Reads the head of bytes that begin and end as this version writes a dispatch; null: other
   * bytes, which must be read whole.
   */
  public static @Nullable DispatchHead readOrNull(byte[] bytes) {
    return HotBatches.readHead(bytes);
  }
}
