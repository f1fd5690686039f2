package dev.sluice.layers.runtime;

import dev.sluice.layers.schedule.LayerSchedule;
import dev.sluice.layers.schedule.LayerSchedule.Kind;
import dev.sluice.layers.schedule.LayerSchedule.Operation;
import dev.sluice.layers.schedule.Layers;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * A drawn schedule that is legal within the budget that it needs. Between two computes a layer
 * stays, or is released and read again, at drawn places.
 *
 * @param budgetBytes the most bytes that the list takes at once
 */
record DrawnList(LayerSchedule schedule, long budgetBytes) {
  static DrawnList of(Layers layers, Random random) {
    int uses = layers.uses();
    List<Operation> first = new ArrayList<>();
    List<List<Operation>> releases = lists(uses + 1);
    List<List<Operation>> reads = lists(uses + 1);
    for (int use = 0; use < uses; use++) {
      int layer = layers.layer(use);
      int next = use + 1;
      while (layers.layer(next % uses) != layer) {
        next++;
      }
      boolean stays = random.nextInt(4) == 0;
      int released = use + 1 + random.nextInt(Math.min(next, uses) - use);
      int read = released + random.nextInt(next - released + 1);
      if (!stays) {
        releases.get(released).add(Operation.made(Kind.RELEASE, layer));
        reads.get(read <= uses ? read : read - uses).add(read(layer, random));
      }
      if (next >= uses && (stays || read <= uses)) {
        first.add(read(layer, random)); // there when a step begins
      }
    }
    List<Operation> step = new ArrayList<>();
    for (int use = 0; use <= uses; use++) {
      step.addAll(releases.get(use));
      Collections.shuffle(reads.get(use), random);
      step.addAll(reads.get(use));
      if (use < uses) {
        step.add(Operation.made(Kind.COMPUTE, layers.layer(use)));
      }
    }
    var schedule = new LayerSchedule(first, step);
    return new DrawnList(schedule, mostBytes(schedule, layers));
  }

  private static List<List<Operation>> lists(int count) {
    List<List<Operation>> lists = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      lists.add(new ArrayList<>());
    }
    return lists;
  }

  private static Operation read(int layer, Random random) {
    return Operation.made(random.nextInt(3) == 0 ? Kind.FETCH : Kind.PREFETCH, layer);
  }

  private static long mostBytes(LayerSchedule schedule, Layers layers) {
    List<Operation> all = new ArrayList<>(schedule.first());
    all.addAll(schedule.step());
    long bytes = 0;
    long mostBytes = 0;
    for (Operation operation : all) {
      long own = layers.bytes().get(operation.layer());
      bytes +=
          switch (operation.kind()) {
            case FETCH, PREFETCH -> own;
            case RELEASE -> -own;
            case COMPUTE -> 0;
          };
      mostBytes = Math.max(mostBytes, bytes);
    }
    return mostBytes;
  }
}
