package dev.sluice.scheduler.replay;

import dev.sluice.contract.event.Fact;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * The fact after which a decision was made.
 *
 * @param offset offset of the fact in its shard's {@code facts}
 * @param nowNs log time of the fact
 * @param fact the fact; null: bytes that are no event
 */
public record Moment(int shard, long offset, long nowNs, @Nullable Fact fact) {
  /** Orders moments by time, then shard and offset. */
  static final Comparator<Moment> ORDER =
      Comparator.comparingLong(Moment::nowNs)
          .thenComparingInt(Moment::shard)
          .thenComparingLong(Moment::offset);
}
