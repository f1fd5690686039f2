package dev.sluice.analytics.row;

/** What jobs have in common with many others. */
public record JobKind(String classType, String workload, String backend, String precision) {}
