package dev.sluice.analytics.check;

import dev.sluice.analytics.check.RunFolder.Row;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Checks that the tokens of each executor stayed within its budget, from each decision until the
 * completion was on the log. Batches without an answer are not counted: the log does not tell how
 * long they held their tokens.
 */
final class TokenCheck {
  private static final Set<String> ANSWERED = Set.of("done", "failed", "refused");

  private final RunFolder folder;
  private final Findings findings;

  TokenCheck(RunFolder folder, Findings findings) {
    this.folder = folder;
    this.findings = findings;
  }

  /** A change of the tokens held; at one moment releases come first, since they made the room. */
  private record Change(double atSeconds, long tokens, Row dispatch) {
    static final Comparator<Change> ORDER =
        Comparator.comparingDouble(Change::atSeconds).thenComparingLong(Change::tokens);
  }

  void check() {
    double budget = folder.configNumber("resources", "total_tokens");
    if (!folder.configFlag("resources", "enabled")) {
      findings.leaveOut(Rule.TOKENS, "the run had no budget");
      return;
    }
    boolean fallback = folder.configFlag("resources", "cpu_fallback");
    Map<String, List<Change>> byExecutor = new TreeMap<>();
    for (Row dispatch : folder.dispatches()) {
      long tokens = (long) dispatch.number("tokens");
      boolean outsideBudget = fallback && tokens > budget;
      if (ANSWERED.contains(dispatch.text("result")) && !outsideBudget) {
        String lane = dispatch.text("lane_id");
        List<Change> changes =
            byExecutor.computeIfAbsent(
                lane.substring(0, Math.max(0, lane.lastIndexOf('/'))), e -> new ArrayList<>());
        changes.add(new Change(dispatch.number("decided_time"), tokens, dispatch));
        changes.add(new Change(dispatch.number("completed_time"), -tokens, dispatch));
      }
    }
    byExecutor.forEach((executor, changes) -> check(executor, changes, budget));
  }

  private void check(String executor, List<Change> changes, double budget) {
    changes.sort(Change.ORDER);
    long held = 0;
    for (Change change : changes) {
      held += change.tokens;
      findings.looked(Rule.TOKENS, change.tokens > 0 ? 1 : 0);
      if (held > budget && change.tokens > 0) {
        findings.fault(
            Rule.TOKENS,
            change.dispatch.where(),
            "with (%s) executor (%s) holds (%d) of (%.0f) tokens"
                .formatted(change.dispatch.text("dispatch_id"), executor, held, budget));
      }
    }
  }
}
