package dev.sluice.producer.generator;

/** Why the generators send no more. */
public enum EndOfArrivals {
  /** The duration is over and every measured job has its outcome. */
  MEASURED_JOBS_ENDED,
  /** The tail is over and measured jobs still have none. */
  TAIL_LIMIT,
  /** Somebody ended the arrivals early. */
  STOPPED
}
