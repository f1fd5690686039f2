package dev.sluice.producer.generator;

/** The run cannot go on, or would not be worth reading; the message says why. */
public final class RunFailedException extends Exception {
  RunFailedException(String message) {
    super(message);
  }

  RunFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
