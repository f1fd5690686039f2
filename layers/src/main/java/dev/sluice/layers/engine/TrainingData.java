package dev.sluice.layers.engine;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import dev.sluice.contract.value.SplitMix64;
import dev.sluice.executor.network.Network;
import dev.sluice.executor.network.NetworkPart;
import dev.sluice.executor.network.SeededFloats;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * Pictures with classes that can be learned: each class has a seeded pattern, and a picture is its
 * class's pattern with seeded noise. A step's batch follows from seed and step alone.
 */
final class TrainingData {
  private final long seed;
  private final int samples;
  private final int classes;
  private final Shape shape;
  private final float[] picture;
  private final float[] pattern;

  TrainingData(long seed, int samples, Network network) {
    NetworkPart whole = network.whole();
    List<Integer> picture = whole.inputShapes().get(0);
    this.seed = seed;
    this.samples = samples;
    this.classes = whole.outputShapes().get(0).get(0);
    this.shape = new Shape(samples, picture.get(0), picture.get(1), picture.get(2));
    int elements = (int) shape.slice(1).size();
    this.picture = new float[elements];
    this.pattern = new float[elements];
  }

  private long mixed(long purpose, long number) {
    return SplitMix64.finish(SplitMix64.finish(seed ^ SplitMix64.finish(purpose)) + number);
  }

  private int label(int step, int sample) {
    return (int) Long.remainderUnsigned(mixed(1, (long) step * samples + sample), classes);
  }

  NDArray pictures(int step, NDManager manager) {
    ByteBuffer bytes = direct((int) shape.size());
    for (int sample = 0; sample < samples; sample++) {
      SeededFloats.fill(mixed(2, (long) step * samples + sample), 1, picture);
      SeededFloats.fill(mixed(3, label(step, sample)), 1, pattern);
      for (int i = 0; i < picture.length; i++) {
        bytes.putFloat(picture[i] + pattern[i]);
      }
    }
    return manager.create(bytes.flip(), shape, DataType.FLOAT32);
  }

  /** Returns the classes of a step: of each picture 1 at its class, else 0. */
  NDArray oneHotLabels(int step, NDManager manager) {
    ByteBuffer bytes = direct(samples * classes);
    for (int sample = 0; sample < samples; sample++) {
      bytes.putFloat(Float.BYTES * (sample * classes + label(step, sample)), 1);
    }
    return manager.create(bytes, new Shape(samples, classes), DataType.FLOAT32);
  }

  private static ByteBuffer direct(int values) {
    return ByteBuffer.allocateDirect(Float.BYTES * values).order(ByteOrder.nativeOrder());
  }
}
