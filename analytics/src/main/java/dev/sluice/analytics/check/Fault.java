package dev.sluice.analytics.check;

/**
 * A breach of a rule.
 *
 * @param where rows, as {@code executions[17]} or {@code trace.csv:18}
 * @param what description of the breach, values in (brackets)
 */
public record Fault(Rule rule, String where, String what) {}
