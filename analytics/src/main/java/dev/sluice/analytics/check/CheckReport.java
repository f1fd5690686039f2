package dev.sluice.analytics.check;

import java.util.List;
import java.util.Map;

/**
 * Findings of a check.
 *
 * @param subject description of what was checked
 * @param extent how much was looked at
 * @param looked applications of each rule that could be applied
 * @param leftOut reasons why the other rules could not be applied
 * @param faults the first {@value Findings#KEPT} of each rule, in the order of the rows
 * @param faultCounts number of faults, by broken rule
 */
public record CheckReport(
    String subject,
    Extent extent,
    Map<Rule, Long> looked,
    Map<Rule, String> leftOut,
    List<Fault> faults,
    Map<Rule, Long> faultCounts) {
  /**
   * How much a check looked at.
   *
   * @param rows rows of all tables
   * @param numbers numbers of the summary that were counted again
   * @param numbersStated numbers that the summary states
   * @param resting numbers that rest on neither rows nor config nor log, by their paths
   */
  public record Extent(long rows, long numbers, long numbersStated, List<String> resting) {}

  public boolean passed() {
    return faultCounts.isEmpty();
  }

  public String verdict() {
    String over =
        "%d numbers of %d, %d rows, %d rules"
            .formatted(
                extent.numbers(), extent.numbersStated(), extent.rows(), looked.keySet().size());
    return passed()
        ? "passed: " + over
        : "failed: %d faults against %s in %s"
            .formatted(
                faultCounts.values().stream().mapToLong(Long::longValue).sum(),
                faultCounts.keySet(),
                over);
  }

  /**
   * A breach of a rule.
   *
   * @param where rows, as {@code executions[17]} or {@code trace.csv:18}
   * @param what description of the breach, values in (brackets)
   */
  public record Fault(Rule rule, String where, String what) {}
}
