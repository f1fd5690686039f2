package dev.sluice.layers.engine;

import ai.djl.Device;
import ai.djl.MalformedModelException;
import ai.djl.Model;
import ai.djl.engine.EngineException;
import ai.djl.nn.Block;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.network.WeightlessModule;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** Modules without weights, each loaded once for all layers that share it. */
final class WeightlessModules implements AutoCloseable {
  private final Map<WeightlessModule, Model> models = new HashMap<>();

  /**
   * Returns a module, which it loads when it is first asked for.
   *
   * @throws InferenceException if the engine cannot load it
   */
  Block block(WeightlessModule module) throws InferenceException {
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
  }
}
