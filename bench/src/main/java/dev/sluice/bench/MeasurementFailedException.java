package dev.sluice.bench;

import java.nio.file.Path;

/** Failure of a bench's child process: it came to no reading. */
final class MeasurementFailedException extends Exception {
  private final Path output;

  /**
   * @param output file that the child printed to
   */
  MeasurementFailedException(String message, Path output) {
    super(message);
    this.output = output;
  }

  /** File that the child printed to. */
  Path output() {
    return output;
  }
}
