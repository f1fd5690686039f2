package dev.sluice.analytics.check;

/**
 * Something that breaks a rule.
 *
 * @param where the rows, as {@code executions[17]} or {@code trace.csv:18}
 * @param what what is wrong there, values in (brackets)
 */
public record Fault(Rule rule, String where, String what) {}
