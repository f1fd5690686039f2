package dev.sluice.producer.generator;

/** Thrown if the run cannot go on, or if its figures would be of no use; the message says why. */
public final class RunFailedException extends Exception {
  RunFailedException(String message) {
    super(message);
  }

  RunFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
