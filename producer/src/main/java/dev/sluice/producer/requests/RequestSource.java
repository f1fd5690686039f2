package dev.sluice.producer.requests;

import java.util.List;

/**
 * A source of the requests of a run, in the order of their intended times. Used once, by one
 * thread.
 */
public interface RequestSource {
  /** Goes on to the next request; false if there is none, now and ever after. */
  boolean next();

  /** Returns the intended time of the present request, not below that of the one before. */
  long intendedAtNs();

  /** Returns all else of the present request. */
  JobKind kind();

  /** Returns lines about the source that a person should know before the run. */
  default List<String> notes() {
    return List.of();
  }
}
