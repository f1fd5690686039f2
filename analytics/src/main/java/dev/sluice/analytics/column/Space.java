package dev.sluice.analytics.column;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Room for columns: heap up to a bound, then a file that has no name and goes with the process.
 * Safe for threads.
 */
public final class Space {
  /** Share of the heap that columns may fill; the rest is for all that is not a column. */
  private static final double HEAP_SHARE = 0.4;

  private long heapLeft;
  private @Nullable FileChannel file;
  private long fileBytes;

  /** Room within a share of the process's heap. */
  public Space() {
    this((long) (Runtime.getRuntime().maxMemory() * HEAP_SHARE));
  }

  /** Room within a number of bytes of heap. */
  public Space(long heapBytes) {
    heapLeft = heapBytes;
  }

  /** Takes bytes of heap; false if they would exceed the bound. */
  synchronized boolean takesHeap(long bytes) {
    if (bytes > heapLeft) {
      return false;
    }
    heapLeft -= bytes;
    return true;
  }

  /** Gives bytes of heap back, which nothing may use any more. */
  synchronized void giveBack(long bytes) {
    heapLeft += bytes;
  }

  /** Bytes that the file takes. */
  public synchronized long fileBytes() {
    return fileBytes;
  }

  /** A piece of the file, all zero. */
  synchronized ByteBuffer piece(int bytes) {
    try {
      FileChannel open = file;
      if (open == null) {
        Path path = Files.createTempFile("sluice-columns-", ".tmp");
        open =
            FileChannel.open(
                path,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                StandardOpenOption.DELETE_ON_CLOSE);
        Files.deleteIfExists(path); // the open file stays, and nothing is left by a killed process
        file = open;
      }
      ByteBuffer piece =
          open.map(FileChannel.MapMode.READ_WRITE, fileBytes, bytes).order(ByteOrder.nativeOrder());
      fileBytes += bytes;
      return piece;
    } catch (IOException e) {
      throw new UncheckedIOException("no room for rows in the folder of temporary files", e);
    }
  }
}
