package dev.sluice.contract.log;

import org.jspecify.annotations.Nullable;

/** Bytes in a topic are not an event; they go to {@code dead-letters} with this message. */
public final class UnreadableEventException extends Exception {
  public UnreadableEventException(@Nullable String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
