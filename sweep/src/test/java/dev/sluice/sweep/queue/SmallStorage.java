package dev.sluice.sweep.queue;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A journal's file on a disk with little room left. */
final class SmallStorage implements Journal.Storage {
  private final Journal.Storage file;

  /** Room left, bytes. */
  volatile long left = Long.MAX_VALUE;

  SmallStorage(Journal.Storage file) {
    this.file = file;
  }

  @Override
  public void write(ByteBuffer bytes, long position) throws IOException {
    long room = left;
    if (bytes.remaining() > room) {
      ByteBuffer fits = bytes.slice().limit((int) room);
      file.write(fits, position);
      throw new IOException("No space left on device");
    }
    file.write(bytes, position);
  }

  @Override
  public void truncate(long length) throws IOException {
    file.truncate(length);
  }

  @Override
  public void sync() throws IOException {
    file.sync();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
