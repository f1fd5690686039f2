package dev.sluice.producer.requests;

/** The drawn attributes of a job, except its time. Few kinds exist, whatever the number of jobs. */
record JobKind(
    String classType, String workload, String backend, String precision, int samples, long sloNs) {}
