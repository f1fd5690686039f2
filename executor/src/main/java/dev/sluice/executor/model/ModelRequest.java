package dev.sluice.executor.model;

import static java.util.Objects.requireNonNull;

import dev.sluice.executor.network.Precision;
import dev.sluice.executor.network.Workloads;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A model that a run needs.
 *
 * @param workload a name in {@link Workloads}, or with {@code userFile} the user's own name
 * @param backend pytorch or onnx
 * @param precision fp32, fp16 or bf16; a user's own model runs in the precision of its file, and
 *     only fp32 may be asked for
 * @param userFile the user's own model; null: a built-in workload
 */
public record ModelRequest(
    String workload, String backend, String precision, @Nullable UserFile userFile) {
  public ModelRequest {
    requireNonNull(workload, "workload");
    Backend.named(backend);
    Precision.named(precision);
  }

  /**
   * A user's own model file: TorchScript for pytorch, ONNX for onnx. It takes one float32 tensor
   * [samples, inputShape…] of any number of samples and gives one of [samples, classes].
   *
   * @param location place at which a mistake in the file is reported: {@code file:line} of the
   *     experiment
   * @param path path of the model file; a file of that name with {@code .sha256} appended (in the
   *     format of {@code sha256sum}), if there is one, must match
   * @param inputShape shape of one sample, each number at least 1
   * @param tokens memory tokens of the model itself
   */
  public record UserFile(String location, Path path, List<Integer> inputShape, int tokens) {
    public UserFile {
      requireNonNull(location, "location");
      requireNonNull(path, "path");
      inputShape = List.copyOf(inputShape);
      if (inputShape.isEmpty() || inputShape.stream().anyMatch(size -> size < 1)) {
        throw new IllegalArgumentException("inputShape (" + inputShape + ") has no elements");
      }
    }
  }
}
