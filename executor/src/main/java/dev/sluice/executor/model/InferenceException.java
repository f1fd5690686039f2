package dev.sluice.executor.model;

/** An engine refused a batch or failed on it; the cause is the engine's own exception. */
public final class InferenceException extends Exception {
  public InferenceException(String message, Throwable cause) {
    super(message, cause);
  }
}
