package dev.sluice.executor.model;

/**
 * Receives the progress of writing model files, on the thread that writes. For each file, one at a
 * time, started is called, then advanced any number of times, then finished; after a failure
 * finished is not called.
 */
public interface ModelProgress {
  /**
   * Called when the writing of a file begins.
   *
   * @param name the file's name
   * @param bytes bytes of weights that will be written, which are the file's size to within 1 %
   */
  default void started(String name, long bytes) {}

  /**
   * Called when more of the file is written.
   *
   * @param bytes bytes written since the last call
   */
  default void advanced(long bytes) {}

  /** Called when the file is complete and has its final name. */
  default void finished() {}

  /** Returns a receiver that ignores all calls. */
  static ModelProgress none() {
    return new ModelProgress() {};
  }
}
