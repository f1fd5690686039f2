package dev.sluice.layers.schedule;

import dev.sluice.layers.schedule.LayerSchedule.Operation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * How long a schedule takes in virtual time: the loop's clock, the reader's, and when each layer is
 * there. Layers are read one at a time in the list's order, a prefetch never waits, a fetch and a
 * compute wait for their layer, a release takes no time. Time runs from the first operation to the
 * last step's end; a read that goes on beyond it is no part of it.
 */
final class ScheduleTime {
  /** Steps back that are searched for one that went on as the present one does. */
  private static final int PERIOD_MAX = 8;

  private final List<Operation> first;
  private final List<Operation> step;
  private final long[] fetchNsOf;
  private final long[] computeNsOf;
  private final int layers;

  private final boolean[] resident;

  private final boolean[] computed;
  private final long[] thereAtNs;
  private final long[] stallNs;
  private long nowNs;
  private long readerFreeNs;
  private long executed;

  ScheduleTime(LayerSchedule schedule, Layers layers, Layers.Times times) {
    this.layers = layers.count();
    this.first = schedule.first();
    this.step = schedule.step();
    this.fetchNsOf = array(times.fetchNs());
    this.computeNsOf = Arrays.copyOf(array(times.forwardNs()), 2 * this.layers);
    System.arraycopy(array(times.backwardNs()), 0, computeNsOf, this.layers, this.layers);
    this.resident = new boolean[this.layers];
    this.computed = new boolean[this.layers];
    this.thereAtNs = new long[this.layers];
    this.stallNs = new long[this.layers];
  }

  private static long[] array(List<Long> values) {
    return values.stream().mapToLong(Long::longValue).toArray();
  }

  /** Goes through all steps of a list that {@link ScheduleCheck} has passed. */
  static ScheduleTime of(LayerSchedule schedule, Layers layers, Layers.Times times, int steps) {
    var time = new ScheduleTime(schedule, layers, times);
    time.execute(time.first);
    for (int i = 0; i < steps; i++) {
      time.executeStep();
    }
    return time;
  }

  /**
   * The clock's end, without going through steps that repeat what others did; stalls are then of
   * the steps gone through.
   */
  long wallNs(int steps) {
    execute(first);
    List<long[]> aheads = new ArrayList<>();
    List<Long> ends = new ArrayList<>();
    for (int done = 1; done <= steps; done++) {
      executeStep();
      long[] ahead = ahead();
      for (int back = 1; back <= Math.min(PERIOD_MAX, aheads.size()); back++) {
        if (Arrays.equals(ahead, aheads.get(aheads.size() - back))) {
          return repeated(steps - done, back, nowNs - ends.get(ends.size() - back));
        }
      }
      aheads.add(ahead);
      ends.add(nowNs);
    }
    return nowNs;
  }

  /** The clock after more steps, of which each period takes equally long. */
  private long repeated(int steps, int periodSteps, long periodNs) {
    for (int rest = steps % periodSteps; rest > 0; rest--) {
      executeStep();
    }
    return nowNs + steps / periodSteps * periodNs;
  }

  /** What the time of all that follows depends on: how far reads are ahead of the loop. */
  private long[] ahead() {
    long[] ahead = new long[layers + 1];
    ahead[layers] = Math.max(0, readerFreeNs - nowNs);
    for (int layer = 0; layer < layers; layer++) {
      ahead[layer] = resident[layer] ? Math.max(0, thereAtNs[layer] - nowNs) : -1;
    }
    return ahead;
  }

  private void executeStep() {
    Arrays.fill(computed, false);
    execute(step);
  }

  private void execute(List<Operation> operations) {
    executed += operations.size();
    for (Operation operation : operations) {
      int layer = operation.layer();
      switch (operation.kind()) {
        case PREFETCH -> read(layer);
        case FETCH -> {
          if (!resident[layer]) {
            read(layer);
          }
          await(layer);
        }
        case COMPUTE -> compute(layer);
        case RELEASE -> resident[layer] = false;
      }
    }
  }

  private void read(int layer) {
    readerFreeNs = Math.max(readerFreeNs, nowNs) + fetchNsOf[layer];
    thereAtNs[layer] = readerFreeNs;
    resident[layer] = true;
  }

  private void await(int layer) {
    long waitNs = thereAtNs[layer] - nowNs;
    if (waitNs > 0) {
      stallNs[layer] += waitNs;
      nowNs += waitNs;
    }
  }

  private void compute(int layer) {
    await(layer);
    nowNs += computeNsOf[computed[layer] ? layers + layer : layer];
    computed[layer] = true;
  }

  long operations() {
    return executed;
  }

  /** Time so far from the first operation on. */
  long wallNs() {
    return nowNs;
  }

  /** By layer, the time that the loop waited for it. */
  long[] stallNs() {
    return stallNs;
  }
}
