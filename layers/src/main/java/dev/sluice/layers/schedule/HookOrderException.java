package dev.sluice.layers.schedule;

/** A hook fired for another layer than the schedule's list has next. */
public final class HookOrderException extends RuntimeException {
  HookOrderException(String message) {
    super(message);
  }
}
