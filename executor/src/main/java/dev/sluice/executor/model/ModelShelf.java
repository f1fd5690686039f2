package dev.sluice.executor.model;

import ai.djl.Device;
import ai.djl.Model;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.network.WorkloadInfo;
import dev.sluice.executor.network.Workloads;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Models whose files are present and checked, and which are loaded separately for each lane that
 * asks. May be used from many threads.
 */
public final class ModelShelf {
  private final Engines engines;
  private final Devices devices;
  private final Map<String, OnShelf> models = new LinkedHashMap<>();

  private record OnShelf(ModelRequest request, Path file) {}

  private ModelShelf(Engines engines, Devices devices) {
    this.engines = engines;
    this.devices = devices;
  }

  /**
   * Writes each model's file if it is missing, and checks it.
   *
   * @param requests requests for models that come with Sluice, by each model's name on the shelf
   * @param devices devices of all backends of the requests
   * @throws UserMistakeException if a model cannot be had for a reason that the user can remove
   */
  public static ModelShelf of(
      Map<String, ModelRequest> requests,
      Engines engines,
      Devices devices,
      ModelCache cache,
      ModelProgress progress)
      throws UserMistakeException {
    var shelf = new ModelShelf(engines, devices);
    for (Map.Entry<String, ModelRequest> entry : requests.entrySet()) {
      ModelRequest request = entry.getValue();
      Path file = cache.file(request.workload(), request.backend(), request.precision(), progress);
      shelf.models.put(entry.getKey(), new OnShelf(request, file));
    }
    return shelf;
  }

  /**
   * Loads a model for one lane; closing the session frees it.
   *
   * @param name name of the model on the shelf
   * @param lane number of the lane, from 0, which selects one of several devices
   * @param buffer buffer of the lane
   * @throws InferenceException if the engine cannot load it
   */
  public InferenceSession load(String name, int lane, InputBuffer buffer)
      throws InferenceException {
    OnShelf wanted = onShelf(name);
    String backend = wanted.request().backend();
    List<Device> of = devices.of(backend);
    try {
      Model model =
          LoadedModels.open(
              engines,
              wanted.file().toString(),
              wanted.file(),
              Backend.named(backend),
              of.get(lane % of.size()),
              said -> "its file has changed since the run began");
      return session(model, Workloads.info(wanted.request().workload()), buffer);
    } catch (UserMistakeException e) {
      throw new InferenceException(String.valueOf(e.getMessage()), e);
    }
  }

  private static InferenceSession session(Model model, WorkloadInfo info, InputBuffer buffer) {
    try {
      var session = new DjlSession(model, info.inputs(), buffer);
      session.onClose(model::close);
      return session;
    } catch (RuntimeException e) {
      model.close();
      throw e;
    }
  }

  /** Returns the size and cost of a model. */
  public WorkloadInfo info(String name) {
    return Workloads.info(onShelf(name).request().workload());
  }

  /** Returns the devices that the models compute on. */
  public Devices devices() {
    return devices;
  }

  private OnShelf onShelf(String name) {
    OnShelf found = models.get(name);
    if (found == null) {
      throw new IllegalArgumentException(
          "no model (" + name + ") is on the shelf: " + models.keySet());
    }
    return found;
  }
}
