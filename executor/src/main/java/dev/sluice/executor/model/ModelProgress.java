package dev.sluice.executor.model;

/**
 * Hears how the writing of model files goes on, from the thread that writes. One file at a time:
 * started, advanced any number of times, finished; a failure ends it without finished.
 */
public interface ModelProgress {
  /**
   * A file is being written.
   *
   * @param name the file's name
   * @param bytes of weights that will be written, to within 1 % the file's size
   */
  void started(String name, long bytes);

  /**
   * So much more of it is written.
   *
   * @param bytes since the last call
   */
  void advanced(long bytes);

  /** The file is whole and in its place. */
  void finished();

  /** Hears nothing. */
  static ModelProgress none() {
    return new ModelProgress() {
      @Override
      public void started(String name, long bytes) {}

      @Override
      public void advanced(long bytes) {}

      @Override
      public void finished() {}
    };
  }
}
