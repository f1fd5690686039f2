package dev.sluice.sweep.queue;

/** Where a person watches attempts, each of which has a session of its own. */
public interface Sessions {
  /** An attempt has begun. */
  default void begun(String task, int gpu) {}

  /** An attempt has ended. */
  default void ended(String task, int gpu, boolean cleanup) {}

  /** Sessions that nobody watches. */
  static Sessions plain() {
    return new Sessions() {};
  }
}
