package dev.sluice.harness.machine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Which share of the machine's processors others took lately. The kernel counts in ticks of 10 ms,
 * so that each reading is of half a second at least. From any thread.
 */
public final class ForeignLoad {
  private static final long WINDOW_NS_MIN = 500_000_000;

  private final LongSupplier monotonicNs;
  private final int processors = Runtime.getRuntime().availableProcessors();
  private final @Nullable HostLoad first;
  private final long firstNs;

  // guarded by this, as all below
  private @Nullable HostLoad before;
  private long beforeNs;
  public @Nullable Double share;

  private ForeignLoad(LongSupplier monotonicNs, @Nullable HostLoad first) {
    this.monotonicNs = monotonicNs;
    this.first = first;
    this.firstNs = monotonicNs.getAsLong();
    this.before = first;
    this.beforeNs = firstNs;
  }

  /** Begins to look, where the kernel tells. */
  public static ForeignLoad begin(LongSupplier monotonicNs) throws IOException {
    return new ForeignLoad(monotonicNs, HostLoad.read().orElse(null));
  }

  /** Share of all processor time, in [0, 1]; null: unknown, or not yet. */
  public synchronized @Nullable Double share() {
    long nowNs = monotonicNs.getAsLong();
    if (before != null && nowNs - beforeNs >= WINDOW_NS_MIN) {
      Optional<HostLoad> now = read();
      if (now.isPresent()) {
        share = since(now.get(), before, nowNs - beforeNs);
        before = now.get();
        beforeNs = nowNs;
      }
    }
    return share;
  }

  /** The same since it began. */
  @Nullable
  public Double shareOfAll() {
    Optional<HostLoad> now = read();
    return first == null || now.isEmpty()
        ? null
        : since(now.get(), first, monotonicNs.getAsLong() - firstNs);
  }

  private double since(HostLoad now, HostLoad earlier, long elapsedNs) {
    return Math.min(1, now.foreignShareSince(earlier, processors, elapsedNs));
  }

  private static Optional<HostLoad> read() {
    try {
      return HostLoad.read();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
