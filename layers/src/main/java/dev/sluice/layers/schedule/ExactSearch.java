package dev.sluice.layers.schedule;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Goes through all plans of few layers. A step adds durations and takes the later of two times, and
 * so its clocks at the end are a matrix, in max-plus algebra, of those at its start (Baccelli,
 * Cohen, Olsder and Quadrat 1992, "Synchronization and Linearity"). Of two part lists that leave
 * equal layers resident, the one whose matrix is nowhere less is dropped: whatever follows, and
 * however often it is repeated, it is no faster.
 *
 * <p>Columns of a matrix: the loop's clock at the step's start, and when each layer that is then
 * resident is there. Rows: the loop's clock, the reader's, and when each layer is there; no row
 * lies below the loop's.
 */
final class ExactSearch {
  /** Less than any time, and far from an overflow of sums. */
  private static final long NEVER = Long.MIN_VALUE / 4;

  private final Layers layers;
  private final int count;
  private final long[] bytes;
  private final long[] fetchNs;
  private final long[] computeNs;
  private final long budgetBytes;
  private final int steps;
  private long wallNs = Long.MAX_VALUE;
  private @Nullable StepPlan best;

  ExactSearch(Layers layers, LayerTimes times, long budgetBytes, int steps) {
    this.layers = layers;
    this.count = layers.count();
    this.bytes = layers.bytes().stream().mapToLong(Long::longValue).toArray();
    this.fetchNs = times.fetchNs().stream().mapToLong(Long::longValue).toArray();
    this.computeNs = new long[layers.uses()];
    for (int use = 0; use < computeNs.length; use++) {
      computeNs[use] =
          (use < count ? times.forwardNs() : times.backwardNs()).get(layers.layer(use));
    }
    this.budgetBytes = budgetBytes;
    this.steps = steps;
  }

  /** Wall time of the plan found. */
  long wallNs() {
    return wallNs;
  }

  /** The plan with the least wall time; null if none takes less than the time given. */
  @Nullable StepPlan below(long knownNs) {
    wallNs = knownNs;
    for (int start = 1; start < 1 << count; start += 2) { // layer 0, computed first, is in each
      if (bytesOf(start) <= budgetBytes) {
        search(start);
      }
    }
    return best;
  }

  private long bytesOf(int mask) {
    long sum = 0;
    for (int layer = 0; layer < count; layer++) {
      sum += (mask >> layer & 1) * bytes[layer];
    }
    return sum;
  }

  /** A part of a list. */
  private static final class Part {
    final @Nullable Part before;

    /** Layers that are resident. */
    final int mask;

    /** Row {@code layer} says when that layer is there; then come loop and reader. */
    final long[][] rows;

    /** Layer whose read the part ends with; -1: it ends with a compute. */
    final int read;

    /** Whether the layer of that compute stays. */
    final boolean kept;

    Part(@Nullable Part before, int mask, long[][] rows, int read, boolean kept) {
      this.before = before;
      this.mask = mask;
      this.rows = rows;
      this.read = read;
      this.kept = kept;
    }
  }

  /** Parts that leave equal layers resident, and none of which another one makes needless. */
  private static final class Parts {
    private final Map<Integer, List<Part>> byMask = new HashMap<>();

    boolean add(Part part) {
      List<Part> alike = byMask.computeIfAbsent(part.mask, mask -> new ArrayList<>());
      for (Part other : alike) {
        if (neverLater(other, part)) {
          return false;
        }
      }
      alike.removeIf(other -> neverLater(part, other));
      alike.add(part);
      return true;
    }

    private static boolean neverLater(Part a, Part b) {
      for (int row = 0; row < a.rows.length; row++) {
        for (int column = 0; column < a.rows[row].length; column++) {
          if (a.rows[row][column] > b.rows[row][column]) {
            return false;
          }
        }
      }
      return true;
    }

    List<Part> all() {
      return byMask.values().stream().flatMap(List::stream).toList();
    }
  }

  private void search(int start) {
    long[][] rows = new long[count + 2][count + 1];
    for (long[] row : rows) {
      Arrays.fill(row, NEVER);
      row[count] = 0;
    }
    for (int layer = 0; layer < count; layer++) {
      if ((start >> layer & 1) == 1) {
        rows[layer][layer] = 0;
        rows[count + 1][layer] = 0;
      }
    }
    List<Part> parts = List.of(new Part(null, start, rows, -1, false));
    long restNs = steps * Arrays.stream(computeNs).sum();
    for (int use = 0; use < layers.uses(); use++) {
      var behind = new Parts();
      restNs -= computeNs[use];
      for (Part part : parts) {
        if ((part.mask >> layers.layer(use) & 1) == 1) {
          Part kept = computed(part, use, true);
          if (earliestNs(kept, start) + restNs < wallNs) {
            addWithReads(kept, -1, behind);
            addWithReads(computed(part, use, false), layers.layer(use), behind);
          }
        }
      }
      parts = behind.all();
    }
    parts.stream().filter(part -> part.mask == start).forEach(part -> finish(part, start));
  }

