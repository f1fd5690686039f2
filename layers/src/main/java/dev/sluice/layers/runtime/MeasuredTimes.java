package dev.sluice.layers.runtime;

import dev.sluice.executor.lane.LowerMedian;
import dev.sluice.layers.engine.LayerTrace;
import dev.sluice.layers.schedule.Layers;
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
  public synchronized void add(Row row) {
    switch (row.operation()) {
      case Row.READ -> readNs.get(row.layer()).add(row.tookNs());
      case Row.COMPUTE ->
          (row.hook().endsWith("backward") ? backwardNs : forwardNs)
              .get(row.layer())
              .add(row.tookNs());
      case Row.UPDATE -> {
        List<Long> times = backwardNs.get(row.layer());
        times.set(times.size() - 1, times.get(times.size() - 1) + row.tookNs());
      }
      default -> {
        // only what takes the time of a disk or a processor is planned with
      }
    }
  }

  /** Medians of what was measured; a layer without a backward has 0 there. */
  synchronized Layers.Times medians() {
    return new Layers.Times(medians(readNs), medians(forwardNs), medians(backwardNs));
  }

  private static List<Long> medians(List<List<Long>> all) {
    return all.stream().map(times -> times.isEmpty() ? 0L : LowerMedian.of(times)).toList();
  }
}
