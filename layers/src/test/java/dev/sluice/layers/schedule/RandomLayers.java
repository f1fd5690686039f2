package dev.sluice.layers.schedule;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Drawn layers with their times, a budget and a number of steps. */
final class RandomLayers {
  final Layers layers;
  final Layers.Times times;
  final long budgetBytes;
  final int steps;

  /**
   * @param fits whether the budget may hold all layers
   */
  RandomLayers(long seed, int countMin, int countMax, boolean training, boolean fits) {
    var random = new SplittableRandom(seed);
    int count = random.nextInt(countMin, countMax + 1);
    long sizeMax = random.nextLong(1, 9);
    layers =
        new Layers(
            IntStream.range(0, count).mapToObj(i -> "l" + i).toList(),
            drawn(random, count, 1, sizeMax),
            training);
    times =
        new Layers.Times(
            drawn(random, count, 0, random.nextLong(1, 20)),
            drawn(random, count, 0, random.nextLong(1, 20)),
            drawn(random, count, 0, random.nextLong(1, 20)));
    long largest = layers.largestBytes();
    long most = layers.totalBytes() - (fits ? 0 : 1);
    budgetBytes = most <= largest ? largest : random.nextLong(largest, most + 1);
    steps = random.nextInt(1, 5);
  }

  private static List<Long> drawn(SplittableRandom random, int count, long least, long most) {
    return LongStream.range(0, count).map(i -> random.nextLong(least, most + 1)).boxed().toList();
  }

  @Override
  public String toString() {
    return layers + " " + times + " budget " + budgetBytes + " steps " + steps;
  }
}
