package dev.sluice.scheduler.replay;

import dev.sluice.contract.event.Fact;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * A fact of a log, after which a decision was made.
 *
 * @param offset offset of the fact in its shard's {@code facts}; -1: before the first one
 * @param nowNs log time of the fact
 * @param fact the fact; null: bytes that are no event
 */
public record LoggedFact(int shard, long offset, long nowNs, @Nullable Fact fact) {
  /** Orders facts by time, then shard and offset. */
  static final Comparator<LoggedFact> ORDER =
      Comparator.comparingLong(LoggedFact::nowNs)
          .thenComparingInt(LoggedFact::shard)
          .thenComparingLong(LoggedFact::offset);
}
