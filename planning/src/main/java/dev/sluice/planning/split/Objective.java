package dev.sluice.planning.split;

/** What a plan has the least of. */
public enum Objective {
  /** The bottleneck: the largest compute or transfer time of all stages. */
  THROUGHPUT,
  /** The latency: the sum of all compute and transfer times. */
  LATENCY
}
