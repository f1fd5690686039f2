package dev.sluice.executor.network;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.executor.network.Network.Dialect;
import dev.sluice.executor.network.Network.Kind;
import dev.sluice.executor.network.Network.Operation;
import dev.sluice.executor.network.Network.Tensor;
import dev.sluice.executor.network.Network.Value;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Writes a network, or layers of one, as TorchScript: a zip of stored (never deflated) entries
 * under one folder, with the code as source text, the module as a pickle of protocol 2, and one
 * file of raw values for each weight.
 */
public final class TorchScriptFile {
  private static final String FOLDER = "network/";

  /** Version of the archive format, that of PyTorch 1.13 and later; the code uses nothing newer. */
  private static final String ARCHIVE_VERSION = "10\n";

  private TorchScriptFile() {}

  /**
   * Closes {@code out}.
   *
   * @param bytesWritten receives the bytes of each weight once they are written
   */
  public static void write(
      NetworkPart network, Precision precision, OutputStream out, LongConsumer bytesWritten)
      throws IOException {
    List<Weight> weights = network.weights();
    try (var zip = new ZipOutputStream(out)) {
      begin(zip, modulePickle(weights, precision), code(network, precision));
      for (int i = 0; i < weights.size(); i++) {
        float[] values = weights.get(i).values(network.workload());
        store(zip, "data/" + i, precision.littleEndian(values));
        bytesWritten.accept(precision.bytes(weights.get(i)));
      }
      end(zip);
    }
  }

  static byte[] withoutWeights(String code) {
    var bytes = new ByteArrayOutputStream();
    try (var zip = new ZipOutputStream(bytes)) {
      begin(zip, beginOfModule().endOfModule(), code);
      end(zip);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // an array in memory takes every byte
    }
    return bytes.toByteArray();
  }

  private static void begin(ZipOutputStream zip, byte[] module, String code) throws IOException {
    store(zip, "data.pkl", module);
    store(zip, "code/__torch__.py", code.getBytes(UTF_8));
  }

  private static void end(ZipOutputStream zip) throws IOException {
    store(zip, "constants.pkl", new Pickle().ops(Pickle.EMPTY_TUPLE).stop());
    store(zip, "version", ARCHIVE_VERSION.getBytes(UTF_8));
  }

  private static void store(ZipOutputStream zip, String name, byte[] content) throws IOException {
    var crc = new CRC32();
    crc.update(content);
    var entry = new ZipEntry(FOLDER + name);
    entry.setMethod(ZipEntry.STORED);
    entry.setSize(content.length);
    entry.setCrc(crc.getValue());
    entry.setTimeLocal(LocalDateTime.of(1980, 1, 1, 0, 0)); // fixed, for equal bytes
    zip.putNextEntry(entry);
    zip.write(content);
    zip.closeEntry();
  }

  private static String code(NetworkPart network, Precision precision) {
    Map<Weight, String> attributes = new LinkedHashMap<>();
    network.weights().forEach(weight -> attributes.put(weight, "w" + attributes.size()));
    return code(
        attributes.values(),
        network.inputs().stream().map(in -> NetworkPart.given(in, precision)),
        network.outputs(),
        out -> NetworkPart.given(out, precision),
        code ->
            network.tell(
                new TorchScriptSource(code, Tensor::name, w -> "self." + attributes.get(w), false),
                precision));
  }

  /**
   * Returns the source of a module.
   *
   * @param arguments names of the tensors that come in
   * @param results names of the outputs, after the body
   */
  static String code(
      Collection<String> attributes,
      Stream<String> arguments,
      List<Tensor> outputs,
      Function<Tensor, String> results,
      Consumer<StringBuilder> body) {
    var code = new StringBuilder("class Network(Module):\n  __parameters__ = [");
    attributes.forEach(name -> code.append('"').append(name).append("\", "));
    code.append("]\n  __buffers__ = []\n  training : bool\n");
    attributes.forEach(name -> code.append("  ").append(name).append(" : Tensor\n"));
    code.append("  def forward(self: __torch__.Network");
    arguments.forEach(name -> code.append(",\n    ").append(name).append(": Tensor"));
    code.append(") -> ").append(tuple("Tuple[", outputs, tensor -> "Tensor", "]")).append(":\n");
    body.accept(code);
    code.append("    return ").append(tuple("(", outputs, results, ")"));
    return code.append('\n').toString();
  }

