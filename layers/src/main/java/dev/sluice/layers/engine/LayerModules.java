package dev.sluice.layers.engine;

import ai.djl.Device;
import ai.djl.MalformedModelException;
import ai.djl.Model;
import ai.djl.engine.EngineException;
import ai.djl.ndarray.NDManager;
import ai.djl.nn.Block;
import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.network.Network;
import dev.sluice.executor.network.NetworkPart;
import dev.sluice.executor.network.WeightlessModule;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Layers' modules without weights, each loaded once for all layers that share it. */
final class LayerModules implements AutoCloseable {
  final NDManager manager = NDManager.newBaseManager(Device.cpu(), "PyTorch");
  final List<Layer> layers = new ArrayList<>();
  private final Map<WeightlessModule, Model> models = new HashMap<>();

  /** A layer, with the module that it may share with others. */
  record Layer(String name, NetworkPart part, Block module) {}

  private LayerModules() {}

  /** Starts the engine, and loads the modules of blocks. */
  static LayerModules load(
      List<Network.Block> blocks, Function<NetworkPart, WeightlessModule> kind, Engines engines)
      throws InferenceException {
    engines.start("pytorch");
    var loaded = new LayerModules();
    try {
      for (Network.Block block : blocks) {
        Block module = loaded.module(kind.apply(block.part()));
        loaded.layers.add(new Layer(block.name(), block.part(), module));
      }
      return loaded;
    } catch (InferenceException | RuntimeException e) {
      loaded.close();
      throw e;
    }
  }

  private Block module(WeightlessModule module) throws InferenceException {
    Model known = models.get(module);
    if (known != null) {
      return known.getBlock();
    }
    Model model = Model.newInstance("layer", Device.cpu(), "PyTorch");
    models.put(module, model);
    try {
      model.load(new ByteArrayInputStream(module.file()));
      return model.getBlock();
    } catch (MalformedModelException | EngineException | IOException e) {
      throw new InferenceException("a layer cannot be loaded: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    models.values().forEach(Model::close);
    manager.close();
  }
}
