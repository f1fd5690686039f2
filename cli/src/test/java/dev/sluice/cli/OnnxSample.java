package dev.sluice.cli;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;

/**
 * A small ONNX model: each input becomes a row of numbers (of whole numbers of 64 bits by an
 * embedding, the mean over its places; of others as they are), a matrix makes four logits of each
 * row, and these are added. Field numbers are those of {@code onnx.proto3}.
 */
final class OnnxSample {
  static final int FLOAT32 = 1;
  static final int UINT8 = 2;
  static final int INT32 = 6;
  static final int INT64 = 7;
  static final int FLOAT16 = 10;

  private static final int CLASSES = 4;
  private static final int WIDTH = 8;

  /** Number of tokens that the embedding knows. */
  static final int TOKENS = 1000;

  private final Bytes graph = new Bytes();
  private final Random random = new Random(7);

  /**
   * An input.
   *
   * @param batch its first axis; 0: any number of samples
   */
  record Input(String name, int type, int batch, List<Integer> shape) {}

  private OnnxSample() {}

  /** The bytes of a model file. */
  static byte[] of(int irVersion, int opset, List<Input> inputs) {
    var sample = new OnnxSample();
    var names = new StringBuilder();
    for (Input input : inputs) {
      sample.row(input);
      names.append(names.isEmpty() ? "" : ",").append(input.name()).append("_logits");
    }
    sample.node("Sum", List.of(names.toString().split(",")), "logits");
    sample.graph.text(2, "sample");
    inputs.forEach(i -> sample.graph.message(11, value(i.name(), i.type(), i.batch(), i.shape())));
    sample.graph.message(12, value("logits", FLOAT32, inputs.get(0).batch(), List.of(CLASSES)));
    return new Bytes()
        .number(1, irVersion)
        .message(7, sample.graph)
        .message(8, new Bytes().text(1, "").number(2, opset))
        .bytes();
  }

  private void row(Input input) {
    String name = input.name();
    int width = input.shape().stream().reduce(1, (a, b) -> a * b);
    if (input.type() == INT64) {
      width = WIDTH;
      matrix(name + "_embedding", TOKENS, WIDTH);
      node("Gather", List.of(name + "_embedding", name), name + "_places");
      node(
          "ReduceMean",
          List.of(name + "_places"),
          name + "_row",
          ints("axes", 1),
          number("keepdims", 0));
    } else {
      node("Cast", List.of(name), name + "_floats", number("to", FLOAT32));
      node("Flatten", List.of(name + "_floats"), name + "_row", number("axis", 1));
    }
    matrix(name + "_weights", width, CLASSES);
    node("MatMul", List.of(name + "_row", name + "_weights"), name + "_logits");
  }

  private void matrix(String name, int rows, int columns) {
    ByteBuffer values = ByteBuffer.allocate(4 * rows * columns).order(ByteOrder.LITTLE_ENDIAN);
    while (values.hasRemaining()) {
      values.putFloat((float) random.nextGaussian());
    }
    graph.message(
        5,
        new Bytes()
            .number(1, rows)
            .number(1, columns)
            .number(2, FLOAT32)
            .text(8, name)
            .content(9, values.array()));
  }

  /** A model whose one matrix stands in another file, which is not there. */
  static byte[] withExternalData(String file) {
    var sample = new OnnxSample();
    Bytes entry = new Bytes().text(1, "location").text(2, file);
    sample.graph.message(
        5,
        new Bytes()
            .number(1, 3)
            .number(1, CLASSES)
            .number(2, FLOAT32)
            .text(8, "weights")
            .message(13, entry)
            .number(14, 1));
    sample.node("MatMul", List.of("input", "weights"), "logits");
    sample.graph.text(2, "sample");
    sample.graph.message(11, value("input", FLOAT32, 0, List.of(3)));
    sample.graph.message(12, value("logits", FLOAT32, 0, List.of(CLASSES)));
    return new Bytes()
        .number(1, 8)
        .message(7, sample.graph)
        .message(8, new Bytes().text(1, "").number(2, 17))
        .bytes();
  }

  private static Bytes value(String name, int type, int batch, List<Integer> shape) {
    Bytes first = batch == 0 ? new Bytes().text(2, "N") : new Bytes().number(1, batch);
    Bytes axes = new Bytes().message(1, first);
    shape.forEach(size -> axes.message(1, new Bytes().number(1, size)));
    Bytes tensor = new Bytes().number(1, type).message(2, axes);
    return new Bytes().text(1, name).message(2, new Bytes().message(1, tensor));
  }

  private void node(String operation, List<String> in, String out, Bytes... attributes) {
    var node = new Bytes();
    in.forEach(name -> node.text(1, name));
    node.text(2, out).text(3, out).text(4, operation);
    for (Bytes attribute : attributes) {
      node.message(5, attribute);
    }
    graph.message(1, node);
  }

  private static Bytes number(String name, long value) {
    return new Bytes().text(1, name).number(3, value).number(20, 2);
  }

  private static Bytes ints(String name, long value) {
    return new Bytes().text(1, name).number(8, value).number(20, 7);
  }

  /** Protocol Buffers' encoding of one message. */
  private static final class Bytes {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    Bytes number(int field, long value) {
      varint((long) field << 3);
      varint(value);
      return this;
    }

    Bytes text(int field, String text) {
      return content(field, text.getBytes(StandardCharsets.UTF_8));
    }

    Bytes message(int field, Bytes message) {
      return content(field, message.bytes());
    }

    Bytes content(int field, byte[] content) {
      varint((long) field << 3 | 2);
      varint(content.length);
      out.writeBytes(content);
      return this;
    }

    private void varint(long value) {
      long rest = value;
      while ((rest & ~0x7FL) != 0) {
        out.write((int) (rest & 0x7F | 0x80));
        rest >>>= 7;
      }
      out.write((int) rest);
    }

    byte[] bytes() {
      return out.toByteArray();
    }
  }
}
