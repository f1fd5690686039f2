package dev.sluice.executor.network;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A protobuf message in the making: fields in the order in which they are added. */
final class Protobuf {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  Protobuf integer(int field, long value) {
    varint((long) field << 3);
    varint(value);
    return this;
  }

  Protobuf float32(int field, float value) {
    varint(((long) field << 3) | 5);
    bytes.writeBytes(ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putFloat(value).array());
    return this;
  }

  Protobuf text(int field, String text) {
    return bytes(field, text.getBytes(UTF_8));
  }

  Protobuf message(int field, Protobuf message) {
    return bytes(field, message.toBytes());
  }

  Protobuf bytes(int field, byte[] content) {
    lengthOf(field, content.length);
    bytes.writeBytes(content);
    return this;
  }

  /** Begins a field of {@code length} bytes, which the caller writes after this message's bytes. */
  Protobuf lengthOf(int field, long length) {
    varint(((long) field << 3) | 2);
    varint(length);
    return this;
  }

  private void varint(long value) {
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      bytes.write((int) ((rest & 0x7F) | 0x80));
      rest >>>= 7;
    }
    bytes.write((int) rest);
  }

  byte[] toBytes() {
    return bytes.toByteArray();
  }
}
