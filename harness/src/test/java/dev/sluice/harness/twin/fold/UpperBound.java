package dev.sluice.harness.twin.fold;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** An upper bound that a dispatch's prediction promised, and how batches kept it. */
public enum UpperBound {
  P95("p95", 0.95),
  P99("p99", 0.99);

  private final String text;
  private final double probability;

  UpperBound(String text, double probability) {
    this.text = text;
    this.probability = probability;
  }

  /** The bound as text: p95 or p99. */
  public String text() {
    return text;
  }

  /** Probability with which a batch keeps the bound. */
  public double probability() {
    return probability;
  }

  /** Dispatches that were given this bound. */
  public List<DispatchRow> judged(List<DispatchRow> rows) {
    return rows.stream().filter(row -> nsOrNull(row) != null).toList();
  }

  /** True if a batch took longer than its bound. */
  public boolean missed(DispatchRow row) {
    return row.serviceNs() > ns(row);
  }

  /** The bound that the dispatch was given. */
  public long ns(DispatchRow row) {
    Long ns = nsOrNull(row);
    if (ns == null) {
      throw new IllegalStateException(row.key() + " was given no " + text);
    }
    return ns;
  }

  private @Nullable Long nsOrNull(DispatchRow row) {
    return switch (this) {
      case P95 -> row.prediction().p95Ns();
      case P99 -> row.prediction().p99Ns();
    };
  }
}
