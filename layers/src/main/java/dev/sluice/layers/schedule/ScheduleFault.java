package dev.sluice.layers.schedule;

/**
 * A rule that a schedule breaks.
 *
 * @param line line of the operation that breaks it; 0: no line of a file
 * @param what what is wrong, as a clause
 * @param maybe what to try, as a clause
 */
public record ScheduleFault(int line, String what, String maybe) {}
