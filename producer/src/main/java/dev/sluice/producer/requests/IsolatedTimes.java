package dev.sluice.producer.requests;

/** Service times of jobs that run alone; promises by {@code slo_scale} are multiples of them. */
@FunctionalInterface
public interface IsolatedTimes {
  /**
   * Returns the service time, in milliseconds, of a job on an otherwise idle machine; above 0.
   * Equal arguments give equal times.
   */
  double isolatedMs(String workload, String backend, String precision, int samples);
}
