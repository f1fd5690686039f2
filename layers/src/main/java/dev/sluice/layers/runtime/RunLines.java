package dev.sluice.layers.runtime;

import dev.sluice.contract.file.ByteSize;
import dev.sluice.harness.terminal.Console;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The last lines of a run: where its time and its memory went. */
final class RunLines {
  private static final double NS_PER_SECOND = 1e9;
  private static final double NS_PER_MS = 1e6;

  /** Layers that are named beside their stalls. */
  private static final int STALLS_NAMED = 5;

  /** Stalls below this share of the wall time are not named. */
  private static final double STALL_SHARE_MIN = 1e-4;

  private RunLines() {}

  /**
   * Memory of the process.
   *
   * @param startedBytes resident bytes once the engine had started
   * @param peakBytes most resident bytes since
   */
  record ProcessMemory(OptionalLong startedBytes, OptionalLong peakBytes) {}

  static void print(
      Console console,
      List<String> names,
      long budgetBytes,
      int steps,
      long wallNs,
      RunFigures figures,
      ProcessMemory memory) {
    console.item(
        "wall",
        "%s for %d %s, %s each"
            .formatted(
                seconds(wallNs),
                steps,
                steps == 1 ? "step" : "steps",
                ms(wallNs / Math.max(1, steps))));
    console.item("compute", seconds(figures.computeNs()));
    console.item("fetch", fetch(figures));
    console.item("stalls", stalls(names, figures, wallNs));
    console.item(
        "parameters",
        "%s at most, of a budget of %s"
            .formatted(ByteSize.text(figures.residentBytesMax()), ByteSize.text(budgetBytes)));
    console.item("process", process(memory));
    console.item(
        "wall / ideal",
        String.format(
            Locale.ROOT,
            "%.3f; the ideal is max(Σ fetch, Σ compute) + the first fetch = %s",
            wallPerIdeal(wallNs, figures),
            seconds(figures.idealNs())));
  }

  /** Wall time over the ideal. */
  static double wallPerIdeal(long wallNs, RunFigures figures) {
    return (double) wallNs / Math.max(1, figures.idealNs());
  }

  private static String fetch(RunFigures figures) {
    if (figures.readNs() == 0) {
      return "nothing to fetch";
    }
    return String.format(
        Locale.ROOT,
        "%s for %s (%s/s), of which %s was hidden behind computing (%.1f %%)",
        seconds(figures.readNs()),
        ByteSize.text(figures.readBytes()),
        ByteSize.text(Math.round(figures.readBytes() * NS_PER_SECOND / figures.readNs())),
        seconds(figures.hiddenNs()),
        100.0 * figures.hiddenNs() / figures.readNs());
  }

  private static String stalls(List<String> names, RunFigures figures, long wallNs) {
    List<Long> stalls = figures.stallNs();
    String named =
        IntStream.range(0, stalls.size())
            .boxed()
            .filter(layer -> stalls.get(layer) > STALL_SHARE_MIN * wallNs)
            .sorted(Comparator.comparing(stalls::get, Comparator.reverseOrder()))
            .limit(STALLS_NAMED)
            .map(layer -> names.get(layer) + " " + ms(stalls.get(layer)))
            .collect(Collectors.joining(", "));
    return ms(figures.stallNsSum()) + (named.isEmpty() ? "" : ", most at " + named);
  }

  private static String process(ProcessMemory memory) {
    if (memory.startedBytes().isEmpty() || memory.peakBytes().isEmpty()) {
      return "memory is only known on Linux";
    }
    long started = memory.startedBytes().getAsLong();
    long peak = memory.peakBytes().getAsLong();
    return "%s at most, %s above the started engine"
        .formatted(ByteSize.text(peak), ByteSize.text(Math.max(0, peak - started)));
  }

  static String seconds(long ns) {
    return String.format(Locale.ROOT, "%.3f s", ns / NS_PER_SECOND);
  }

  static String ms(long ns) {
    return String.format(Locale.ROOT, "%.1f ms", ns / NS_PER_MS);
  }
}
