package dev.sluice.layers.engine;

import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;

import ai.djl.Device;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.Shape;
import dev.sluice.executor.network.TensorShape;
import dev.sluice.layers.engine.LayerTrace.Row;
import dev.sluice.layers.parameters.ParameterSource;
import dev.sluice.layers.schedule.Hooks;
import dev.sluice.layers.schedule.Hooks.Hook;
import dev.sluice.layers.schedule.ScheduleWalk.LayerOperations;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The layers of a model whose parameters are in memory. A thread of its own reads them, one layer
 * at a time, in the order in which they were asked for. A layer takes its bytes of the budget when
 * it is asked for, and gives them back when it is released. A read that fails is thrown by the
 * fetch that needs it, and all others go on.
 *
 * <p>All methods are called by the one thread that computes.
 */
public final class ResidentLayers implements LayerOperations, AutoCloseable {
  public static final String COMPUTE_THREAD = "compute";

  public static final String READER_THREAD = "reader";

  private final List<String> names;
  private final List<List<Shape>> shapes;

  /** Bytes of each layer's tensors together. */
  private final long[] bytes;

  private final ParameterSource source;
  private final LongSupplier clockNs;
  private final LayerTrace trace;
  private final NDManager manager = NDManager.newBaseManager(Device.cpu(), "PyTorch");
  private final LayerBuffers buffers;
  private final @Nullable Layer[] layers;
  private final LinkedBlockingQueue<FutureTask<Boolean>> queue = new LinkedBlockingQueue<>();
  private final Thread reader;
  private volatile boolean closing;
  private final AtomicLong residentBytes = new AtomicLong();
  private long residentBytesMax;
  private int steps;

  /** Step of what is asked for: 0 until the first layer is computed. */
  private int step;

  private String hook = "";

  /**
   * A layer that was asked for.
   *
   * @param read the reading; done when the tensors have their values
   */
  private record Layer(LayerBuffers.Buffer buffer, FutureTask<Boolean> read) {}

  /**
   * @param names names of the layers, for messages
   * @param tensors tensors of each layer, in the order in which the source gives them
   * @param source source of the tensors, which the caller closes after this, and which serves
   *     nothing else: closing this ends a read, and with it the source's file
   * @param budgetBytes bytes that layers may take together
   * @param clockNs clock of the trace
   */
  public ResidentLayers(
      List<String> names,
      List<List<TensorShape>> tensors,
      ParameterSource source,
      long budgetBytes,
      LongSupplier clockNs,
      LayerTrace trace) {
    this.names = List.copyOf(names);
    this.shapes =
        tensors.stream().map(of -> of.stream().map(TrainedTensors::shape).toList()).toList();
    this.bytes = shapes.stream().mapToLong(LayerBuffers::bytes).toArray();
    this.source = source;
    this.clockNs = clockNs;
    this.trace = trace;
    this.buffers = new LayerBuffers(manager, budgetBytes);
    this.layers = new Layer[names.size()];
    this.reader = new Thread(this::readAll, "sluice-layer-reader");
    reader.setDaemon(true);
    reader.start();
  }

  /**
   * Fires a hook of the loop; the operations that follow belong to it, for the trace. What is asked
   * for before the first layer is computed belongs to step 0.
   */
  void fire(Hooks hooks, Hook now, int layer) {
    if (now == Hook.STEP_START) {
      steps++;
    } else {
      step = steps;
    }
    hook = now.toString();
    hooks.on(now, layer);
  }

  @Override
  public void prefetch(int layer) {
    long startNs = clockNs.getAsLong();
    ask(layer);
    done(Row.PREFETCH, layer, startNs);
  }

  /**
   * Waits until a layer is there; asks for it if nobody has.
   *
   * @throws LayerReadException if the layer could not be read
   */
  @Override
  public void fetch(int layer) {
    long startNs = clockNs.getAsLong();
    Layer resident = layers[layer];
    await(layer, resident == null ? ask(layer) : resident);
    done(Row.FETCH, layer, startNs);
  }

  /**
   * Gives a layer's memory to other layers, once its reading is over.
   *
   * @throws LayerReadException if the layer was never needed and could not be read
   */
  @Override
  public void release(int layer) {
    long startNs = clockNs.getAsLong();
    Layer resident = resident(layer);
    await(layer, resident);
    layers[layer] = null;
    free(resident);
    done(Row.RELEASE, layer, startNs);
  }

  public long residentBytes() {
    return residentBytes.get();
  }

  public long residentBytesMax() {
    return residentBytesMax;
  }

  /** Returns a layer's tensors; they are valid until the layer is released. */
  NDList tensors(int layer) {
    Layer resident = resident(layer);
    await(layer, resident);
    return resident.buffer().tensors();
  }

  /** Tells of an operation of the computing thread that ends now. */
  void done(String operation, int layer, long startNs) {
    tell(step, hook, operation, layer, COMPUTE_THREAD, startNs);
  }

  long nowNs() {
    return clockNs.getAsLong();
  }

  private Layer resident(int layer) {
    return requireNonNull(layers[layer], () -> "layer " + names.get(layer) + " is not resident");
  }

  private Layer ask(int layer) {
    if (layers[layer] != null) {
      throw new IllegalStateException("layer " + names.get(layer) + " is resident already");
    }
    LayerBuffers.Buffer buffer = buffers.take(shapes.get(layer));
    int askedIn = step;
    String askedBy = hook;
    var read =
        new FutureTask<Boolean>(
            () -> {
              long startNs = clockNs.getAsLong();
              source.read(layer, buffer.bytes().duplicate().clear());
              tell(askedIn, askedBy, Row.READ, layer, READER_THREAD, startNs);
              return true;
            });
    var asked = new Layer(buffer, read);
    layers[layer] = asked;
    residentBytesMax = Math.max(residentBytesMax, residentBytes.addAndGet(bytes[layer]));
    queue.add(read);
    return asked;
  }

  private void readAll() {
    try {
      while (!closing) {
        queue.take().run();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // by close(), which is all that interrupts this thread
    }
  }

  private void await(int layer, Layer asked) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          asked.read().get();
          return;
        } catch (InterruptedException e) {
          interrupted = true; // the reading goes on and ends: memory must not be freed under it
        }
      }
    } catch (ExecutionException e) {
      throw new LayerReadException(names.get(layer), requireNonNullElse(e.getCause(), e));
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void free(Layer layer) {
    buffers.give(layer.buffer());
    residentBytes.addAndGet(-layer.buffer().bytes().capacity());
  }

  private void tell(
      int inStep, String inHook, String operation, int layer, String thread, long startNs) {
    long endNs = clockNs.getAsLong();
    long resident = residentBytes.get();
    trace.add(
        new Row(inStep, inHook, operation, layer, thread, startNs, endNs, bytes[layer], resident));
  }

  /** Ends the reading, even in the middle of a layer, and frees all memory. */
  @Override
  public void close() {
    closing = true;
    reader.interrupt();
    boolean interrupted = false;
    while (reader.isAlive()) {
      try {
        reader.join();
      } catch (InterruptedException e) {
        interrupted = true; // the reader writes into memory that is freed below
      }
    }
    for (int i = 0; i < layers.length; i++) {
      Layer layer = layers[i];
      if (layer != null) {
        layers[i] = null;
        free(layer);
      }
    }
    buffers.close();
    manager.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** A layer's parameters could not be read; the message names the layer. */
  public static final class LayerReadException extends RuntimeException {
    private static final long serialVersionUID = 1;

    LayerReadException(String layer, Throwable cause) {
      super("layer " + layer + " could not be read: " + cause.getMessage(), cause);
    }
  }
}
