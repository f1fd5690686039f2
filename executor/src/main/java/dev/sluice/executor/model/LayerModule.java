package dev.sluice.executor.model;

import ai.djl.Device;
import ai.djl.MalformedModelException;
import ai.djl.Model;
import ai.djl.engine.EngineException;
import ai.djl.inference.Predictor;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.DataType;
import ai.djl.translate.NoBatchifyTranslator;
import ai.djl.translate.TranslateException;
import ai.djl.translate.TranslatorContext;
import dev.sluice.executor.network.NetworkPart;
import dev.sluice.executor.network.Precision;
import dev.sluice.executor.network.TorchScriptFile;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Consecutive layers of a network, loaded into this process as one module with its weights, in
 * float32 on the processor. Sessions of one module may compute at the same time; close them before
 * the module.
 */
public final class LayerModule implements AutoCloseable {
  private static final int WRITE_BYTES = 1 << 20;
  private static final int ALIGNMENT_BYTES = 64;

  private final Model model;
  private final List<List<Integer>> inputShapes;
  private final List<List<Integer>> outputShapes;

  private LayerModule(Model model, NetworkPart part) {
    this.model = model;
    this.inputShapes = part.inputShapes();
    this.outputShapes = part.outputShapes();
  }

  /** Writes the layers' module into a file in a folder, loads it, and removes the file. */
  public static LayerModule load(NetworkPart part, Engines engines, Path folder)
      throws IOException, InferenceException {
    Path file = Files.createTempFile(folder, "layers", ".pt");
    try {
      try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), WRITE_BYTES)) {
        TorchScriptFile.write(part, Precision.FP32, out, written -> {});
      }
      return open(file, part, engines);
    } finally {
      Files.deleteIfExists(file);
    }
  }

  /** Loads the module of these layers from a file that was written before. */
  public static LayerModule open(Path file, NetworkPart part, Engines engines)
      throws IOException, InferenceException {
    engines.start("pytorch");
    Model model = Model.newInstance("layers", Device.cpu(), "PyTorch");
    try {
      model.load(file, null, null);
      return new LayerModule(model, part);
    } catch (MalformedModelException | EngineException e) {
      model.close();
      throw new InferenceException("the layers cannot be loaded: " + e.getMessage(), e);
    } catch (IOException | RuntimeException e) {
      model.close();
      throw e;
    }
  }

  /** Returns direct memory for tensors, aligned as the engine aligns its own. */
  public static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocateDirect(
            bytes + 2 * ALIGNMENT_BYTES) // both ends of a slice are aligned
        .alignedSlice(ALIGNMENT_BYTES)
        .slice(0, bytes)
        .order(ByteOrder.nativeOrder());
  }

  public int inputBytes(int samples) {
    return bytes(inputShapes, samples);
  }

  public int outputBytes(int samples) {
    return bytes(outputShapes, samples);
  }

  private static int bytes(List<List<Integer>> shapes, int samples) {
    int elements = shapes.stream().mapToInt(LayerModule::elements).sum();
    return Math.multiplyExact(Math.multiplyExact(elements, samples), Float.BYTES);
  }

  private static int elements(List<Integer> shape) {
    return shape.stream().reduce(1, Math::multiplyExact);
  }

  public Session session() {
    return new Session();
  }

  @Override
  public void close() {
    model.close();
  }

  /** The layers as one thread computes them. Not thread-safe. */
  public final class Session implements AutoCloseable {
    private final Predictor<Work, Work> predictor = model.newPredictor(new InPlace());

    /**
     * @param out null: nothing is copied
     */
    private record Work(ByteBuffer in, int samples, @Nullable ByteBuffer out) {}

    /**
     * Computes the layers.
     *
     * @param in direct memory with the tensors that come in, from its start; read in place
     * @param out direct memory that takes the tensors that go out, from its start; null: they are
     *     dropped
     * @throws InferenceException if the engine refuses or fails; the session stays usable
     */
    public void compute(ByteBuffer in, int samples, @Nullable ByteBuffer out)
        throws InferenceException {
      try {
        predictor.predict(new Work(in, samples, out));
      } catch (TranslateException | EngineException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        throw new InferenceException("the layers failed: " + cause.getMessage(), e);
      }
    }

    @Override
    public void close() {
      predictor.close();
    }
  }

  /** Translates direct memory into tensors, and tensors into direct memory. */
  private final class InPlace implements NoBatchifyTranslator<Session.Work, Session.Work> {
    private static final String WORK = "work";

    @Override
    public NDList processInput(TranslatorContext context, Session.Work work) {
      context.setAttachment(WORK, work);
      var tensors = new NDList();
      int at = 0;
      for (List<Integer> shape : inputShapes) {
        int bytes = elements(shape) * work.samples() * Float.BYTES;
        ByteBuffer values = work.in().slice(at, bytes).order(ByteOrder.nativeOrder());
        tensors.add(
            context
                .getNDManager()
                .create(values, DjlSession.shape(work.samples(), shape), DataType.FLOAT32));
        at += bytes;
      }
      return tensors;
    }

    @Override
    public Session.Work processOutput(TranslatorContext context, NDList outputs)
        throws TranslateException {
      var work = (Session.Work) context.getAttachment(WORK);
      if (outputs.size() != outputShapes.size()) {
        throw new TranslateException("the layers gave (" + outputs.size() + ") tensors");
      }
      ByteBuffer out = work.out();
      if (out != null) {
        ByteBuffer target = out.duplicate().clear();
        for (NDArray tensor : outputs) {
          target.put(tensor.toByteBuffer(true));
        }
      }
      return work;
    }
  }
}
