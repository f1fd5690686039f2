package dev.sluice.analytics.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Checks that the tokens of each executor stayed within its budget, from each decision until the
 * completion was on the log. Batches without an answer are not counted: the rows do not tell how
 * long they held their tokens.
 */
public final class TokenRule {
  private static final Set<String> ANSWERED = Set.of("done", "failed", "refused", "cancelled");

  private final RunFolder folder;
  private final Findings findings;

  public TokenRule(RunFolder folder, Findings findings) {
    this.folder = folder;
    this.findings = findings;
  }

  /** A change of the tokens held; at one moment releases come first, since they made the room. */
  private record Change(long atNs, long tokens, Batch batch) {
    static final Comparator<Change> ORDER =
        Comparator.comparingLong(Change::atNs).thenComparingLong(Change::tokens);
  }

  /** Checks all executors. */
  public void check() {
    if (!folder.config().flag("resources", "enabled")) {
      findings.leaveOut(Rule.TOKENS, "the run had no budget");
      return;
    }
    boolean cancels = folder.decides("cancelling");
    if (cancels && folder.config().number("lanes", "ahead") > 0) {
      findings.leaveOut(
          Rule.TOKENS, "rows do not tell a batch ahead from one that takes another's place");
      return;
    }
    double budget = folder.config().number("resources", "total_tokens");
    boolean fallback = folder.config().flag("resources", "cpu_fallback");
    Map<String, List<Change>> byExecutor = new TreeMap<>();
    Map<Batch, Long> replacedAtNs = cancels ? replacedAtNs() : Map.of();
    for (Batch batch : folder.batches()) {
      boolean outsideBudget = fallback && batch.tokens > budget;
      if (ANSWERED.contains(batch.result) && !outsideBudget) {
        List<Change> changes = byExecutor.computeIfAbsent(batch.executor(), e -> new ArrayList<>());
        changes.add(new Change(batch.decidedNs, batch.tokens, batch));
        long untilNs =
            cancels
                ? Math.min(batch.completedNs, replacedAtNs.getOrDefault(batch, Long.MAX_VALUE))
                : batch.completedNs;
        changes.add(new Change(untilNs, -batch.tokens, batch));
      }
    }
    byExecutor.forEach((executor, changes) -> check(executor, changes, budget));
  }

  /** Returns when the next batch of its lane was decided, for each batch that has one. */
  private Map<Batch, Long> replacedAtNs() {
    Map<String, Batch> lastByLane = new HashMap<>();
    Map<Batch, Long> replaced = new HashMap<>();
    List<Batch> byDecision = new ArrayList<>(folder.batches());
    byDecision.sort(Comparator.comparingLong(batch -> batch.decidedNs));
    for (Batch batch : byDecision) {
      Batch before = lastByLane.put(batch.lane, batch);
      if (before != null) {
        replaced.put(before, batch.decidedNs);
      }
    }
    return replaced;
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
            change.batch.where,
            "with (%s) executor (%s) holds (%d) of (%.0f) tokens"
                .formatted(change.batch.id, executor, held, budget));
      }
    }
  }
}
