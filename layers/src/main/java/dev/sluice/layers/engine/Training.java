package dev.sluice.layers.engine;

import static java.util.Objects.requireNonNull;

import ai.djl.engine.EngineException;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.model.ModelProgress;
import dev.sluice.executor.network.Network;
import dev.sluice.executor.network.TensorShape;
import dev.sluice.executor.network.WeightlessModule;
import dev.sluice.executor.network.Workloads;
import dev.sluice.layers.engine.LayerModules.Layer;
import dev.sluice.layers.engine.LayerTrace.Row;
import dev.sluice.layers.engine.ResidentLayers.LayerReadException;
import dev.sluice.layers.parameters.ParameterSource;
import dev.sluice.layers.parameters.ParameterSource.FiniteParameters;
import dev.sluice.layers.parameters.SafetensorsFile;
import dev.sluice.layers.parameters.TrainingFolder;
import dev.sluice.layers.parameters.TrainingFolder.StoredLayer;
import dev.sluice.layers.schedule.Hooks;
import dev.sluice.layers.schedule.Hooks.Hook;
import dev.sluice.layers.schedule.Layers;
import dev.sluice.layers.schedule.ScheduleWalk.LayerOperations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A training by layers, whose state is in a folder. The hooks of a step bring and release the
 * layers; a released layer that the step has changed is written. Layers count from 0, steps from 1.
 *
 * <p>The forward pass builds no graph and keeps each layer's input; the backward pass computes a
 * layer once more, with a graph, and applies its gradients at once. So a layer's tensors need be
 * there only while it is computed. Running statistics are counted by the second computing alone,
 * which changes the layer in any case: a layer that is released behind its first one is unchanged.
 *
 * <p>Used by one thread.
 */
public final class Training implements LayerOperations, AutoCloseable {
  private final int commitEvery;
  private final LayerModules modules;

  /** Tensors of each layer. */
  private final List<TrainedTensors> tensors;

  private final TrainingFolder folder;
  private final ResidentLayers resident;
  private final TrainingData data;

  /** Layers whose tensors differ from those of their newest file. */
  private final boolean[] changed;

  private int stepsDone;
  private long keptInputBytesMax;

  /** A step began and did not end, so that layers may hold part of its changes. */
  private boolean failed;

  /**
   * What is trained, and how.
   *
   * @param model one of {@link Workloads#trainable()}
   * @param optimizer one of {@link #optimizers()}
   * @param seed seed of the data
   * @param batch pictures of a step
   * @param commitEvery number of steps that become durable together, at least 1
   * @param checkFinite whether a layer with a value that is infinite or no number ends the training
   */
  public record Settings(
      String model, String optimizer, long seed, int batch, int commitEvery, boolean checkFinite) {
    private Map<String, String> course() {
      Map<String, String> course = new LinkedHashMap<>();
      course.put("model", model);
      course.put("optimizer", optimizer);
      course.put("seed", Long.toString(seed));
      course.put("batch", Integer.toString(batch));
      return course;
    }
  }

  private Training(
      Settings settings,
      LayerModules modules,
      List<TrainedTensors> tensors,
      TrainingFolder folder,
      ResidentLayers resident) {
    this.commitEvery = settings.commitEvery();
    this.modules = modules;
    this.tensors = tensors;
    this.folder = folder;
    this.resident = resident;
    this.data =
        new TrainingData(settings.seed(), settings.batch(), Workloads.network(settings.model()));
    this.changed = new boolean[tensors.size()];
    this.stepsDone = folder.committedStep();
  }

  public static List<String> optimizers() {
    return Optimizer.names();
  }

  /** Returns the layers of a network in training; starts no engine. */
  public static Layers layers(String model, String optimizer) {
    Optimizer rule = Optimizer.named(optimizer);
    List<Network.Block> blocks = Workloads.network(model).blocks();
    return new Layers(
        blocks.stream().map(Network.Block::name).toList(),
        blocks.stream()
            .map(block -> new TrainedTensors(block.part(), rule).all())
            .map(tensors -> tensors.stream().mapToLong(TensorShape::bytes).sum())
            .toList(),
        true);
  }

