package dev.sluice.layers.engine;

/** Receives what was done for a layer, from the thread that did it; any thread may call it. */
@FunctionalInterface
public interface LayerTrace {
  /** Drops all that it receives. */
  LayerTrace NONE = row -> {};

  void add(Row row);

  /**
   * One operation on a layer.
   *
   * @param step number of the step, from 1; 0: before the first step
   * @param hook name of the hook during which it was done or asked for, such as {@code
   *     on_pre_forward}
   * @param operation one of the names below
   * @param layer index of the layer, from 0
   * @param thread name of the thread that did it
   * @param startNs when it began, by the clock of the run
   * @param endNs when it ended, by the same clock, at least {@code startNs}
   * @param bytes bytes of the layer that it was about
   * @param residentBytes bytes that layers take of the budget, after it
   */
  record Row(
      int step,
      String hook,
      String operation,
      int layer,
      String thread,
      long startNs,
      long endNs,
      long bytes,
      long residentBytes) {
    /** Operation that waits for a layer on the computing thread. */
    public static final String FETCH = "fetch";

    /** Operation that asks for a layer, and does not wait. */
    public static final String PREFETCH = "prefetch";

    /** The reading that a fetch or prefetch asked for, on the reader's thread. */
    public static final String READ = "read";

    /** Operation that computes a layer, forward or backward. */
    public static final String COMPUTE = "compute";

    /** Operation that applies a layer's gradients, behind its backward. */
    public static final String UPDATE = "update";

    /** Operation that gives a layer's memory to other layers. */
    public static final String RELEASE = "release";

    public long tookNs() {
      return endNs - startNs;
    }

    /** The row by a clock that began at a time of this one's. */
    public Row since(long originNs) {
      return new Row(
          step,
          hook,
          operation,
          layer,
          thread,
          startNs - originNs,
          endNs - originNs,
          bytes,
          residentBytes);
    }
  }
}
