package dev.sluice.executor.network;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.executor.network.Network.Dialect;
import dev.sluice.executor.network.Network.Operation;
import dev.sluice.executor.network.Network.Tensor;
import dev.sluice.executor.network.Network.Value;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Writes a network as ONNX: opset 17, IR version 8 (ONNX Runtime 1.21 refuses opset 23 and IR 11),
 * the batch axis of any size. Field numbers are those of {@code onnx.proto3}.
 */
public final class OnnxFile {
  private static final int IR_VERSION = 8;
  private static final int OPSET = 17;
  private static final int INT64 = 7;

  private OnnxFile() {}

  /**
   * Leaves {@code out} open.
   *
   * @param network a whole network
   * @param bytesWritten receives the bytes of each weight once they are written
   */
  public static void write(
      NetworkPart network, Precision precision, OutputStream out, LongConsumer bytesWritten)
      throws IOException {
    var nodes = new Nodes(precision);
    network.tell(nodes, precision);
    byte[] before = nodes.graph.text(2, network.workload()).toBytes();
    byte[] after =
        new Protobuf()
            .message(11, valueInfo(network.inputs().get(0), precision))
            .message(12, valueInfo(network.outputs().get(0), precision))
            .toBytes();
    List<byte[]> headers = new ArrayList<>();
    long graphBytes = (long) before.length + after.length;
    for (Weight weight : network.weights()) {
      byte[] header = header(weight, precision, nodes.transposed.contains(weight));
      headers.add(header);
      graphBytes += header.length + precision.bytes(weight);
    }

    var model =
        new Protobuf()
            .integer(1, IR_VERSION)
            .text(2, "sluice")
            .message(8, new Protobuf().text(1, "").integer(2, OPSET))
            .lengthOf(7, graphBytes);
    out.write(model.toBytes());
    out.write(before);
    for (int i = 0; i < headers.size(); i++) {
      Weight weight = network.weights().get(i);
      float[] values = weight.values(network.workload());
      out.write(headers.get(i));
      out.write(
          precision.littleEndian(
              nodes.transposed.contains(weight) ? transpose(weight, values) : values));
      bytesWritten.accept(precision.bytes(weight));
    }
    out.write(after);
  }

  /** Returns the {@code TensorProto.DataType} of a precision. */
  private static int dataType(Precision precision) {
    return switch (precision) {
      case FP32 -> 1;
      case FP16 -> 10;
      case BF16 ->
          throw new IllegalArgumentException("ONNX's convolution takes no bf16 at opset " + OPSET);
    };
  }

  /** Returns an initializer up to its raw bytes, which follow it. */
  private static byte[] header(Weight weight, Precision precision, boolean transposed) {
    var tensor = new Protobuf();
    for (int i = 0; i < weight.shape().size(); i++) {
      tensor.integer(1, weight.shape().get(transposed ? weight.shape().size() - 1 - i : i));
    }
    tensor.integer(2, dataType(precision)).text(8, weight.name());
    tensor.lengthOf(9, precision.bytes(weight));
    byte[] start = tensor.toBytes();
    var field = new Protobuf().lengthOf(5, start.length + precision.bytes(weight));
    field.bytes.writeBytes(start);
    return field.toBytes();
  }

  private static float[] transpose(Weight matrix, float[] values) {
    int rows = matrix.shape().get(0);
    int columns = matrix.shape().get(1);
    var transposed = new float[values.length];
    for (int row = 0; row < rows; row++) {
      for (int column = 0; column < columns; column++) {
        transposed[column * rows + row] = values[row * columns + column];
      }
    }
    return transposed;
  }

  private static Protobuf valueInfo(Tensor tensor, Precision precision) {
    var shape = new Protobuf().message(1, new Protobuf().text(2, "N"));
    tensor.shape().forEach(size -> shape.message(1, new Protobuf().integer(1, size)));
    var tensorType = new Protobuf().integer(1, dataType(Precision.FP32)).message(2, shape);
    return new Protobuf()
        .text(1, NetworkPart.given(tensor, precision))
        .message(2, new Protobuf().message(1, tensorType));
  }

