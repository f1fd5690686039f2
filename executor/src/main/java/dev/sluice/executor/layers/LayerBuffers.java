package dev.sluice.executor.layers;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/**
 * Memory of the engine for layers, which is used again: pages that were written once cost nothing,
 * while fresh ones take several times as long as a copy from the page cache. All memory together
 * stays within a budget: where it must, memory that lies idle is freed, the longest idle first.
 * Used by one thread.
 */
final class LayerBuffers implements AutoCloseable {
  private final NDManager manager;
  private final long budgetBytes;
  private final Deque<Buffer> idle = new ArrayDeque<>();
  private long allocatedBytes;

  /** Memory for one layer, with the engine's array that owns it. */
  record Buffer(NDArray owner, ByteBuffer bytes) {}

  /**
   * @param manager owner of the memory; closed by its own owner
   */
  LayerBuffers(NDManager manager, long budgetBytes) {
    this.manager = manager;
    this.budgetBytes = budgetBytes;
  }

  /**
   * Returns memory of exactly this size, whose content is arbitrary.
   *
   * @throws IllegalStateException if the memory in use leaves no room within the budget
   */
  Buffer take(long bytes) {
    for (Iterator<Buffer> all = idle.iterator(); all.hasNext(); ) {
      Buffer buffer = all.next();
      if (buffer.bytes().capacity() == bytes) {
        all.remove();
        return buffer;
      }
    }
    while (allocatedBytes + bytes > budgetBytes && !idle.isEmpty()) {
      Buffer oldest = idle.removeLast();
      allocatedBytes -= oldest.bytes().capacity();
      oldest.owner().close();
    }
    if (allocatedBytes + bytes > budgetBytes) {
      throw new IllegalStateException(
          "(%d) bytes beside (%d) in use exceed the budget of (%d)"
              .formatted(bytes, allocatedBytes, budgetBytes));
    }
    NDArray owner = manager.create(new Shape(bytes), DataType.UINT8);
    allocatedBytes += bytes;
    return new Buffer(owner, owner.toByteBuffer(true).order(ByteOrder.nativeOrder()));
  }

  /** Takes memory back, once no tensor lies over it. */
  void give(Buffer buffer) {
    idle.addFirst(buffer);
  }

  /** Frees idle memory. */
  @Override
  public void close() {
    idle.forEach(buffer -> buffer.owner().close());
    idle.clear();
  }
}
