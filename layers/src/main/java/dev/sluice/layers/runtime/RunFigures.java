package dev.sluice.layers.runtime;

import dev.sluice.contract.file.ByteSize;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.process.MemoryOf;
import dev.sluice.layers.engine.LayerTrace.Row;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Figures of a run, from its operations one by one, so that a run of any length takes little
 * memory. Not safe for threads.
 *
 * <p>Fetch time is the time for which the reader read; a stall is the time for which a fetch held
 * the computing thread up. What was fetched while the computing thread did not stall is hidden. The
 * ideal is max(Σ fetch, Σ compute) + the first fetch, which nothing can hide.
 */
public final class RunFigures {
  private static final double NS_PER_SECOND = 1e9;
  private static final double NS_PER_MS = 1e6;

  /** Layers that are named beside their stalls. */
  private static final int STALLS_NAMED = 5;

  /** Stalls below this share of the wall time are not named. */
  private static final double STALL_SHARE_MIN = 1e-4;

  /** Time for which fetches of each layer held the computing thread up. */
  final List<Long> stallNs = new ArrayList<>();

  long computeNs;
  long readNs;
  long readBytes;
  private long firstReadNs = -1;
  private long residentBytesMax;

  public RunFigures(int layers) {
    IntStream.range(0, layers).forEach(layer -> stallNs.add(0L));
  }

  public void add(Row row) {
    residentBytesMax = Math.max(residentBytesMax, row.residentBytes());
    switch (row.operation()) {
      case Row.COMPUTE, Row.UPDATE -> computeNs += row.tookNs();
      case Row.FETCH -> stallNs.set(row.layer(), stallNs.get(row.layer()) + row.tookNs());
      case Row.READ -> {
        readNs += row.tookNs();
        readBytes += row.bytes();
        firstReadNs = firstReadNs < 0 ? row.tookNs() : firstReadNs;
      }
      default -> {
        // a release or a prefetch takes no time of these figures
      }
    }
  }

  private long stallNsSum() {
    return stallNs.stream().mapToLong(Long::longValue).sum();
  }

  /** Fetch time during which the computing thread did not stall. */
  long hiddenNs() {
    return Math.max(0, readNs - stallNsSum());
  }

  /** Largest number of bytes of the budget that were taken at once. */
  public long residentBytesMax() {
    return residentBytesMax;
  }

  /** The least wall time of any order: max(Σ fetch, Σ compute) + the first fetch. */
  long idealNs() {
    return Math.max(readNs, computeNs) + Math.max(0, firstReadNs);
  }

  /**
   * Prints the last lines of a run: where its time and its memory went, also above the started
   * engine's.
   */
  void print(Console console, RunPlan plan, int steps, long wallNs, OptionalLong startedBytes)
      throws IOException {
    console.item(
        "wall",
        "%s for %d %s, %s each"
            .formatted(
                seconds(wallNs),
                steps,
                steps == 1 ? "step" : "steps",
                ms(wallNs / Math.max(1, steps))));
    console.item("compute", seconds(computeNs));
    console.item("fetch", fetch());
    console.item("stalls", stalls(plan.layers().names(), wallNs));
    console.item(
        "parameters",
        "%s at most, of a budget of %s"
            .formatted(ByteSize.text(residentBytesMax), ByteSize.text(plan.budgetBytes())));
    console.item("process", process(startedBytes, MemoryOf.peakBytes()));
    console.item(
        "wall / ideal",
        String.format(
            Locale.ROOT,
            "%.3f; the ideal is max(Σ fetch, Σ compute) + the first fetch = %s",
            wallPerIdeal(wallNs),
            seconds(idealNs())));
  }

  public double wallPerIdeal(long wallNs) {
    return (double) wallNs / Math.max(1, idealNs());
  }

  private String fetch() {
    if (readNs == 0) {
      return "nothing to fetch";
    }
    return String.format(
        Locale.ROOT,
        "%s for %s (%s/s), of which %s was hidden behind computing (%.1f %%)",
        seconds(readNs),
        ByteSize.text(readBytes),
        ByteSize.text(Math.round(readBytes * NS_PER_SECOND / readNs)),
        seconds(hiddenNs()),
        100.0 * hiddenNs() / readNs);
  }

  private String stalls(List<String> names, long wallNs) {
    String named =
        IntStream.range(0, stallNs.size())
            .boxed()
            .filter(layer -> stallNs.get(layer) > STALL_SHARE_MIN * wallNs)
            .sorted(Comparator.comparing(stallNs::get, Comparator.reverseOrder()))
            .limit(STALLS_NAMED)
            .map(layer -> names.get(layer) + " " + ms(stallNs.get(layer)))
            .collect(Collectors.joining(", "));
    return ms(stallNsSum()) + (named.isEmpty() ? "" : ", most at " + named);
  }

  private static String process(OptionalLong startedBytes, OptionalLong peakBytes) {
    if (startedBytes.isEmpty() || peakBytes.isEmpty()) {
      return "memory is only known on Linux";
    }
    long started = startedBytes.getAsLong();
    long peak = peakBytes.getAsLong();
    return "%s at most, %s above the started engine"
        .formatted(ByteSize.text(peak), ByteSize.text(Math.max(0, peak - started)));
  }

  private static String seconds(long ns) {
    return String.format(Locale.ROOT, "%.3f s", ns / NS_PER_SECOND);
  }

  private static String ms(long ns) {
    return String.format(Locale.ROOT, "%.1f ms", ns / NS_PER_MS);
  }
}
