package dev.sluice.sweep.queue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** A journal on a disk with little room left. */
final class SmallJournal extends Journal {
  /** Room left, bytes. */
  volatile long left = Long.MAX_VALUE;

  SmallJournal(Path file, Content content) throws IOException {
    super(file, content);
  }

  @Override
  void write(ByteBuffer bytes, long position) throws IOException {
    long room = left;
    if (bytes.remaining() > room) {
      super.write(bytes.slice().limit((int) room), position);
      throw new IOException("No space left on device");
    }
    super.write(bytes, position);
  }
}
