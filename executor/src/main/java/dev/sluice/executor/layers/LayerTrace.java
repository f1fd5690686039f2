package dev.sluice.executor.layers;

/** Receives what was done for a layer, from the thread that did it; any thread may call it. */
public interface LayerTrace {
  /** Drops all that it receives. */
  LayerTrace NONE =
      (step, hook, operation, layer, thread, startNs, endNs, bytes, residentBytes) -> {};

  /**
   * An operation is over.
   *
   * @param step number of the step, from 1; 0: before the first step
   * @param hook name of the hook during which it was done or asked for, such as {@code
   *     on_pre_forward}
   * @param operation fetch, compute, release, prefetch, or read: the reading that a fetch or
   *     prefetch asked for
   * @param layer index of the layer, from 0
   * @param thread name of the thread that did it
   * @param startNs when it began, by the clock of the run
   * @param endNs when it ended, by the same clock
   * @param bytes bytes of the layer that it was about
   * @param residentBytes bytes that layers take of the budget, after it
   */
  void operation(
      int step,
      String hook,
      String operation,
      int layer,
      String thread,
      long startNs,
      long endNs,
      long bytes,
      long residentBytes);
}
