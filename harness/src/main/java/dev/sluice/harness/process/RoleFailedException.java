package dev.sluice.harness.process;

import org.jspecify.annotations.Nullable;

/** A role of the run could not start or go on; the message says which and why. Exit 1. */
public final class RoleFailedException extends Exception {
  public RoleFailedException(@Nullable String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
