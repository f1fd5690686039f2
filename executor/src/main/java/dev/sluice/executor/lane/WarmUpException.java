package dev.sluice.executor.lane;

/** A lane could not be opened or warmed up; the message says which, with what, and why. */
public final class WarmUpException extends Exception {
  public WarmUpException(String message, Throwable cause) {
    super(message, cause);
  }
}
