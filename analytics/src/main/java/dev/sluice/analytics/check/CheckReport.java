package dev.sluice.analytics.check;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Findings of a check.
 *
 * @param subject description of what was checked
 * @param looked applications of each rule that could be applied
 * @param leftOut reasons why the other rules could not be applied
 * @param faults the first {@value Findings#KEPT} of each rule, in the order of the rows
 * @param faultCounts number of faults, by broken rule
 */
public record CheckReport(
    String subject,
    Map<Rule, Long> looked,
    Map<Rule, String> leftOut,
    List<Fault> faults,
    Map<Rule, Long> faultCounts) {
  public CheckReport {
    looked = Collections.unmodifiableMap(new EnumMap<>(looked));
    leftOut = Collections.unmodifiableMap(new EnumMap<>(leftOut));
    faults = List.copyOf(faults);
    faultCounts = Collections.unmodifiableMap(new EnumMap<>(faultCounts));
  }

  /** True if no rule was broken. */
  public boolean passed() {
    return faultCounts.isEmpty();
  }

  /** Number of all faults, also of those that are not kept. */
  public long faultCount() {
    return faultCounts.values().stream().mapToLong(Long::longValue).sum();
  }
}