  /** One tensor stands alone; several stand in brackets. */
  private static String tuple(
      String opening, List<Tensor> tensors, Function<Tensor, String> words, String closing) {
    String list = tensors.stream().map(words).collect(Collectors.joining(", "));
    return tensors.size() == 1 ? list : opening + list + closing;
  }

  private static Pickle beginOfModule() {
    return new Pickle()
        .global("__torch__", "Network")
        .ops(Pickle.EMPTY_TUPLE, Pickle.NEW_OBJECT, Pickle.EMPTY_DICT, Pickle.MARK)
        .unicode("training")
        .ops(Pickle.FALSE);
  }

  private static byte[] modulePickle(List<Weight> weights, Precision precision) {
    Pickle pickle = beginOfModule();
    for (int i = 0; i < weights.size(); i++) {
      pickle.unicode("w" + i).tensor(i, weights.get(i), precision);
    }
    return pickle.endOfModule();
  }

  /** The few opcodes of pickle's protocol 2 that a module of tensors needs. */
  private static final class Pickle {
    static final int MARK = '(';
    static final int EMPTY_TUPLE = ')';
    static final int EMPTY_DICT = '}';
    static final int FALSE = 0x89;
    static final int NEW_OBJECT = 0x81;
    private static final int STOP = '.';
    private static final int PROTOCOL = 0x80;
    private static final int BUILD = 'b';
    private static final int GLOBAL = 'c';
    private static final int INTEGER = 'J';
    private static final int PERSISTENT_ID = 'Q';
    private static final int REDUCE = 'R';
    private static final int SET_ITEMS = 'u';
    private static final int TUPLE = 't';
    private static final int UNICODE = 'X';

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    Pickle() {
      ops(PROTOCOL, 2);
    }

    Pickle ops(int... codes) {
      for (int code : codes) {
        bytes.write(code);
      }
      return this;
    }

    private Pickle text(String text) {
      bytes.writeBytes(text.getBytes(UTF_8));
      return this;
    }

    private Pickle int32(int value) {
      bytes.writeBytes(ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(value).array());
      return this;
    }

    Pickle global(String module, String name) {
      return ops(GLOBAL).text(module + "\n" + name + "\n");
    }

    private Pickle integer(int value) {
      return ops(INTEGER).int32(value);
    }

    Pickle unicode(String text) {
      return ops(UNICODE).int32(text.getBytes(UTF_8).length).text(text);
    }

    /** Writes a contiguous tensor on the CPU whose values are in the file {@code data/<key>}. */
    Pickle tensor(int key, Weight weight, Precision precision) {
      global("torch._utils", "_rebuild_tensor_v2").ops(MARK, MARK);
      unicode("storage").global("torch", precision.torchStorage);
      unicode(Integer.toString(key)).unicode("cpu").integer(weight.elements());
      ops(TUPLE, PERSISTENT_ID).integer(0).ops(MARK); // offset 0 in that storage
      weight.shape().forEach(this::integer);
      ops(TUPLE, MARK);
      int stride = weight.elements();
      for (int size : weight.shape()) {
        stride /= size;
        integer(stride);
      }
      ops(TUPLE, FALSE); // requires_grad
      return global("collections", "OrderedDict").ops(EMPTY_TUPLE, REDUCE, TUPLE, REDUCE);
    }

    byte[] endOfModule() {
      return ops(SET_ITEMS, BUILD).stop();
    }

    byte[] stop() {
      return ops(STOP).bytes.toByteArray();
    }
  }

