package dev.sluice.harness.machine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Share of the machine's processors that other processes took lately. The kernel counts in ticks of
 * 10 ms, so each reading spans half a second at least. Safe for any thread.
 */
public final class ForeignLoad {
  private static final long WINDOW_NS_MIN = 500_000_000;

  private final LongSupplier monotonicNs;
  private final int processors = Runtime.getRuntime().availableProcessors();
  private final @Nullable HostLoad first;
  private final long firstNs;

  // this field and those below are guarded by this
  private @Nullable HostLoad before;
  private long beforeNs;
  private @Nullable Double share;

  private ForeignLoad(LongSupplier monotonicNs, @Nullable HostLoad first) {
    this.monotonicNs = monotonicNs;
    this.first = first;
    this.firstNs = monotonicNs.getAsLong();
    this.before = first;
    this.beforeNs = firstNs;
  }

  /** Begins to read the kernel's counters, where there are any. */
  public static ForeignLoad begin(LongSupplier monotonicNs) throws IOException {
    return new ForeignLoad(monotonicNs, HostLoad.read().orElse(null));
  }

  /** Share of all processor time, in [0, 1]; null: unknown, or not known yet. */
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

  /** Share of all processor time since the beginning, in [0, 1]; null: unknown. */
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
