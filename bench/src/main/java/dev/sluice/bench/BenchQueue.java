package dev.sluice.bench;

import java.util.Locale;

/**
 * One queue before {@value #LANES} lanes as an experiment, and as numbers for other simulators:
 * jobs of 1, 8 or 32 samples that take 2 or 4 ms and a quarter of a millisecond for each sample.
 *
 * @param policy name of the policy
 * @param joined whether jobs are joined into micro-batches
 * @param jobs mean number of jobs; the arrivals are drawn
 * @param load share of the lanes that jobs take, each alone
 * @param waitingMax number of jobs that may wait; what comes beyond is dropped
 */
record BenchQueue(String policy, boolean joined, int jobs, double load, int waitingMax) {
  static final int LANES = 16;

  private static final double MEAN_SERVICE_MS = 3 + 0.25 * (1 + 8 + 32) / 3;

  /** First come, first served, at a load of 0.9. */
  static BenchQueue fifo(int jobs) {
    return new BenchQueue("fifo", false, jobs, 0.9, Integer.MAX_VALUE);
  }

  double jobsPerSecond() {
    return load * LANES / MEAN_SERVICE_MS * 1000;
  }

  /** Returns the text of an experiment file. */
  String experiment() {
    String bound = waitingMax == Integer.MAX_VALUE ? "none" : Integer.toString(waitingMax);
    return String.format(
        Locale.ROOT,
        """
        run_name: bench
        duration_seconds: %s
        tail_seconds: 0
        arrival_rate_jobs_per_sec: %s
        interactive_ratio: 0.3
        workloads:
          - {name: quick, tokens: 1, alpha_ms: 2, beta_ms: 0.25}
          - {name: slow, tokens: 1, alpha_ms: 4, beta_ms: 0.25}
        backends_enabled: [onnx]
        batch_sizes: [1, 8, 32]
        scheduler_name: %s
        max_waiting: %s
        microbatch: {enabled: %s}
        resources: {enabled: false}
        lanes: {kind: emulated, num_lanes: %d}
        simulation: {hops: none}
        """,
        jobs / jobsPerSecond(),
        jobsPerSecond(),
        policy,
        bound,
        joined,
        LANES);
  }
}
