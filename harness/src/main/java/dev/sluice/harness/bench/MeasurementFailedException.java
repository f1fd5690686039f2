package dev.sluice.harness.bench;

import java.nio.file.Path;

/** A child of the bench came to no reading. */
public final class MeasurementFailedException extends Exception {
  public final Path output;

  /**
   * @param output what the child printed
   */
  MeasurementFailedException(String message, Path output) {
    super(message);
    this.output = output;
  }

  public Path output() {
    return output;
  }
}
