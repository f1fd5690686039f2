package dev.sluice.planning.pipeline;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/** The receiving end of a link: frames as {@link PacedLink} sends them. Used by one thread. */
final class Frames {
  private static final int END_BYTES_MAX = 1 << 20;

  private final ReadableByteChannel channel;
  private int bytes;

  Frames(ReadableByteChannel channel) {
    this.channel = channel;
  }

  /**
   * Reads a frame's head, and returns its number.
   *
   * @throws EOFException if the sender is gone
   */
  long next() throws IOException {
    ByteBuffer header = ByteBuffer.allocate(PacedLink.HEADER_BYTES);
    read(header);
    long number = header.flip().getLong();
    bytes = header.getInt();
    return number;
  }

  /**
   * Reads the bytes of a frame.
   *
   * @param into takes exactly the frame's bytes, from its start
   */
  void readInto(ByteBuffer into) throws IOException {
    into.clear();
    if (bytes != into.remaining()) {
      throw new IOException("a frame has (" + bytes + ") bytes, not (" + into.remaining() + ")");
    }
    read(into);
    into.flip();
  }

  /** Reads the bytes of the last frame. */
  byte[] readEnd() throws IOException {
    if (bytes < 0 || bytes > END_BYTES_MAX) {
      throw new IOException("the last frame has (" + bytes + ") bytes");
    }
    ByteBuffer end = ByteBuffer.allocate(bytes);
    read(end);
    return end.array();
  }

  private void read(ByteBuffer into) throws IOException {
    while (into.hasRemaining()) {
      if (channel.read(into) < 0) {
        throw new EOFException("the sender is gone");
      }
    }
  }
}
