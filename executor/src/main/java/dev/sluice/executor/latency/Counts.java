package dev.sluice.executor.latency;

import java.io.DataInputStream;
import java.io.IOException;

/** Counts of list elements in a model file. */
public final class Counts {
  private Counts() {}

  /**
   * Reads a count, and checks that the rest of the file can hold that many elements.
   *
   * @param bytesEach least number of bytes that each element takes
   * @throws IOException if the rest of the file is too short
   */
  public static int read(DataInputStream in, String what, int bytesEach) throws IOException {
    int count = in.readInt();
    if (count < 0 || (long) count * bytesEach > in.available()) {
      throw new IOException("it claims to hold " + count + " " + what);
    }
    return count;
  }
}
