package dev.sluice.cli;

import org.jspecify.annotations.Nullable;

/** A role of the run could not start or go on; the message says which and why. Exit 1. */
final class RoleFailedException extends Exception {
  RoleFailedException(@Nullable String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
