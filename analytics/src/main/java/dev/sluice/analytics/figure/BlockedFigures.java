package dev.sluice.analytics.figure;

import static dev.sluice.analytics.figure.Figure.Definition.Unit.MILLISECONDS;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.folder.Summary;
import dev.sluice.contract.event.Blocked;
import java.util.List;
import java.util.stream.Stream;

/**
 * blocked_ms_CAUSE: time, inside the measured window and summed over shards, in which at least one
 * usable lane stood idle while work waited, by cause: {@code tokens} (the memory budget), {@code
 * window} (a micro-batch that gathers), {@code capability} (no idle lane can run the work), {@code
 * policy} (its own choice). Log time has a resolution of 1 ms; shorter spans do not count.
 */
public final class BlockedFigures implements Figure {
  public static final List<String> CAUSES =
      Stream.of(Blocked.Cause.values()).map(Blocked.Cause::text).toList();

  public static String name(String cause) {
    return "blocked_ms_" + cause;
  }

  @Override
  public List<Definition> numbers() {
    return CAUSES.stream().map(cause -> Definition.of(name(cause), MILLISECONDS)).toList();
  }

  @Override
  public Fold begin(RunRows run) {
    return summary -> addTo(summary, run);
  }

  private static void addTo(Summary summary, RunRows run) {
    for (String cause : CAUSES) {
      long totalNs = 0;
      for (Blocked span : run.blocked()) {
        if (span.cause().equals(cause)) {
          long fromNs = Math.max(span.fromNs(), run.windowStartNs());
          totalNs += Math.max(0, Math.min(span.toNs(), run.windowEndNs()) - fromNs);
        }
      }
      summary.put(name(cause), totalNs / 1e6);
    }
  }
}
