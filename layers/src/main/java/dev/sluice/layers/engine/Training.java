package dev.sluice.layers.engine;

import static java.util.Objects.requireNonNull;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.model.ModelProgress;
import dev.sluice.executor.network.Network;
import dev.sluice.executor.network.TensorShape;
import dev.sluice.executor.network.Workloads;
import dev.sluice.layers.engine.ResidentLayers.LayerReadException;
import dev.sluice.layers.parameters.ParameterSource;
import dev.sluice.layers.parameters.ParameterSource.FiniteParameters;
import dev.sluice.layers.parameters.SafetensorsFile;
import dev.sluice.layers.parameters.TrainingFolder;
import dev.sluice.layers.parameters.TrainingFolder.StoredLayer;
import dev.sluice.layers.schedule.Hooks;
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

/**
 * A training by layers, whose state is in a folder. The hooks of a step bring and release the
 * layers; a released layer that the step has changed is written. Layers count from 0, steps from 1.
 * Used by one thread.
 */
public final class Training implements LayerOperations, AutoCloseable {
  private final int commitEvery;
  private final TrainingModel model;
  private final TrainingFolder folder;
  private final ResidentLayers resident;
  private final TrainingData data;
  private final List<StoredLayer> layers;

  /** Layers whose tensors differ from those of their newest file. */
  private final boolean[] changed;

  private int stepsDone;

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
      TrainingModel model,
      TrainingFolder folder,
      ResidentLayers resident,
      List<StoredLayer> layers) {
    this.commitEvery = settings.commitEvery();
    this.model = model;
    this.folder = folder;
    this.resident = resident;
    this.data =
        new TrainingData(settings.seed(), settings.batch(), Workloads.network(settings.model()));
    this.layers = layers;
    this.changed = new boolean[layers.size()];
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
    var stored = new ArrayList<StoredLayer>();
    var all = new ArrayList<List<TensorShape>>();
    for (Network.Block block : network.blocks()) {
      var tensors = new TrainedTensors(block.part(), optimizer);
      stored.add(new StoredLayer(block.name(), tensors.stored()));
      all.add(tensors.all());
    }
    TrainingFolder folder =
        resume
            ? TrainingFolder.resume(out, settings.course(), stored)
            : begin(settings, out, network, stored, cache);
    TrainingModel model = TrainingModel.load(network, optimizer, engines);
    ParameterSource source = pace.apply(folder);
    if (settings.checkFinite()) {
      source = new FiniteParameters(source, stored.stream().map(StoredLayer::tensors).toList());
    }
    var resident =
        new ResidentLayers(
            stored.stream().map(StoredLayer::name).toList(),
            all,
            source,
            budgetBytes,
            clockNs,
            trace);
    return new Training(settings, model, folder, resident, stored);
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
      float loss = model.step(step, data, hooks, resident, layer -> changed[layer] = true);
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
    NDList tensors = resident.tensors(layer);
    var values = new ArrayList<ByteBuffer>();
    for (NDArray tensor : tensors.subList(0, layers.get(layer).tensors().size())) {
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
    return model.keptInputBytesMax();
  }

  /** Returns a layer's tensors, its gradients last, while it is resident. */
  NDList tensors(int layer) {
    return resident.tensors(layer);
  }

  /** Frees all memory. What was not committed is done again when the training goes on. */
  @Override
  public void close() {
    resident.close();
    model.close();
    folder.close();
  }
}
