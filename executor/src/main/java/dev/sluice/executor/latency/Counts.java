package dev.sluice.executor.latency;

import java.io.DataInputStream;
import java.io.IOException;

/** How many of something follow in a model file. */
final class Counts {
  private Counts() {}

  /**
   * A count that the rest of the file can hold.
   *
   * @param bytesEach how many bytes each takes at least
   * @throws IOException if it can not
   */
  static int read(DataInputStream in, String what, int bytesEach) throws IOException {
    int count = in.readInt();
    if (count < 0 || (long) count * bytesEach > in.available()) {
      throw new IOException("it tells of " + count + " " + what);
    }
    return count;
  }
}
