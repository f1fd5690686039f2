package dev.sluice.scheduling.layers;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Virtual time of one list: the loop's clock, the reader's, and when each layer is there. */
final class ListClock {
  private static final Kind[] KINDS = Kind.values();

  private final int[] first;
  private final int[] step;
  private final long[] fetchNsOf;
  private final long[] computeNsOf;
  private final int layers;

  /** Layers that a prefetch or fetch has taken. */
  private final boolean[] resident;

  private final boolean[] computed;
  private final long[] thereAtNs;
  private final long[] stallNs;
  private long nowNs;
  private long readerFreeNs;
  private long computeNs;
  private long readNs;

  ListClock(LayerSchedule schedule, Layers layers, LayerTimes times) {
    this.layers = layers.count();
    this.first = codes(schedule.first());
    this.step = codes(schedule.step());
    this.fetchNsOf = array(times.fetchNs());
    this.computeNsOf = Arrays.copyOf(array(times.forwardNs()), 2 * this.layers);
    System.arraycopy(array(times.backwardNs()), 0, computeNsOf, this.layers, this.layers);
    this.resident = new boolean[this.layers];
    this.computed = new boolean[this.layers];
    this.thereAtNs = new long[this.layers];
    this.stallNs = new long[this.layers];
  }

  /** Each operation as one number: its layer times the number of kinds, and its kind. */
  private static int[] codes(List<Operation> operations) {
    int[] codes = new int[operations.size()];
    for (int i = 0; i < codes.length; i++) {
      Operation operation = operations.get(i);
      codes[i] = operation.layer() * KINDS.length + operation.kind().ordinal();
    }
    return codes;
  }

  private static long[] array(List<Long> values) {
    return values.stream().mapToLong(Long::longValue).toArray();
  }

  /** Runs everything once. */
  void run(int steps) {
    execute(first);
    for (int i = 0; i < steps; i++) {
      executeStep();
    }
  }

  /**
   * Runs everything once, and leaves out the steps that repeat what others did: the clock is then
   * right, the sums are not.
   */
  long wallNs(int steps) {
    execute(first);
    Map<List<Long>, long[]> stepAndTime = new HashMap<>();
    int done = 0;
    while (done < steps) {
      executeStep();
      done++;
      long[] earlier = stepAndTime.putIfAbsent(ahead(), new long[] {done, nowNs});
      if (earlier != null) {
        long periodSteps = done - earlier[0];
        long periods = (steps - done) / periodSteps;
        long skippedNs = periods * (nowNs - earlier[1]);
        nowNs += skippedNs;
        readerFreeNs += skippedNs;
        for (int layer = 0; layer < layers; layer++) {
          thereAtNs[layer] += skippedNs;
        }
        for (int rest = (int) ((steps - done) % periodSteps); rest > 0; rest--) {
          executeStep();
        }
        return nowNs;
      }
    }
    return nowNs;
  }

  /** What the time of all that follows depends on: how far reads are ahead of the loop. */
  private List<Long> ahead() {
    Long[] ahead = new Long[layers + 1];
    ahead[layers] = Math.max(0, readerFreeNs - nowNs);
    for (int layer = 0; layer < layers; layer++) {
      ahead[layer] = resident[layer] ? Math.max(0, thereAtNs[layer] - nowNs) : -1L;
    }
    return Arrays.asList(ahead);
  }

  private void executeStep() {
    Arrays.fill(computed, false);
    execute(step);
  }

  private void execute(int[] codes) {
    for (int code : codes) {
      int layer = code / KINDS.length;
      switch (KINDS[code % KINDS.length]) {
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
    readNs += fetchNsOf[layer];
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
    long ns = computeNsOf[computed[layer] ? layers + layer : layer];
    computed[layer] = true;
    computeNs += ns;
    nowNs += ns;
  }

  long nowNs() {
    return nowNs;
  }

  long computeNs() {
    return computeNs;
  }

  long readNs() {
    return readNs;
  }

  long[] stallNs() {
    return stallNs.clone();
  }
}
