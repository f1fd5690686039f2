package dev.sluice.executor.estimator;

import java.io.DataInputStream;
import java.io.IOException;

/** How many of something follow in a model file. */
public final class Counts {
  private Counts() {}

  /**
   * A count that the rest of the file can hold.
   *
   * @param bytesEach how many bytes each takes at least
   * @throws IOException if it cannot
   */
  public static int read(DataInputStream in, String what, int bytesEach) throws IOException {
    int count = in.readInt();
    if (count < 0 || (long) count * bytesEach > in.available()) {
      throw new IOException("it tells of " + count + " " + what);
    }
    return count;
  }
}
