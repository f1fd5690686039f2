package dev.sluice.harness.bench;

import dev.sluice.harness.frame.SluiceVersion;
import dev.sluice.harness.machine.HostLoad;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.Launch;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
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
public record BenchOrigin(String commit, LocalDate date, String machine) {
  /**
   * The origin of what is measured now.
   *
   * @param home the folder that Sluice was started from
   */
  public static BenchOrigin now(Path home) throws IOException, InterruptedException {
    return new BenchOrigin(
        commit(home), LocalDate.ofInstant(MachineClock.now(), ZoneOffset.UTC), HostLoad.machine());
  }

  private static String commit(Path home) throws InterruptedException {
    String version = SluiceVersion.current();
    if (!Files.exists(home.resolve(".git"))) {
      return version;
    }
    try {
      return Launch.of(
              "git", "-C", home.toString(), "describe", "--always", "--dirty", "--exclude", "*")
          .errors(Redirect.DISCARD)
          .printed("git")
          .strip();
    } catch (IOException e) {
      return version; // no git here, or it does not trust the folder
    }
  }

  /** The three in one line. */
  String text() {
    return "Commit " + commit + ", " + date + ", " + machine;
  }
}
