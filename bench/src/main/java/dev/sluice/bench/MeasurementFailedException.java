package dev.sluice.bench;

import java.nio.file.Path;

/** Failure of a bench's child process: it came to no reading. */
public final class MeasurementFailedException extends Exception {
  private final Path output;

  /**
   * @param output file that the child printed to
   */
  public MeasurementFailedException(String message, Path output) {
    super(message);
    this.output = output;
  }

  /** File that the child printed to. */
  public Path output() {
    return output;
  }
}
