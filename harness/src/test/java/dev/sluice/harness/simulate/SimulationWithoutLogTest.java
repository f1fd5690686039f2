package dev.sluice.harness.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.folder.FolderFiles;
import dev.sluice.harness.frame.Seeds;
import dev.sluice.harness.frame.ShippedExperiments;
import dev.sluice.harness.report.RandomExperiment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A simulation whose log nobody reads makes its rows without records. It leaves the same bytes as
 * one that makes them from the records of its log. {@code -Dsluice.tries=N} tries N random
 * experiments, from the seed {@code -Dsluice.fuzz.seed} on.
 */
final class SimulationWithoutLogTest {
  private static final int QUICK = 12;
  private static final int FULL = 200;

  @TempDir private Path root;

  static Stream<Path> shipped() throws Exception {
    return ShippedExperiments.files().stream().filter(file -> !file.endsWith("profile.yaml"));
  }

  @ParameterizedTest
  @MethodSource("shipped")
  void leavesTheSameBytes_forShippedExperiments(Path config) throws Exception {
    compare(config, String.valueOf(config.getFileName()), /* alone= */ true);
  }

  @Test
  void leavesTheSameBytes_forRandomExperiments() throws Exception {
    for (long seed : Seeds.of(QUICK, FULL)) {
      Path config = Files.writeString(root.resolve("e.yaml"), RandomExperiment.of(seed));
      compare(config, "seed " + seed, /* alone= */ seed % 2 == 0);
    }
  }

  private void compare(Path config, String which, boolean alone) throws Exception {
    Path withLog = root.resolve("with").resolve("run");
    Path without = root.resolve("without").resolve("run");
    SimulatedFolder.write(config, withLog);
    SimulatedFolder.writeWithoutLog(config, without, alone);
    for (String file : List.of(FolderFiles.TRACE, FolderFiles.DISPATCHES, FolderFiles.SUMMARY)) {
      List<String> written = lines(without.resolve(file));
      assertThat(written).as("%s of %s", file, which).isNotEmpty();
      assertThat(written).as("%s of %s", file, which).isEqualTo(lines(withLog.resolve(file)));
    }
  }

  /** The lines of a file but what this process itself took, and when. */
  private static List<String> lines(Path file) throws Exception {
    try (Stream<String> lines = Files.lines(file)) {
      return lines
          .filter(line -> !line.matches(" *\"(started_at|ended_at|fit_cpu_seconds)\" : .*"))
          .toList();
    }
  }
}
