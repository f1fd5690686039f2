package dev.sluice.planning.pipeline;

import dev.sluice.executor.model.JobInput;
import dev.sluice.executor.model.LayerModule;
import dev.sluice.executor.network.Network;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.IntStream;

/** Inputs of the first stage: a few, over and over, so that all logits can be compared. */
final class MicroBatches {
  /** Number of different micro-batches. */
  static final int DIFFERENT = 2;

  private static final int SEED = 15;

  private MicroBatches() {}

  /** Returns the different inputs, which are equal in every process. */
  static List<ByteBuffer> inputs(Network network, int samples) {
    int elements = network.elementsBehind(0);
    return IntStream.range(0, DIFFERENT)
        .mapToObj(
            number -> {
              ByteBuffer input = LayerModule.buffer(Float.BYTES * samples * elements);
              input
                  .asFloatBuffer()
                  .put(JobInput.make(SEED, "micro-batch-" + number, samples, elements).values());
              return input;
            })
        .toList();
  }

  /** The index of a micro-batch's input and logits. */
  static int indexOf(long number) {
    return (int) (number % DIFFERENT);
  }
}