  private static final class Nodes implements Dialect {
    private final Protobuf graph = new Protobuf();
    private final Precision precision;

    /** Matrices that are stored as [in, out], since MatMul transposes nothing. */
    private final List<Weight> transposed = new ArrayList<>();

    Nodes(Precision precision) {
      this.precision = precision;
    }

    /** Adds a node; its result and inputs are tensors, weights or names. */
    private void node(String operation, Object out, List<?> in, Protobuf... attributes) {
      var node = new Protobuf();
      in.forEach(input -> node.text(1, name(input)));
      node.text(2, name(out)).text(3, name(out)).text(4, operation);
      for (Protobuf attribute : attributes) {
        node.message(5, attribute);
      }
      graph.message(1, node);
    }

    private static String name(Object value) {
      return value instanceof Value of ? of.name() : value.toString();
    }

    private static Protobuf integer(String name, long value) {
      return new Protobuf().text(1, name).integer(3, value).integer(20, 2);
    }

    private static Protobuf number(String name, Number value) {
      return new Protobuf().text(1, name).float32(2, value.floatValue()).integer(20, 1);
    }

    private static Protobuf integers(String name, long... values) {
      var attribute = new Protobuf().text(1, name);
      for (long value : values) {
        attribute.integer(8, value);
      }
      return attribute.integer(20, 7);
    }

    private String vector(String name, long... values) {
      return constant(name, new Protobuf().integer(1, values.length).integer(2, INT64), values);
    }

    /** Adds a constant whole number without an axis; returns its name. */
    private String scalar(String name, long value) {
      return constant(name, new Protobuf().integer(2, INT64), value);
    }

    private String constant(String name, Protobuf tensor, long... values) {
      for (long value : values) {
        tensor.integer(7, value);
      }
      node(
          "Constant",
          name,
          List.of(),
          new Protobuf().text(1, "value").message(5, tensor).integer(20, 4));
      return name;
    }

    /** Adds a constant number without an axis, in the network's precision; returns its name. */
    private String scalar(String name, float value) {
      var tensor = new Protobuf().integer(2, dataType(precision));
      if (precision == Precision.FP32) {
        tensor.float32(4, value);
      } else {
        tensor.bytes(9, precision.littleEndian(new float[] {value}));
      }
      return constant(name, tensor);
    }

    @Override
    public void convert(String out, String in, Precision to) {
      node("Cast", out, List.of(in), integer("to", dataType(to)));
    }

    @Override
    public void write(Operation operation) {
      Tensor out = operation.out();
      List<Value> in = operation.reads();
      List<Number> numbers = operation.numbers();
      switch (operation.kind()) {
        case CONVOLVE, CONVOLVE_WITH_BIAS -> node("Conv", out, in, window(numbers));
        case BATCH_NORM -> node("BatchNormalization", out, in, number("epsilon", numbers.get(0)));
        case RELU -> node("Relu", out, in);
        case MAX_POOL -> node("MaxPool", out, in, window(numbers));
        case ADD -> node("Add", out, in);
        case AVERAGE_POOL -> {
          String pooled = out.name() + "_pooled";
          node("GlobalAveragePool", pooled, in);
          node("Flatten", out, List.of(pooled), integer("axis", 1));
        }
        case LINEAR -> {
          transposed.add((Weight) in.get(1));
          String product = out.name() + "_product";
          node("MatMul", product, in.subList(0, 2));
          node("Add", out, List.of(product, in.get(2)));
        }
        case LAYER_NORM ->
            node(
                "LayerNormalization",
                out,
                in,
                integer("axis", -1),
                number("epsilon", numbers.get(1)));
        case GELU -> gelu(out.name(), in.get(0));
        case PATCHES_TO_TOKENS -> {
          String shape = vector(out.name() + "_shape", 0, out.axis(1), out.axis(0));
          node("Reshape", out.name() + "_flat", List.of(in.get(0), shape));
          node("Transpose", out, List.of(out.name() + "_flat"), integers("perm", 0, 2, 1));
        }
        case PREPEND_TOKEN -> prependToken(out.name(), in.get(0), in.get(1));
        case SELF_ATTENTION -> selfAttention(out, in.get(0), numbers.get(0).intValue());
        case FIRST_TOKEN -> {
          String index = scalar(out.name() + "_index", 0L);
          node("Gather", out, List.of(in.get(0), index), integer("axis", 1));
        }
      }
    }

