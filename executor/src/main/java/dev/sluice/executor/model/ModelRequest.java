package dev.sluice.executor.model;

import static java.util.Objects.requireNonNull;

import dev.sluice.contract.experiment.ModelInput;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.network.Precision;
import dev.sluice.executor.network.Workloads;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A model that a run needs.
 *
 * @param model its workload is a name in {@link Workloads}, or with {@code userFile} the user's own
 *     name; its backend pytorch or onnx; its precision fp32, fp16 or bf16. A user's own model runs
 *     in the precision of its file, and only fp32 may be asked for
 * @param userFile the user's own model; null: a built-in workload
 */
public record ModelRequest(ModelKey model, @Nullable UserFile userFile) {
  public ModelRequest {
    requireNonNull(model.workload(), "workload");
    Backend.named(model.backend());
    Precision.named(model.precision());
  }

  /**
   * A user's own model file: TorchScript for pytorch, ONNX for onnx. It takes tensors [samples,
   * shape…] of any number of samples, and the first that it gives is [samples, classes] of float32
   * or float16.
   *
   * @param location place at which a mistake in the file is reported: {@code file:line} of the
   *     experiment
   * @param path path of the model file; a file of that name with {@code .sha256} appended (in the
   *     format of {@code sha256sum}), if there is one, must match
   * @param inputs what it takes, at least one, in its order
   * @param tokens memory tokens of the model itself
   */
  public record UserFile(String location, Path path, List<ModelInput> inputs, int tokens) {
    public UserFile {
      requireNonNull(location, "location");
      requireNonNull(path, "path");
      inputs = List.copyOf(inputs);
      if (inputs.isEmpty()) {
        throw new IllegalArgumentException("a model without inputs");
      }
    }
  }
}