  /**
   * Begins a training, or goes on with one.
   *
   * @param out folder of the training
   * @param resume whether the folder's training goes on from its last whole step
   * @param budgetBytes bytes that layers may take together
   * @param pace wraps the source that layers are read from
   * @param clockNs clock of the trace
   * @throws UserMistakeException if the folder is that of another training, damaged, or cannot be
   *     written
   * @throws InferenceException if the engine cannot load the layers
   */
  public static Training open(
      Settings settings,
      Path out,
      boolean resume,
      long budgetBytes,
      ModelCache cache,
      Engines engines,
      UnaryOperator<ParameterSource> pace,
      LongSupplier clockNs,
      LayerTrace trace)
      throws UserMistakeException, IOException, InferenceException {
    Network network = Workloads.network(settings.model());
    Optimizer optimizer = Optimizer.named(settings.optimizer());
    List<Network.Block> blocks = network.blocks();
    var tensors = new ArrayList<TrainedTensors>();
    var stored = new ArrayList<StoredLayer>();
    for (Network.Block block : blocks) {
      var ofLayer = new TrainedTensors(block.part(), optimizer);
      tensors.add(ofLayer);
      stored.add(new StoredLayer(block.name(), ofLayer.stored()));
    }
    TrainingFolder folder =
        resume
            ? TrainingFolder.resume(out, settings.course(), stored)
            : begin(settings, out, network, stored, cache);
    LayerModules modules = LayerModules.load(blocks, WeightlessModule::forTraining, engines);
    ParameterSource source = pace.apply(folder);
    if (settings.checkFinite()) {
      source = new FiniteParameters(source, stored.stream().map(StoredLayer::tensors).toList());
    }
    var resident =
        new ResidentLayers(
            stored.stream().map(StoredLayer::name).toList(),
            tensors.stream().map(TrainedTensors::all).toList(),
            source,
            budgetBytes,
            clockNs,
            trace);
    return new Training(settings, modules, tensors, folder, resident);
  }

  private static TrainingFolder begin(
      Settings settings, Path out, Network network, List<StoredLayer> stored, ModelCache cache)
      throws UserMistakeException, IOException {
    Path file = cache.weights(settings.model(), ModelProgress.none());
    try (SafetensorsFile weights = SafetensorsFile.open(file)) {
      return TrainingFolder.create(
          out,
          settings.course(),
          stored,
          layer ->
              TrainedTensors.initial(
                  weights, network.blocks().get(layer).part(), stored.get(layer).tensors()));
    }
  }

  /** Returns the number of steps done, those of earlier processes included. */
  public int stepsDone() {
    return stepsDone;
  }

  /**
   * Trains one step. With every {@code commitEvery}th step it becomes durable, and those before it.
   *
   * @param hooks hooks that call {@link #fetch}, {@link #prefetch} and {@link #release}
   * @return the loss before the step
   * @throws LayerReadException if a hook needed a layer that could not be read
   * @throws InferenceException if the engine refuses or fails
   * @throws UserMistakeException if the folder cannot be written
   * @throws IllegalStateException if an earlier step failed
   */
  public float step(Hooks hooks) throws InferenceException, UserMistakeException {
    requireWhole();
    int step = stepsDone + 1;
    failed = true;
    try {
      float loss = computed(step, hooks);
      failed = false;
      stepsDone = step;
      folder.loss(step, loss);
      if (step % commitEvery == 0) {
        commit();
      }
      return loss;
    } catch (UncheckedIOException e) {
      throw folder.unwritable(requireNonNull(e.getCause()));
    }
  }

  /** Computes a step and changes all layers; returns the loss before it. */
  private float computed(int step, Hooks hooks) throws InferenceException {
    try (NDManager scope = modules.manager.newSubManager()) {
      resident.fire(hooks, Hook.STEP_START, Hooks.NO_LAYER);
      var kept = new ArrayList<NDArray>();
      NDArray at = data.pictures(step, scope);
      long keptBytes = 0;
      for (int i = 0; i < changed.length; i++) {
        resident.fire(hooks, Hook.PRE_FORWARD, i);
        long startNs = resident.nowNs();
        kept.add(at);
        keptBytes += at.size() * Float.BYTES;
        at = forward(i, at, scope);
        resident.done(Row.COMPUTE, i, startNs);
        resident.fire(hooks, Hook.POST_FORWARD, i);
      }
      keptInputBytesMax = Math.max(keptInputBytesMax, keptBytes);
      Gradients.Loss loss = Gradients.ofLoss(at, data.oneHotLabels(step, scope), scope);
      at.close();
      NDArray upstream = loss.gradient();
      for (int i = changed.length - 1; i >= 0; i--) {
        resident.fire(hooks, Hook.PRE_BACKWARD, i);
        long startNs = resident.nowNs();
        changed[i] = true;
        // nothing wants a gradient by the pictures
        NDArray next = backward(i, kept.get(i), upstream, i == 0 ? null : scope);
        resident.done(Row.COMPUTE, i, startNs);
        long updateNs = resident.nowNs();
        tensors.get(i).update(resident.tensors(i), step);
        resident.done(Row.UPDATE, i, updateNs);
        upstream.close();
        kept.get(i).close();
        if (next != null) {
          upstream = next;
        }
        resident.fire(hooks, Hook.POST_BACKWARD, i);
      }
      resident.fire(hooks, Hook.STEP_END, Hooks.NO_LAYER);
      return loss.value();
    }
  }

