package dev.sluice.analytics.check;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What a check found.
 *
 * @param subject what was checked, in words
 * @param looked how often each rule was asked, of those that could be
 * @param leftOut why a rule could not be asked, of the others
 * @param faults the first {@value Findings#KEPT} of each rule, in the order of the rows
 * @param faultCounts how many there are, of the rules that were broken
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

  /** Whether no rule was broken. */
  public boolean passed() {
    return faultCounts.isEmpty();
  }

  /** All faults, also those that are not kept. */
  public long faultCount() {
    return faultCounts.values().stream().mapToLong(Long::longValue).sum();
  }
}
