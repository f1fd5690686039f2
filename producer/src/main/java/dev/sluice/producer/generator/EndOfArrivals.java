package dev.sluice.producer.generator;

/** The reasons why the generators send no more jobs. */
public enum EndOfArrivals {
  /** The duration is over and every measured job has its outcome. */
  MEASURED_JOBS_ENDED,
  /** The tail is over and measured jobs still have no outcome. */
  TAIL_LIMIT,
  /** The user or another caller ended the arrivals early. */
  STOPPED
}
