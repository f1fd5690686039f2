package dev.sluice.producer.requests;

/** How long jobs take alone: promises of {@code slo_scale} are multiples of it. */
@FunctionalInterface
public interface IsolatedTimes {
  /**
   * The service time, in milliseconds, of such a job on an otherwise idle machine; above 0. The
   * same arguments give the same time.
   */
  double isolatedMs(String workload, String backend, String precision, int samples);
}
