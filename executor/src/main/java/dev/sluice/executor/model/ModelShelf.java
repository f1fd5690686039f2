package dev.sluice.executor.model;

import ai.djl.Device;
import ai.djl.Model;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.model.Engines.Backend;
import dev.sluice.executor.network.Workloads;
import dev.sluice.executor.network.Workloads.WorkloadInfo;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Models whose files are present and checked, and which are loaded separately for each lane that
 * asks; closing a session frees its model.
 */
public record ModelShelf(Map<ModelKey, OnShelf> models, Engines engines, Devices devices)
    implements RunModels {
  /** A model that comes with Sluice, and its file. */
  record OnShelf(ModelKey built, Path file) {}

  /**
   * Writes each model's file if it is missing, and checks it.
   *
   * @param models models that come with Sluice, by the model that each plays, which may have
   *     another workload
   */
  public static ModelShelf of(
      Map<ModelKey, ModelKey> models,
      Engines engines,
      Devices devices,
      ModelCache cache,
      ModelProgress progress)
      throws UserMistakeException {
    Map<ModelKey, OnShelf> shelf = new LinkedHashMap<>();
    for (Map.Entry<ModelKey, ModelKey> entry : models.entrySet()) {
      ModelKey built = entry.getValue();
      shelf.put(entry.getKey(), new OnShelf(built, cache.file(built, progress)));
    }
    return new ModelShelf(shelf, engines, devices);
  }

  @Override
  public InferenceSession openSession(ModelKey model, int lane, InputBuffer buffer)
      throws InferenceException {
    OnShelf wanted = onShelf(model);
    String backend = wanted.built().backend();
    List<Device> of = devices.of(backend);
    try {
      Model loaded =
          LoadedModels.open(
              engines,
              wanted.file().toString(),
              wanted.file(),
              Backend.named(backend),
              of.get(lane % of.size()),
              said -> "its file has changed since the run began");
      return session(loaded, info(model), buffer);
    } catch (UserMistakeException e) {
      throw new InferenceException(String.valueOf(e.getMessage()), e);
    }
  }

  private static InferenceSession session(Model model, WorkloadInfo info, InputBuffer buffer) {
    try {
      return new DjlSession(model, info.inputs(), buffer, model::close);
    } catch (RuntimeException e) {
      model.close();
      throw e;
    }
  }

  @Override
  public boolean isOneWithTheFirst(ModelKey model, int lane) {
    return false;
  }

  @Override
  public WorkloadInfo info(ModelKey model) {
    return Workloads.info(onShelf(model).built().workload());
  }

  private OnShelf onShelf(ModelKey model) {
    OnShelf found = models.get(model);
    if (found == null) {
      throw new IllegalArgumentException(
          "no model (" + model + ") is on the shelf: " + models.keySet());
    }
    return found;
  }
}
