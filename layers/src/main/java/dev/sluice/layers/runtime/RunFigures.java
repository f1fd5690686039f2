package dev.sluice.layers.runtime;

import dev.sluice.layers.engine.LayerTrace.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Figures of a run, from its operations one by one, so that a run of any length takes little
 * memory. Not safe for threads.
 *
 * <p>Fetch time is the time for which the reader read; a stall is the time for which a fetch held
 * the computing thread up. What was fetched while the computing thread did not stall is hidden. The
 * ideal is max(Σ fetch, Σ compute) + the first fetch, which nothing can hide.
 */
public final class RunFigures {
  private final List<Long> stallNs = new ArrayList<>();
  private long computeNs;
  private long readNs;
  private long firstReadNs = -1;
  private long readBytes;
  private long residentBytesMax;

  public RunFigures(int layers) {
    IntStream.range(0, layers).forEach(layer -> stallNs.add(0L));
  }

  /** Counts an operation. */
  public void add(Row row) {
    residentBytesMax = Math.max(residentBytesMax, row.residentBytes());
    switch (row.operation()) {
      case Row.COMPUTE, Row.UPDATE -> computeNs += row.tookNs();
      case Row.FETCH -> stallNs.set(row.layer(), stallNs.get(row.layer()) + row.tookNs());
      case Row.READ -> {
        readNs += row.tookNs();
        readBytes += row.bytes();
        firstReadNs = firstReadNs < 0 ? row.tookNs() : firstReadNs;
      }
      default -> {
        // a release or a prefetch takes no time of these figures
      }
    }
  }

  public long computeNs() {
    return computeNs;
  }

  public long readNs() {
    return readNs;
  }

  public long readBytes() {
    return readBytes;
  }

  /** Time for which fetches of each layer held the computing thread up. */
  public List<Long> stallNs() {
    return List.copyOf(stallNs);
  }

  public long stallNsSum() {
    return stallNs.stream().mapToLong(Long::longValue).sum();
  }

  /** Fetch time during which the computing thread did not stall. */
  public long hiddenNs() {
    return Math.max(0, readNs - stallNsSum());
  }

  /** Largest number of bytes of the budget that were taken at once. */
  public long residentBytesMax() {
    return residentBytesMax;
  }

  /** The least wall time of any order: max(Σ fetch, Σ compute) + the first fetch. */
  public long idealNs() {
    return Math.max(readNs, computeNs) + Math.max(0, firstReadNs);
  }
}
