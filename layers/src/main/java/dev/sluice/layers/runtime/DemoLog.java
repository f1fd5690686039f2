package dev.sluice.layers.runtime;

import dev.sluice.analytics.report.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What happened in one step, in the order of the loop's thread: hooks, and below each what it led
 * to. A prefetch's row has the times of its reading, which another thread ends later. Safe for
 * threads.
 */
final class DemoLog {
  private static final TextTable TABLE = new TextTable("  %-21s %-12s %8s %8s  %s");
  private static final int BAR_WIDTH = 48;
  private static final double NS_PER_MS = 1e6;

  private final LongSupplier monotonicNs;
  private long originNs;
  private final List<Row> rows = new ArrayList<>();

  /** A row; times are ns since the step began. */
  static final class Row {
    private final String hook;
    private final @Nullable String operation;
    private long startNs;
    private long endNs;

    private Row(String hook, @Nullable String operation, long startNs) {
      this.hook = hook;
      this.operation = operation;
      this.startNs = startNs;
      this.endNs = startNs;
    }
  }

  DemoLog(LongSupplier monotonicNs) {
    this.monotonicNs = monotonicNs;
    this.originNs = monotonicNs.getAsLong();
  }

  private synchronized long nowNs() {
    return monotonicNs.getAsLong() - originNs;
  }

  synchronized void restart() {
    originNs = monotonicNs.getAsLong();
  }

  synchronized void hook(String text) {
    rows.add(new Row(text, null, nowNs()));
  }

  synchronized Row begin(String operation) {
    var row = new Row("", operation, nowNs());
    rows.add(row);
    return row;
  }

  /** An operation that was asked for before begins now. */
  synchronized void restart(Row row) {
    row.startNs = nowNs();
    row.endNs = row.startNs;
  }

  synchronized void end(Row row) {
    row.endNs = nowNs();
  }

  /** Time at which the last row ended. */
  synchronized long lastNs() {
    return rows.stream().mapToLong(row -> row.endNs).max().orElse(0);
  }

  /**
   * The rows as text, with a bar from start to end for each operation that took time.
   *
   * @param widthNs time that the widest bar stands for
   */
  synchronized List<String> lines(long widthNs) {
    List<String> lines = new ArrayList<>();
    lines.add(TABLE.row("hook", "operation", "start ms", "end ms", ""));
    for (Row row : rows) {
      if (row.operation == null) {
        lines.add(TABLE.row(row.hook, "", ms(row.startNs), "", ""));
      } else {
        int from = column(row.startNs, widthNs);
        int to = column(row.endNs, widthNs);
        lines.add(
            TABLE.row(
                "",
                row.operation,
                ms(row.startNs),
                ms(row.endNs),
                " ".repeat(from) + "#".repeat(to - from)));
      }
    }
    return lines;
  }

  private static int column(long ns, long widthNs) {
    return (int) Math.min(BAR_WIDTH, Math.round((double) ns * BAR_WIDTH / Math.max(1, widthNs)));
  }

  private static String ms(long ns) {
    return String.format(Locale.ROOT, "%.1f", ns / NS_PER_MS);
  }
}
