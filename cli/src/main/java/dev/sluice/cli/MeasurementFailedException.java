package dev.sluice.cli;

import java.nio.file.Path;

/** A child of the bench came to no reading. */
final class MeasurementFailedException extends Exception {
  private final Path output;

  /**
   * @param output what the child printed
   */
  MeasurementFailedException(String message, Path output) {
    super(message);
    this.output = output;
  }

  Path output() {
    return output;
  }
}
