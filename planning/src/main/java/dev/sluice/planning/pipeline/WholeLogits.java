package dev.sluice.planning.pipeline;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.model.JobInput;
import dev.sluice.executor.model.LayerModule;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.model.ModelProgress;
import dev.sluice.executor.network.Network;
import dev.sluice.executor.network.Workloads;
import dev.sluice.harness.process.ParentWatch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The main of a child process that computes the micro-batches with the whole model, from its file
 * in the cache, and writes the logits of all into a file, one micro-batch behind the other.
 */
public final class WholeLogits {
  private WholeLogits() {}

  /** Arguments: network, samples of a micro-batch, file. */
  public static void main(String[] arguments)
      throws UserMistakeException, IOException, InferenceException {
    ParentWatch.start(line -> {}, () -> Runtime.getRuntime().halt(1));
    Network network = Workloads.network(arguments[0]);
    int samples = Integer.parseInt(arguments[1]);
    var cache = ModelCache.ofUser();
    Engines engines = Engines.prepare(1, cache);
    Path file = cache.file(new ModelKey(arguments[0], "pytorch", "fp32"), ModelProgress.none());
    try (LayerModule whole = LayerModule.open(file, network.whole(), engines);
        LayerModule.Session session = whole.session();
        FileChannel out =
            FileChannel.open(
                Path.of(arguments[2]), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      ByteBuffer logits = LayerModule.buffer(whole.outputBytes(samples));
      for (ByteBuffer input : MicroBatches.inputs(network, samples)) {
        session.compute(input, samples, logits);
        ByteBuffer rest = logits.duplicate();
        while (rest.hasRemaining()) {
          out.write(rest);
        }
      }
    }
  }

  /** Inputs of the first stage: a few, over and over, so that all logits can be compared. */
  static final class MicroBatches {
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
}
