package dev.sluice.harness.layers.trace;

/**
 * One operation of a run.
 *
 * @param step number of the step, from 1; 0: before the first step
 * @param hook hook in which the list asked for it, such as on_pre_forward
 * @param operation fetch, compute, release, prefetch, read or update
 * @param layer place of the layer, from 0
 * @param thread name of the thread that worked
 * @param startNs start, ns since the first step began
 * @param endNs end, ns since the first step began, at least {@code startNs}
 * @param bytes bytes of the layer that the operation concerns
 * @param residentBytes bytes of the budget that are taken after the operation
 */
public record TraceRow(
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

  /** Operation that computes a layer, forward or backward. */
  public static final String COMPUTE = "compute";

  /** Reading of a layer, on the reader's thread. */
  public static final String READ = "read";

  /** Time that the operation took. */
  public long tookNs() {
    return endNs - startNs;
  }
}