  /**
   * @param tensors names of the tensors in the code; each tensor has one of its own
   * @param weights expressions that stand for the weights
   * @param training whether batch norms use the batch's statistics, and count them
   */
  record TorchScriptSource(
      StringBuilder code,
      Function<Tensor, String> tensors,
      Function<Weight, String> weights,
      boolean training)
      implements Dialect {
    private Object named(Object value) {
      return value instanceof Tensor tensor
          ? tensors.apply(tensor)
          : value instanceof Weight weight ? weights.apply(weight) : value;
    }

    /** Adds a line that gives a tensor, or a name, the value of an expression. */
    private void line(Object out, String format, Object... values) {
      code.append("    ").append(named(out)).append(" = "); // named first, since names are numbered
      code.append(
              String.format(Locale.ROOT, format, Arrays.stream(values).map(this::named).toArray()))
          .append('\n');
    }

    @Override
    public void convert(String out, String in, Precision precision) {
      line(out, "torch.to(%s, %d)", in, precision.torchScalarType);
    }

    @Override
    public void write(Operation operation) {
      Tensor out = operation.out();
      if (operation.kind() == Kind.SELF_ATTENTION) {
        selfAttention(out, operation.reads().get(0), operation.numbers().get(0));
        return;
      }
      List<Object> values = new ArrayList<>(operation.reads());
      values.addAll(operation.numbers());
      values.add(training ? "True" : "False");
      line(out, expression(operation.kind()), values.toArray());
    }

    /** The expression of what is read, of the numbers, and whether batch norms are trained. */
    private static String expression(Kind kind) {
      return switch (kind) {
        case CONVOLVE -> "torch.conv2d(%s, %s, None, [%4$d, %4$d], [%5$d, %5$d], [1, 1], 1)";
        case CONVOLVE_WITH_BIAS ->
            "torch.conv2d(%s, %s, %s, [%5$d, %5$d], [%6$d, %6$d], [1, 1], 1)";
        case BATCH_NORM ->
            "torch.batch_norm(%s, %s, %s, %s, %s, %7$s, 0.10000000000000001, %6$s, True)";
        case RELU -> "torch.relu_(%s)";
        case MAX_POOL ->
            "torch.max_pool2d(%s, [%2$d, %2$d], [%3$d, %3$d], [%4$d, %4$d], [1, 1], False)";
        case ADD -> "torch.add(%s, %s)";
        case AVERAGE_POOL -> "torch.flatten(torch.adaptive_avg_pool2d(%s, [1, 1]), 1)";
        case LINEAR -> "torch.linear(%s, %s, %s)";
        case LAYER_NORM -> "torch.layer_norm(%s, [%4$d], %2$s, %3$s, %5$s, False)";
        case GELU -> "torch.gelu(%s, approximate=\"none\")";
        case PATCHES_TO_TOKENS -> "torch.transpose(torch.flatten(%s, 2), 1, 2)";
        case PREPEND_TOKEN ->
            "torch.cat([torch.expand(%s, [torch.size(%2$s, 0), -1, -1]), %2$s], 1)";
        case SELF_ATTENTION -> throw new IllegalArgumentException("it takes several lines");
        case FIRST_TOKEN -> "torch.select(%s, 1, 0)";
      };
    }

    private void selfAttention(Tensor out, Value in, Number heads) {
      int tokens = out.axis(0);
      int width = out.axis(1);
      String parts = named(out) + "_parts";
      String split = "torch.permute(torch.reshape(%s, [-1, %d, 3, %d, %d]), [2, 0, 3, 1, 4])";
      line(parts, split, in, tokens, heads, width / heads.intValue());
      String heard = named(out) + "_heard";
      line(
          heard,
          "torch.scaled_dot_product_attention("
              + "torch.select(%1$s, 0, 0), torch.select(%1$s, 0, 1), torch.select(%1$s, 0, 2))",
          parts);
      String joined = "torch.reshape(torch.transpose(%s, 1, 2), [-1, %d, %d])";
      line(out, joined, heard, tokens, width);
    }
  }
}
