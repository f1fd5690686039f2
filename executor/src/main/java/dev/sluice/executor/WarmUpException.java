package dev.sluice.executor;

/** A lane could not be opened or warmed up; the message says which, with what, and why. */
public final class WarmUpException extends Exception {
  WarmUpException(String message, Throwable cause) {
    super(message, cause);
  }
}
