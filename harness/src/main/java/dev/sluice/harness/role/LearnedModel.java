package dev.sluice.harness.role;

import dev.sluice.contract.experiment.Experiment.Predictor;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.latency.LatencyModel;
import dev.sluice.executor.profile.ProfileRow;
import dev.sluice.harness.frame.RunFrame;
import dev.sluice.harness.terminal.Console;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The latency model that an experiment names, if it is for the experiment's lanes. */
record LearnedModel(Path path, LatencyModel model) {

  /**
   * Reads the model in the folder named after the device kind, if there is such a folder, else the
   * model at the path itself. A model that is missing, or for another kind of device, is a warning:
   * the run begins cold, with running means.
   *
   * @throws UserMistakeException if there is a model that cannot be read
   */
  static Optional<LearnedModel> read(RunFrame frame, String deviceKind)
      throws UserMistakeException {
    Predictor predictor = frame.experiment().predictor();
    if (!predictor.enabled()) {
      return Optional.empty();
    }
    Path path =
        Path.of(System.getProperty("sluice.home", ".")).resolve(predictor.modelPath()).normalize();
    if (Files.isDirectory(path.resolve(deviceKind))) {
      path = path.resolve(deviceKind);
    }
    Console console = frame.console();
    if (!Files.exists(path)) {
      console.item(
          "predictor",
          "warning: no model stands at " + path + ": the run begins cold, with running means");
      return Optional.empty();
    }
    LatencyModel model = LatencyModel.read(path);
    if (!model.deviceKind().equals(deviceKind)) {
      console.item(
          "predictor",
          "warning: the model ("
              + path
              + ") is for "
              + model.deviceKind()
              + ", and these lanes are "
              + deviceKind
              + ": the run begins cold, with running means");
      return Optional.empty();
    }
    console.item("predictor", "model " + model.version() + " of " + path);
    String disturbance = ProfileRow.disturbance(model.rows());
    if (disturbance != null) {
      console.item("", "warning: " + disturbance);
    }
    return Optional.of(new LearnedModel(path, model));
  }
}
