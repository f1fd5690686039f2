package dev.sluice.layers.engine;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

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

  /**
   * Memory for one layer, which an array of the engine owns, and the tensors over it, one behind
   * the other.
   */
  record Buffer(NDArray owner, ByteBuffer bytes, List<Shape> shapes, NDList tensors) {
    private void close() {
      tensors.close(); // they lie over the memory
      owner.close();
    }
  }

  /**
   * @param manager owner of the memory; closed by its own owner
   */
  LayerBuffers(NDManager manager, long budgetBytes) {
    this.manager = manager;
    this.budgetBytes = budgetBytes;
  }

  /**
   * Returns memory for tensors of float32, with arbitrary values. Memory that such tensors lay over
   * before is used again together with them.
   *
   * @throws IllegalStateException if the memory in use leaves no room within the budget
   */
  Buffer take(List<Shape> shapes) {
    for (Iterator<Buffer> all = idle.iterator(); all.hasNext(); ) {
      Buffer buffer = all.next();
      if (buffer.shapes().equals(shapes)) {
        all.remove();
        return buffer;
      }
    }
    long bytes = bytes(shapes);
    while (allocatedBytes + bytes > budgetBytes && !idle.isEmpty()) {
      Buffer oldest = idle.removeLast();
      allocatedBytes -= oldest.bytes().capacity();
      oldest.close();
    }
    if (allocatedBytes + bytes > budgetBytes) {
      throw new IllegalStateException(
          "(%d) bytes beside (%d) in use exceed the budget of (%d)"
              .formatted(bytes, allocatedBytes, budgetBytes));
    }
    NDArray owner = manager.create(new Shape(bytes), DataType.UINT8);
    allocatedBytes += bytes;
    ByteBuffer memory = owner.toByteBuffer(true);
    return new Buffer(owner, memory, shapes, placed(shapes, memory));
  }

  /** Bytes of tensors of float32 together. */
  static long bytes(List<Shape> shapes) {
    return Float.BYTES * shapes.stream().mapToLong(Shape::size).sum();
  }

  private NDList placed(List<Shape> shapes, ByteBuffer memory) {
    var placed = new NDList();
    int at = 0;
    for (Shape shape : shapes) {
      int length = Math.toIntExact(Float.BYTES * shape.size());
      ByteBuffer values = memory.slice(at, length).order(ByteOrder.nativeOrder());
      placed.add(manager.create(values, shape, DataType.FLOAT32));
      at += length;
    }
    return placed;
  }

  /** Takes memory back, once nobody uses its tensors. */
  void give(Buffer buffer) {
    idle.addFirst(buffer);
  }

  @Override
  public void close() {
    idle.forEach(Buffer::close);
    idle.clear();
  }
}
