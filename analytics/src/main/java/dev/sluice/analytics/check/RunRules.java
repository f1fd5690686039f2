package dev.sluice.analytics.check;

/** Some rules of a run, with what they find; they share nothing that changes with others. */
abstract class RunRules {
  /** Half of the whole microseconds that times of the tables have. */
  static final long HALF_GRAIN_NS = 500;

  /** Grain of the times at which a broker appends; decisions may lie within it. */
  static final long APPEND_GRAIN_NS = 1_000_000;

  final RunFolder folder;
  final RunConfig config;
  final Findings findings = new Findings();

  RunRules(RunFolder folder) {
    this.folder = folder;
    this.config = folder.config();
  }

  abstract void check();

  final Findings found() {
    check();
    return findings;
  }

  final void looked(Rule rule) {
    findings.looked(rule, 1);
  }

  /**
   * Applies a rule to a row.
   *
   * @param wrong what is wrong with it; empty: nothing is
   */
  final void judge(Rule rule, Row row, String wrong) {
    looked(rule);
    if (!wrong.isEmpty()) {
      fault(rule, row, wrong);
    }
  }

  final void fault(Rule rule, Row row, String what, Object... values) {
    findings.fault(rule, row.where, what, values);
  }

  /** Checks that a cell is there, or empty, as the others of its row demand. */
  final void need(Row row, boolean holds, String column) {
    if (!holds) {
      fault(
          Rule.FORMAT,
          row,
          "the cell %s does not suit %s, which is (%s)"
              .formatted(column, row.words(), row.state()));
    }
  }

  /** Checks the order of two times, as closely as they can be compared; unknown ones have none. */
  final void after(
      Row row, String later, long laterNs, String earlier, long earlierNs, long grainNs) {
    if (laterNs != Row.NONE && earlierNs != Row.NONE && laterNs < earlierNs - grainNs) {
      fault(
          Rule.ORDER,
          row,
          "%s has %s (%s) before %s (%s)"
              .formatted(row.words(), later, seconds(laterNs), earlier, seconds(earlierNs)));
    }
  }

  static double ms(long ns) {
    return ns / 1e6;
  }

  static double seconds(long ns) {
    return ns / 1e9;
  }
}