  private NDArray forward(int i, NDArray in, NDManager scope) throws InferenceException {
    Layer layer = modules.layers.get(i);
    TrainedTensors layout = tensors.get(i);
    NDList values = resident.tensors(i);
    try (NDManager copies = scope.newSubManager()) {
      var weights = new NDList();
      for (int weight = 0; weight < layout.weights(); weight++) {
        NDArray tensor = values.get(weight);
        if (layout.hasGradient(weight)) {
          weights.add(tensor);
        } else {
          NDArray copy = tensor.duplicate();
          copy.attach(copies);
          weights.add(copy);
        }
      }
      NDArray out = Gradients.forward(layer.module(), in, weights, scope);
      out.attach(scope);
      return out;
    } catch (EngineException e) {
      throw new InferenceException("layer " + layer.name() + " failed: " + e.getMessage(), e);
    }
  }

  private @Nullable NDArray backward(int i, NDArray in, NDArray upstream, @Nullable NDManager scope)
      throws InferenceException {
    Layer layer = modules.layers.get(i);
    NDList values = resident.tensors(i);
    try {
      return Gradients.backward(
          layer.module(), in, values, tensors.get(i), scope, out -> out.mul(upstream).sum());
    } catch (EngineException e) {
      throw new InferenceException(
          "layer " + layer.name() + " failed in its backward pass: " + e.getMessage(), e);
    }
  }

  /**
   * Makes the steps done durable; the last step of a training needs it unless {@code commitEvery}
   * divides its number.
   *
   * @throws IllegalStateException if a step failed: only what is durable can be gone on from
   */
  public void commit() throws UserMistakeException {
    requireWhole();
    if (folder.committedStep() == stepsDone) {
      return;
    }
    try {
      for (int layer = 0; layer < changed.length; layer++) {
        if (changed[layer]) {
          write(layer, stepsDone);
        }
      }
      folder.commit(stepsDone);
    } catch (IOException e) {
      throw folder.unwritable(e);
    }
  }

  private void requireWhole() {
    if (failed) {
      throw new IllegalStateException("a step failed, and left layers with part of its changes");
    }
  }

  private void write(int layer, int step) throws IOException {
    var values = new ArrayList<ByteBuffer>();
    int stored = tensors.get(layer).stored().size();
    for (NDArray tensor : resident.tensors(layer).subList(0, stored)) {
      values.add(tensor.toByteBuffer(true));
    }
    folder.write(layer, step, values);
    changed[layer] = false;
  }

  @Override
  public void prefetch(int layer) {
    resident.prefetch(layer);
  }

  @Override
  public void fetch(int layer) {
    resident.fetch(layer);
  }

  /**
   * Gives a layer's memory to other layers; writes the layer before, if the step has changed it.
   *
   * @throws UncheckedIOException if it cannot be written; {@link #step} makes it a user's mistake
   */
  @Override
  public void release(int layer) {
    if (changed[layer]) {
      try {
        write(layer, stepsDone + 1);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    resident.release(layer);
  }

  public long residentBytes() {
    return resident.residentBytes();
  }

  public long residentBytesMax() {
    return resident.residentBytesMax();
  }

  /** Returns the most bytes of inputs that were kept for backward passes, outside the budget. */
  public long keptInputBytesMax() {
    return keptInputBytesMax;
  }

  /** Returns a layer's tensors, its gradients last, while it is resident. */
  NDList tensors(int layer) {
    return resident.tensors(layer);
  }

  /** Frees all memory. What was not committed is done again when the training goes on. */
  @Override
  public void close() {
    resident.close();
    modules.close();
    folder.close();
  }
}
