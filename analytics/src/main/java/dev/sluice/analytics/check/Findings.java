package dev.sluice.analytics.check;

import dev.sluice.analytics.check.CheckReport.Fault;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Faults and counts that a check gathers. */
final class Findings {
  static final int KEPT = 100;

  private final Map<Rule, Long> looked = new EnumMap<>(Rule.class);
  private final Map<Rule, String> leftOut = new EnumMap<>(Rule.class);
  private final Map<Rule, List<Fault>> kept = new EnumMap<>(Rule.class);
  private final Map<Rule, Long> counts = new EnumMap<>(Rule.class);

  private final List<String> resting = new ArrayList<>();
  private long rows;
  private long numbers;

  void rows(long more) {
    rows += more;
  }

  /** Counts a number of the summary that was counted again. */
  void number() {
    numbers++;
  }

  /** Notes a number of the summary that rests on nothing that was read. */
  void rests(String path) {
    resting.add(path);
  }

  /** Counts further applications of a rule. */
  void looked(Rule rule, long times) {
    if (times > 0) {
      looked.merge(rule, times, Long::sum);
    }
  }

  void leaveOut(Rule rule, String reason) {
    leftOut.put(rule, reason);
  }

  /**
   * Notes a breach of a rule.
   *
   * @param where rows, as {@code trace.csv:18}
   * @param what the breach, with its values in (brackets); a format if values follow
   */
  @SuppressWarnings("AnnotateFormatMethod") // only what has values is a format
  void fault(Rule rule, String where, String what, Object... values) {
    List<Fault> faults = kept.computeIfAbsent(rule, r -> new ArrayList<>());
    if (faults.size() < KEPT) {
      faults.add(new Fault(rule, where, values.length == 0 ? what : what.formatted(values)));
    }
    counts.merge(rule, 1L, Long::sum);
  }

  void add(Findings others) {
    others.looked.forEach(this::looked);
    leftOut.putAll(others.leftOut);
    rows += others.rows;
    numbers += others.numbers;
    resting.addAll(others.resting);
    others.counts.forEach((rule, count) -> counts.merge(rule, count, Long::sum));
    others.kept.forEach(
        (rule, faults) -> {
          List<Fault> own = kept.computeIfAbsent(rule, r -> new ArrayList<>());
          own.addAll(faults.subList(0, Math.min(faults.size(), KEPT - own.size())));
        });
  }

  /**
   * Returns all findings.
   *
   * @param rules rules that the subject has: one that looked at nothing says so
   */
  CheckReport report(String subject, Set<Rule> rules) {
    for (Rule rule : rules) {
      if (!looked.containsKey(rule) && !counts.containsKey(rule)) {
        leftOut.putIfAbsent(rule, "there was nothing to look at");
      }
    }
    return new CheckReport(
        subject,
        new CheckReport.Extent(rows, numbers, numbers + resting.size(), resting),
        looked,
        leftOut,
        kept.values().stream().flatMap(List::stream).toList(),
        counts);
  }
}
