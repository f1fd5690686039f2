package dev.sluice.harness.machine;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/**
 * Share of the machine's processors that other processes took lately. The kernel counts in ticks of
 * 10 ms, so each reading spans half a second at least. Safe for any thread.
 */
public final class ForeignLoad {
  private static final long WINDOW_NS_MIN = 500_000_000;

  private final int processors = Runtime.getRuntime().availableProcessors();
  private final @Nullable HostLoad first;

  // this field and the one below are guarded by this
  private @Nullable HostLoad before;
  private @Nullable Double share;

  /** Begins to read the kernel's counters, where there are any. */
  public ForeignLoad() throws IOException {
    first = HostLoad.read().orElse(null);
    before = first;
  }

  /** Share of all processor time, in [0, 1]; null: unknown, or not known yet. */
  public synchronized @Nullable Double share() {
    if (before != null && MachineClock.monotonicNs() - before.atNs() >= WINDOW_NS_MIN) {
      HostLoad now = read();
      if (now != null) {
        share = since(now, before);
        before = now;
      }
    }
    return share;
  }

  /** Share of all processor time since the beginning, in [0, 1]; null: unknown. */
  public @Nullable Double shareOfAll() {
    HostLoad now = read();
    return first == null || now == null ? null : since(now, first);
  }

  private double since(HostLoad now, HostLoad earlier) {
    return Math.min(1, now.foreignShareSince(earlier, processors));
  }

  private static @Nullable HostLoad read() {
    try {
      return HostLoad.read().orElse(null);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
