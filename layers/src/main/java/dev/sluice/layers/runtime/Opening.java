package dev.sluice.layers.runtime;

import dev.sluice.contract.file.ByteSize;
import dev.sluice.harness.frame.SluiceVersion;
import dev.sluice.harness.terminal.Console;
import dev.sluice.layers.schedule.Layers;

/** The first lines of a run: what runs, and what is emulated. */
final class Opening {
  /** Environment in which the C library gives freed memory back at once. */
  private static final String THRESHOLD = "MALLOC_MMAP_THRESHOLD_";

  private Opening() {}

  /**
   * Prints them.
   *
   * @param what what is done, such as run
   */
  static void print(
      Console console, RunOptions options, String what, Layers layers, long budgetBytes) {
    Long bandwidth = options.bandwidth();
    console.line(
        "Sluice %s, %s of %s by layers%s"
            .formatted(
                SluiceVersion.current(),
                what,
                options.model(),
                bandwidth == null
                    ? ""
                    : ", on an EMULATED disk: reading is paced to "
                        + ByteSize.text(bandwidth)
                        + "/s"));
    console.item(
        "layers",
        "%d, %s together, the largest %s; budget %s; batch %d"
            .formatted(
                layers.count(),
                ByteSize.text(layers.totalBytes()),
                ByteSize.text(layers.largestBytes()),
                ByteSize.text(budgetBytes),
                options.samples()));
    if (System.getenv(THRESHOLD) == null) {
      console.item(
          "memory",
          "the C library may keep what layers free: "
              + THRESHOLD
              + " is not set, as ./sluice does");
    }
  }

  /** The run in a few words, for the title of a picture. */
  static String title(RunOptions options, long budgetBytes) {
    Long bandwidth = options.bandwidth();
    return "%s · %s · budget %s · batch %d%s"
        .formatted(
            options.model(),
            options.schedule().text(),
            ByteSize.text(budgetBytes),
            options.samples(),
            bandwidth == null ? "" : " · emulated " + ByteSize.text(bandwidth) + "/s");
  }
}
