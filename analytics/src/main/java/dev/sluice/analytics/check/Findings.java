package dev.sluice.analytics.check;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Faults and counts that a check gathers. */
final class Findings {
  /** Faults that are kept of each rule. */
  static final int KEPT = 100;

  private final Map<Rule, Long> looked = new EnumMap<>(Rule.class);
  private final Map<Rule, String> leftOut = new EnumMap<>(Rule.class);
  private final Map<Rule, List<Fault>> kept = new EnumMap<>(Rule.class);
  private final Map<Rule, Long> counts = new EnumMap<>(Rule.class);

  /** Counts further applications of a rule. */
  void looked(Rule rule, long times) {
    looked.merge(rule, times, Long::sum);
  }

  /** Notes why a rule cannot be applied. */
  void leaveOut(Rule rule, String reason) {
    leftOut.put(rule, reason);
  }

  void fault(Rule rule, String where, String what) {
    List<Fault> faults = kept.computeIfAbsent(rule, r -> new ArrayList<>());
    if (faults.size() < KEPT) {
      faults.add(new Fault(rule, where, what));
    }
    counts.merge(rule, 1L, Long::sum);
  }

  /** Adds the findings of another check. */
  void add(Findings others) {
    others.looked.forEach(this::looked);
    leftOut.putAll(others.leftOut);
    others.counts.forEach((rule, count) -> counts.merge(rule, count, Long::sum));
    others.kept.forEach(
        (rule, faults) -> {
          List<Fault> own = kept.computeIfAbsent(rule, r -> new ArrayList<>());
          own.addAll(faults.subList(0, Math.min(faults.size(), KEPT - own.size())));
        });
  }

  CheckReport report(String subject) {
    return new CheckReport(
        subject, looked, leftOut, kept.values().stream().flatMap(List::stream).toList(), counts);
  }
}
