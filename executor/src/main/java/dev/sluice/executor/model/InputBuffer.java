package dev.sluice.executor.model;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The direct memory in which a lane joins the inputs of a batch. The engines read it in place, so
 * that it may be refilled only once an inference is over. The sessions of one lane share one
 * buffer, since a lane runs one batch at a time. It grows to the size of the largest batch. Not
 * thread-safe.
 */
public final class InputBuffer {
  private ByteBuffer buffer = ByteBuffer.allocateDirect(0);

  /** Returns the buffer with room for these bytes, from position 0, in the machine's byte order. */
  public ByteBuffer cleared(int bytes) {
    if (buffer.capacity() < bytes) {
      buffer = ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
    }
    return buffer.clear().limit(bytes);
  }
}
