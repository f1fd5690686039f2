package dev.sluice.planning.file;

import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.UserMistakeException;
import java.util.Map;

/**
 * What a plan is asked for.
 *
 * @param model name of the model in models.yml
 * @param dtype type of the values that layers pass on, as PyTorch names it
 * @param batchSize samples of a micro-batch, from 1
 * @param compatible true: a {@code parameters_out} that is too short is repeated, and files without
 *     a profile or a host are no mistake
 */
public record Asked(String model, String dtype, int batchSize, boolean compatible) {
  private static final Map<String, Integer> BYTES_BY_DTYPE =
      Map.of("torch.float32", 4, "torch.float16", 2, "torch.bfloat16", 2);

  /** Largest batch size. */
  static final int BATCH_MAX = 100_000;

  /** Checks what needs no file. */
  public void check() throws UserMistakeException {
    if (!BYTES_BY_DTYPE.containsKey(dtype)) {
      throw new UserMistakeException(
          "--dtype",
          "the dtype (" + dtype + ") is unknown",
          NearestName.advice(dtype, BYTES_BY_DTYPE.keySet(), "dtypes"));
    }
    if (batchSize < 1 || batchSize > BATCH_MAX) {
      throw new UserMistakeException(
          "--batch-size",
          "the batch size (%d) must be at least 1 and at most %d".formatted(batchSize, BATCH_MAX),
          "you meant 8, the default");
    }
  }

  /** Bytes of a value, from 1; the dtype must have been checked. */
  public long bytesPerValue() {
    Integer bytes = BYTES_BY_DTYPE.get(dtype);
    if (bytes == null) {
      throw new IllegalStateException(dtype + " was not checked");
    }
    return bytes;
  }

  /** Dtype and batch size in words. */
  String profile() {
    return dtype + " with batch size " + batchSize;
  }
}
