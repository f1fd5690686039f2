package dev.sluice.scheduling.core;

import dev.sluice.contract.event.RunStarted;
import dev.sluice.scheduling.state.CoreState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The generators of the run: the indexes that each has sent, and whether the run has begun and
 * ended.
 */
final class Sources {
  /**
   * Time after the last intended arrival at which the run ends even if sources have not said so.
   */
  private static final long ARRIVALS_OVERDUE_NS = 10_000_000_000L;

  private final CoreState state;
  private final Map<Integer, Source> sourceByNumber = new HashMap<>();

  /** Source that was looked up last, since facts of one source often follow each other. */
  private @Nullable Source lastSource;

  /** Numbers of the sources that will send no more. */
  private final TreeSet<Integer> ended = new TreeSet<>();

  /** Number of sources that the run has; 0 before it started. */
  int count;

  long arrivalsEndAtNsMax = Long.MAX_VALUE;

  /** Time at which the run ends even if a source has not said so. */
  private long endAtNs = Long.MAX_VALUE;

  /** A generator, and the highest index seen from it. */
  private static final class Source {
    private final int number;
    private long highestIndex;

    Source(int number, long highestIndex) {
      this.number = number;
      this.highestIndex = highestIndex;
    }
  }

  Sources(CoreState state) {
    this.state = state;
  }

  void restore(
      int sources, long arrivalsEndNsMax, Map<Integer, Long> indexBySource, List<Integer> over) {
    count = sources;
    arrivalsEndAt(arrivalsEndNsMax);
    indexBySource.forEach((number, index) -> sourceByNumber.put(number, new Source(number, index)));
    ended.addAll(over);
  }

  void start(RunStarted start) {
    count = start.generators();
    Long endNsMax = start.arrivalsEndAtNsMax();
    arrivalsEndAt(endNsMax == null ? Long.MAX_VALUE : endNsMax);
  }

  private void arrivalsEndAt(long ns) {
    arrivalsEndAtNsMax = ns;
    endAtNs =
        ns >= Long.MAX_VALUE - ARRIVALS_OVERDUE_NS ? Long.MAX_VALUE : ns + ARRIVALS_OVERDUE_NS + 1;
  }

  void end(int source) {
    ended.add(source);
  }

  boolean haveStarted() {
    return count > 0;
  }

  boolean haveEnded() {
    return count > 0 && (state.nowNs() >= endAtNs || ended.size() >= count);
  }

  /** Returns the time at which the run ends even if a source has not said so. */
  long endAtNs() {
    return endAtNs;
  }

  /** Notes an index, and returns whether its source sent neither it nor a higher one before. */
  boolean isNew(int number, long index) {
    Source source = lastSource;
    if (source == null || source.number != number) {
      source = sourceByNumber.computeIfAbsent(number, n -> new Source(n, -1));
      lastSource = source;
    }
    boolean isNew = index > source.highestIndex;
    source.highestIndex = Math.max(source.highestIndex, index);
    return isNew;
  }

  Map<Integer, Long> indexBySource() {
    Map<Integer, Long> indexes = new HashMap<>();
    sourceByNumber.forEach((number, source) -> indexes.put(number, source.highestIndex));
    return indexes;
  }

  List<Integer> ended() {
    return List.copyOf(ended);
  }
}
