package dev.sluice.harness.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.analytics.check.CheckReport;
import dev.sluice.analytics.check.Rule;
import dev.sluice.analytics.check.RunCheck;
import dev.sluice.analytics.row.FolderFiles;
import dev.sluice.contract.log.RecordedEntry;
import dev.sluice.contract.log.RecordingReader;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.frame.Seeds;
import dev.sluice.harness.simulate.SimulatedFolder;
import dev.sluice.scheduler.replay.DecisionReplay;
import dev.sluice.scheduler.replay.ReplaySettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Simulated runs of random experiments pass the check, and their decisions follow from their facts.
 * {@code -Dsluice.tries=N} simulates N of them, from the seed {@code -Dsluice.fuzz.seed} on.
 */
final class RandomRunsTest {
  private static final int QUICK = 8;
  private static final int FULL = 150;

  @TempDir private Path root;

  @Test
  void passTheCheck_andTheirDecisionsReplay() throws Exception {
    long[] seeds = Seeds.of(QUICK, FULL);
    List<String> failures = new ArrayList<>();
    long jobs = 0;
    long decisions = 0;
    for (long seed : seeds) {
      Path config = Files.writeString(root.resolve("e.yaml"), RandomExperiment.of(seed));
      Path folder = root.resolve("random-" + seed);
      try {
        SimulatedFolder.write(config, folder);
        CheckReport report = RunCheck.of(folder);
        DecisionReplay replay = replay(folder.resolve(FolderFiles.LOG));
        jobs += report.extent().rows();
        decisions += replay.recorded().compared();
        boolean failed = verdict(folder).equals("failed"); // it measured no job, and says so
        if (failed ? !report.faultCounts().equals(Map.of(Rule.MEASURED, 1L)) : !report.passed()) {
          failures.add(
              "seed %d: %s, such as %s"
                  .formatted(seed, report.faultCounts(), report.faults().get(0)));
        }
        if (replay.recorded().others() + replay.unrecorded() > 0) {
          failures.add("seed %d: decisions differ: %s".formatted(seed, replay.recorded().first()));
        }
      } catch (Exception e) {
        failures.add("seed %d: %s".formatted(seed, e));
      }
      delete(folder);
    }
    System.out.printf(
        "random runs: %d from seed %d, %,d rows, %,d decisions%n",
        seeds.length, seeds[0], jobs, decisions);
    assertThat(failures).isEmpty();
    assertThat(decisions).isPositive();
  }

  private static DecisionReplay replay(Path log) throws Exception {
    try (var reader = RecordingReader.ofLog(log, /* salvage= */ false)) {
      var replay =
          new DecisionReplay(
              ReplaySettings.of(log, reader.header(), Registries.vocabulary()), null);
      RecordedEntry entry = reader.next();
      while (entry != null && replay.take(entry)) {
        entry = reader.next();
      }
      replay.finish(/* cutShort= */ false);
      return replay;
    }
  }

  private static String verdict(Path folder) throws Exception {
    return new ObjectMapper()
        .readTree(folder.resolve(FolderFiles.SUMMARY).toFile())
        .path("verdict")
        .asText();
  }

  private static void delete(Path folder) throws Exception {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
