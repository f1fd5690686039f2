package dev.sluice.analytics.statistic;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Room for columns: heap up to a bound, then a file that has no name and goes with the process.
 * Safe for threads.
 */
public final class Space {
  /** Share of the heap that columns may fill; the rest is for all that is not a column. */
  private static final double HEAP_SHARE = 0.3;

  static final int SHIFT = 14;

  /** Numbers in a piece of a column: ZGC gives each object of over 256 KiB pages of its own. */
  static final int PIECE = 1 << SHIFT;

  /** Bytes of the file that are mapped at once: a process may have few mappings. */
  private static final int REGION = 1 << 26;

  private long heapLeft;
  private @Nullable FileChannel file;
  private long fileBytes;
  private ByteBuffer region = ByteBuffer.allocate(0);

  /** Pieces of the file that were given back. */
  private final Deque<LongBuffer> longs = new ArrayDeque<>();

  private final Deque<IntBuffer> ints = new ArrayDeque<>();

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

  /** A piece of the file for {@value #PIECE} numbers, of which each may have any value. */
  synchronized LongBuffer longs() {
    LongBuffer again = longs.poll();
    return again == null ? piece(PIECE * Long.BYTES).asLongBuffer() : again;
  }

  /** As {@link #longs}, for numbers of 32 bits. */
  synchronized IntBuffer ints() {
    IntBuffer again = ints.poll();
    return again == null ? piece(PIECE * Integer.BYTES).asIntBuffer() : again;
  }

  /** Gives a piece of the file back, which nothing may use any more. */
  synchronized void giveBack(LongBuffer piece) {
    longs.add(piece);
  }

  /** As {@link #giveBack(LongBuffer)}. */
  synchronized void giveBack(IntBuffer piece) {
    ints.add(piece);
  }

  private ByteBuffer piece(int bytes) {
    if (region.remaining() < bytes) {
      region = nextRegion();
    }
    ByteBuffer piece = region.slice(region.position(), bytes).order(ByteOrder.nativeOrder());
    region.position(region.position() + bytes);
    return piece;
  }

  private ByteBuffer nextRegion() {
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
      ByteBuffer next = open.map(FileChannel.MapMode.READ_WRITE, fileBytes, REGION);
      fileBytes += REGION;
      return next;
    } catch (IOException e) {
      throw new UncheckedIOException("no room for rows in the folder of temporary files", e);
    }
  }
}
