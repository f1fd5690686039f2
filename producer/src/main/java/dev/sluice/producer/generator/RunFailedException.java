package dev.sluice.producer.generator;

import org.jspecify.annotations.Nullable;

/** The run cannot go on, or would not be worth reading; the message says why. */
public final class RunFailedException extends Exception {
  RunFailedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
