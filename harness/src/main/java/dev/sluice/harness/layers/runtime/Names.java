package dev.sluice.harness.layers.runtime;

import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.UserMistakeException;
import java.util.List;

/** Names of models. */
final class Names {
  private Names() {}

  /**
   * @throws UserMistakeException if the model is not among the known ones
   */
  static void check(String command, String model, List<String> known) throws UserMistakeException {
    if (!known.contains(model)) {
      throw new UserMistakeException(
          "layers " + command,
          "model (" + model + ") is unknown",
          NearestName.advice(model, known, "models"));
    }
  }
}
