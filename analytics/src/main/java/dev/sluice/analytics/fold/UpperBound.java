package dev.sluice.analytics.fold;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The upper bounds that a dispatch's prediction promised, and how batches kept them. */
public enum UpperBound {
  P95("p95", 0.95),
  P99("p99", 0.99);

  public final String text;
  public final double probability;

  UpperBound(String text, double probability) {
    this.text = text;
    this.probability = probability;
  }

  /** p95 or p99. */
  public String text() {
    return text;
  }

  /** With what probability a batch keeps it. */
  public double probability() {
    return probability;
  }

  /** Of the dispatches those that were given this bound. */
  public List<DispatchRow> judged(List<DispatchRow> rows) {
    return rows.stream().filter(row -> nsOrNull(row) != null).toList();
  }

  /** Whether a batch that was given the bound took longer. */
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
      case P95 -> row.dispatch().predictedP95Ns();
      case P99 -> row.dispatch().predictedP99Ns();
    };
  }
}
