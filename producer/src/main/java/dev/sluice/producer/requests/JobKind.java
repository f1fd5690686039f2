package dev.sluice.producer.requests;

/** All that is drawn of a job but its time. Few of them exist, whatever the number of jobs. */
record JobKind(
    String classType, String workload, String backend, String precision, int samples, long sloNs) {}