  private Part computed(Part part, int use, boolean kept) {
    int layer = layers.layer(use);
    long[][] rows = part.rows.clone();
    long[] loop = rows[layer].clone();
    for (int column = 0; column <= count; column++) {
      loop[column] = after(loop[column], computeNs[use]);
    }
    rows[count] = loop;
    for (int row = 0; row < rows.length; row++) {
      if (row != count) {
        rows[row] = later(rows[row], loop);
      }
    }
    return new Part(part, kept ? part.mask : part.mask & ~(1 << layer), rows, -1, kept);
  }

  private static long after(long timeNs, long ns) {
    return timeNs == NEVER ? NEVER : timeNs + ns;
  }

  private static long[] later(long[] a, long[] b) {
    long[] later = new long[a.length];
    for (int i = 0; i < a.length; i++) {
      later[i] = Math.max(a[i], b[i]);
    }
    return later;
  }

  /**
   * Adds a part, and it again with all reads that may follow.
   *
   * @param freed layer that was freed just now, which is not read again at once; -1: none
   */
  private void addWithReads(Part part, int freed, Parts to) {
    if (!to.add(part)) {
      return;
    }
    long usedBytes = bytesOf(part.mask);
    for (int layer = 0; layer < count; layer++) {
      if ((part.mask >> layer & 1) == 0
          && layer != freed
          && usedBytes + bytes[layer] <= budgetBytes) {
        long[] there = part.rows[count + 1].clone();
        for (int column = 0; column <= count; column++) {
          there[column] = after(there[column], fetchNs[layer]);
        }
        long[][] rows = part.rows.clone();
        rows[layer] = there;
        rows[count + 1] = there;
        addWithReads(new Part(part, part.mask | 1 << layer, rows, layer, false), freed, to);
      }
    }
  }

  /** The least time at which the loop's clock can stand behind the part in the first step. */
  private long earliestNs(Part part, int start) {
    long[] loop = part.rows[count];
    long earliestNs = loop[count];
    for (int layer = 0; layer < count; layer++) {
      if ((start >> layer & 1) == 1) {
        earliestNs = Math.max(earliestNs, loop[layer] + fetchNs[layer]);
      }
    }
    return earliestNs;
  }

  private void finish(Part part, int start) {
    int size = count + 1;
    long[][] step = new long[size][size];
    for (int row = 0; row < size; row++) {
      step[row] = row == count || (start >> row & 1) == 1 ? part.rows[row] : rowOfNever(size);
    }
    long[] tails = power(step, steps)[count];
    List<Integer> first = new ArrayList<>();
    for (int layer = 0; layer < count; layer++) {
      if ((start >> layer & 1) == 1) {
        first.add(layer);
      }
    }
    // what follows a layer's coming longest is read first: Jackson 1955, least maximum lateness
    first.sort(Comparator.comparingLong(layer -> -tails[layer]));
    long endNs = tails[count];
    long readNs = 0;
    for (int layer : first) {
      readNs += fetchNs[layer];
      endNs = Math.max(endNs, readNs + tails[layer]);
    }
    if (endNs < wallNs) {
      wallNs = endNs;
      best = plan(part, first);
    }
  }

  private static long[] rowOfNever(int size) {
    long[] row = new long[size];
    Arrays.fill(row, NEVER);
    return row;
  }

  /** The matrix of several steps, by squaring. */
  private static long[][] power(long[][] step, int times) {
    long[][] square = step;
    long[][] power = null;
    for (int rest = times; rest > 0; rest >>= 1) {
      if ((rest & 1) == 1) {
        power = power == null ? square : product(square, power);
      }
      square = rest > 1 ? product(square, square) : square;
    }
    return requireNonNull(power);
  }

  private static long[][] product(long[][] a, long[][] b) {
    long[][] product = new long[a.length][a.length];
    for (int row = 0; row < a.length; row++) {
      for (int column = 0; column < a.length; column++) {
        long latest = NEVER;
        for (int i = 0; i < a.length; i++) {
          latest =
              b[i][column] == NEVER ? latest : Math.max(latest, after(a[row][i], b[i][column]));
        }
        product[row][column] = latest;
      }
    }
    return product;
  }

  private StepPlan plan(Part end, List<Integer> first) {
    List<List<Integer>> reads = new ArrayList<>();
    BitSet keep = new BitSet(layers.uses());
    List<Integer> behind = new ArrayList<>();
    int use = layers.uses() - 1;
    for (Part part = end; part.before != null; part = part.before) {
      if (part.read >= 0) {
        behind.add(0, part.read);
      } else {
        reads.add(0, behind);
        behind = new ArrayList<>();
        keep.set(use--, part.kept);
      }
    }
    return new StepPlan(List.copyOf(first), reads, keep);
  }
}
