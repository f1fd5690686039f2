package dev.sluice.harness.layers.runtime;

import dev.sluice.executor.lane.LowerMedian;
import dev.sluice.executor.layers.LayerTrace;
import dev.sluice.harness.layers.trace.TraceRow;
import dev.sluice.scheduling.layers.LayerTimes;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Times of each layer's operations over some passes; medians of these. Safe for threads. */
final class MeasuredTimes implements LayerTrace {
  private final List<List<Long>> readNs;
  private final List<List<Long>> forwardNs;
  private final List<List<Long>> backwardNs;

  MeasuredTimes(int layers) {
    readNs = lists(layers);
    forwardNs = lists(layers);
    backwardNs = lists(layers);
  }

  private static List<List<Long>> lists(int layers) {
    return IntStream.range(0, layers)
        .mapToObj(layer -> (List<Long>) new ArrayList<Long>())
        .toList();
  }

  @Override
  public synchronized void operation(
      int step,
      String hook,
      String operation,
      int layer,
      String thread,
      long startNs,
      long endNs,
      long bytes,
      long residentBytes) {
    long tookNs = endNs - startNs;
    switch (operation) {
      case TraceRow.READ -> readNs.get(layer).add(tookNs);
      case TraceRow.COMPUTE ->
          (hook.endsWith("backward") ? backwardNs : forwardNs).get(layer).add(tookNs);
      default -> {
        // only what takes the time of a disk or a processor is planned with
      }
    }
  }

  /** Medians of what was measured; a layer without a backward has 0 there. */
  synchronized LayerTimes medians() {
    return new LayerTimes(medians(readNs), medians(forwardNs), medians(backwardNs));
  }

  private static List<Long> medians(List<List<Long>> all) {
    return all.stream().map(times -> times.isEmpty() ? 0L : LowerMedian.of(times)).toList();
  }
}
