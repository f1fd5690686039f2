package dev.sluice.executor.model;

/**
 * Receives the progress of writing model files, on the thread that writes. For each file, one at a
 * time, started is called, then advanced any number of times, then finished; after a failure
 * finished is not called.
 */
public interface ModelProgress {
  /**
   * Writing begins.
   *
   * @param bytes bytes of weights that will be written, the file's size to within 1 %
   */
  default void started(String name, long bytes) {}

  default void advanced(long bytes) {}

  /** Called when the file is complete and has its final name. */
  default void finished() {}

  static ModelProgress none() {
    return new ModelProgress() {};
  }
}
