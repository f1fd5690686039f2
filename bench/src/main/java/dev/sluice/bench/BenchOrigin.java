package dev.sluice.bench;

import dev.sluice.harness.frame.Environment;
import dev.sluice.harness.frame.SluiceVersion;
import dev.sluice.harness.machine.HostLoad;
import dev.sluice.harness.machine.MachineClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;

/**
 * Origin of a bench's figures. Figures can be compared only if all three parts are known.
 *
 * @param commit short hash, with {@code -dirty} where files differ from it; the version where
 *     Sluice is no working copy of its repository
 * @param date date of the measurement, UTC
 * @param machine machine, in words
 */
record BenchOrigin(String commit, LocalDate date, String machine) {
  /**
   * The origin of what is measured now.
   *
   * @param home the folder that Sluice was started from
   */
  static BenchOrigin now(Path home) throws IOException {
    return new BenchOrigin(
        Environment.commit(home).orElseGet(SluiceVersion::current),
        LocalDate.ofInstant(MachineClock.now(), ZoneOffset.UTC),
        HostLoad.machine());
  }

  /** The three in one line. */
  String text() {
    return "Commit " + commit + ", " + date + ", " + machine;
  }
}
