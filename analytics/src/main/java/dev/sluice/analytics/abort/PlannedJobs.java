package dev.sluice.analytics.abort;

/** The jobs that a run may ask for, known before it begins. */
public interface PlannedJobs {
  /** Takes one job. */
  @FunctionalInterface
  interface Visitor {
    void job(String classType, String workload, int samples, long sloNs, long intendedAtNs);
  }

  /**
   * True if each job has its intended time; false if a job is meant to arrive when the one before
   * it has ended, so that the list holds more jobs than the run will ask for.
   */
  boolean timesAreKnown();

  void forEach(Visitor visitor);
}