    /**
     * @param numbers size of a square window, stride, padding
     */
    private static Protobuf[] window(List<Number> numbers) {
      int size = numbers.get(0).intValue();
      int stride = numbers.get(1).intValue();
      int padding = numbers.get(2).intValue();
      return new Protobuf[] {
        integers("kernel_shape", size, size),
        integers("strides", stride, stride),
        integers("pads", padding, padding, padding, padding)
      };
    }

    /**
     * Writes x / 2 × (1 + erf(x / √2)), in the order of nodes that ONNX Runtime fuses into one
     * Gelu.
     */
    private void gelu(String name, Value in) {
      String root = scalar(name + "_root", (float) Math.sqrt(2));
      String one = scalar(name + "_one", 1f);
      String half = scalar(name + "_half", 0.5f);
      node("Div", name + "_div", List.of(in, root));
      node("Erf", name + "_erf", List.of(name + "_div"));
      node("Add", name + "_add", List.of(name + "_erf", one));
      node("Mul", name + "_mul", List.of(in, name + "_add"));
      node("Mul", name, List.of(name + "_mul", half));
    }

    private void prependToken(String name, Value token, Value in) {
      String rest = vector(name + "_rest", 1, in.shape().get(1));
      node("Shape", name + "_samples", List.of(in), integer("start", 0), integer("end", 1));
      node("Concat", name + "_shape", List.of(name + "_samples", rest), integer("axis", 0));
      node("Expand", name + "_tokens", List.of(token, name + "_shape"));
      node("Concat", name, List.of(name + "_tokens", in), integer("axis", 1));
    }

    private void selfAttention(Tensor out, Value in, int heads) {
      String name = out.name();
      int tokens = out.axis(0);
      int width = out.axis(1);
      int headWidth = width / heads;
      String shape = vector(name + "_shape", 0, tokens, 3, heads, headWidth);
      node("Reshape", name + "_heads", List.of(in, shape));
      part(name, "_q", 0, 0, 2, 1, 3);
      part(name, "_k", 1, 0, 2, 3, 1);
      part(name, "_v", 2, 0, 2, 1, 3);
      String scale = scalar(name + "_scale", (float) (1 / Math.sqrt(headWidth)));
      node("Mul", name + "_scaled", List.of(name + "_q", scale));
      node("MatMul", name + "_scores", List.of(name + "_scaled", name + "_k"));
      node("Softmax", name + "_shares", List.of(name + "_scores"), integer("axis", -1));
      node("MatMul", name + "_heard", List.of(name + "_shares", name + "_v"));
      node("Transpose", name + "_back", List.of(name + "_heard"), integers("perm", 0, 2, 1, 3));
      String joined = vector(name + "_joined", 0, tokens, width);
      node("Reshape", name, List.of(name + "_back", joined));
    }

    /** Of all heads, with the axes [samples, tokens, heads, width] permuted. */
    private void part(String name, String suffix, int which, long... permutation) {
      String index = scalar(name + suffix + "_index", (long) which);
      String gathered = name + suffix + "_gathered";
      node("Gather", gathered, List.of(name + "_heads", index), integer("axis", 2));
      node("Transpose", name + suffix, List.of(gathered), integers("perm", permutation));
    }
  }

  /** A protobuf message in the making: fields in the order in which they are added. */
  private static final class Protobuf {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    Protobuf integer(int field, long value) {
      varint((long) field << 3);
      varint(value);
      return this;
    }

    Protobuf float32(int field, float value) {
      varint(((long) field << 3) | 5);
      bytes.writeBytes(
          ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putFloat(value).array());
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

    /** Begins a field, whose bytes the caller writes after this message's. */
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
}
