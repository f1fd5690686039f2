package dev.sluice.harness.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.fold.RunContext;
import dev.sluice.analytics.folder.FolderFiles;
import dev.sluice.analytics.report.RunReport;
import dev.sluice.analytics.summary.Summary;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.harness.check.RandomExperiment;
import dev.sluice.harness.frame.Environment;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.twin.figure.DispatchTable;
import dev.sluice.harness.twin.figure.Figures;
import dev.sluice.harness.twin.figure.TraceTable;
import dev.sluice.harness.twin.fold.RunFold;
import dev.sluice.harness.twin.fold.RunRows;
import dev.sluice.scheduler.translation.SimulatedLog;
import dev.sluice.scheduling.simulation.Simulation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The report of a simulation is that of its naive twin, byte for byte: rows as objects with the
 * records of the log, figures by streams over them, tables by the library of CSV files. {@code
 * -Dsluice.tries=N} tries N random experiments, from the seed {@code -Dsluice.fuzz.seed} on.
 */
final class ReportTwinTest {
  private static final int QUICK = 12;
  private static final int FULL = 200;

  @TempDir private Path root;

  static Stream<Path> shipped() throws Exception {
    Path configs = Path.of(System.getProperty("sluice.home", "..")).resolve("configs");
    try (Stream<Path> files = Files.walk(configs, 2)) {
      return files
          .filter(file -> file.toString().endsWith(".yaml"))
          .filter(file -> List.of("configs", "policies").contains(folderOf(file)))
          .filter(file -> !file.endsWith("profile.yaml"))
          .sorted()
          .toList()
          .stream();
    }
  }

  private static String folderOf(Path file) {
    return String.valueOf(file.toAbsolutePath().normalize().getParent().getFileName());
  }

  @ParameterizedTest
  @MethodSource("shipped")
  void isEqual_forShippedExperiments(Path config) throws Exception {
    compare(config, String.valueOf(config.getFileName()), true);
  }

  @Test
  void isEqual_forRandomExperiments() throws Exception {
    long from = Long.getLong("sluice.fuzz.seed", 1);
    for (long seed = from; seed < from + tries(); seed++) {
      Path config = Files.writeString(root.resolve("e.yaml"), RandomExperiment.of(seed));
      compare(config, "seed " + seed, seed % 2 == 0);
    }
  }

  private void compare(Path config, String which, boolean alone) throws Exception {
    ParsedExperiment parsed = ExperimentFile.read(config, List.of(), Registries.vocabulary());
    SimulatedExperiment experiment = SimulatedExperiment.of(parsed, null);
    Environment environment = experiment.environment();
    Path folder = Files.createDirectories(root.resolve("run"));
    Path twin = Files.createDirectories(root.resolve("twin"));
    var simulated = experiment.simulate("run", environment, null, alone);
    RunReport report = simulated.report();
    report.writeRows(folder);
    report.writeSummary(folder);
    write(rows(experiment, environment), report.summary(), twin);
    for (String file : List.of(FolderFiles.TRACE, FolderFiles.DISPATCHES, FolderFiles.SUMMARY)) {
      String written = Files.readString(folder.resolve(file));
      assertThat(written.isEmpty()).as(which).isFalse();
      assertThat(written.equals(Files.readString(twin.resolve(file))))
          .as("%s of %s is that of the twin", file, which)
          .isTrue();
    }
  }

  private static void write(RunRows run, Summary summary, Path folder) throws Exception {
    TraceTable.write(run, folder.resolve(FolderFiles.TRACE));
    DispatchTable.write(run, folder.resolve(FolderFiles.DISPATCHES));
    Summary twin = Figures.summarize(run);
    for (String name : List.of("device_kinds", "fit_cpu_seconds")) {
      twin.put(name, summary.values().get(name)); // of no row
    }
    String json = twin.toJson();
    for (String name : List.of("started_at", "ended_at")) { // of this process
      json = json.replace(line(json, name), line(summary.toJson(), name));
    }
    Files.writeString(folder.resolve(FolderFiles.SUMMARY), json);
  }

  private static String line(String json, String name) {
    int at = json.indexOf("\"" + name + "\"");
    return json.substring(at, json.indexOf('\n', at));
  }

  /** Simulates once more, into the twin's rows. */
  private static RunRows rows(SimulatedExperiment simulated, Environment environment) {
    Experiment experiment = simulated.parsed().experiment();
    RunStarted begun = simulated.started("run");
    var fold = new RunFold();
    fold.onRunRecord(begun, SimulatedLog.TIME_ZERO_EPOCH_MS);
    var reader =
        new SimulatedLog.Reader() {
          @Override
          public void onFact(Fact fact, int shard, long appendedAtEpochMs) {
            fold.onFact(fact, shard, appendedAtEpochMs);
          }

          @Override
          public void onDispatch(BatchDispatched dispatch, int shard, long appendedAtEpochMs) {
            fold.onDispatch(dispatch, shard, appendedAtEpochMs);
          }

          @Override
          public void onOutcome(Outcome outcome, int shard, long appendedAtEpochMs) {
            fold.onOutcome(outcome, shard, appendedAtEpochMs);
          }
        };
    var end =
        Simulation.run(
            simulated.settings(),
            new SimulatedTimes(simulated.times(), experiment.lanes().count()),
            new ListedRequests(simulated.requests(), experiment),
            new SimulatedLog(begun, experiment.lanes().emulated(), reader));
    fold.onRunRecord(
        new RunEnded("run", end.jobs(), end.tailLimitReached(), false, end.endedAtNs(), null, 0L),
        SimulatedLog.TIME_ZERO_EPOCH_MS + end.endedAtNs() / 1_000_000);
    return fold.rows(
        new RunContext(
            experiment,
            "run",
            environment.notes(),
            environment.versions(),
            /* begunAtEpochMs= */ null,
            /* simulated= */ true,
            environment.origin().at(java.time.Instant.EPOCH, java.time.Instant.EPOCH)));
  }

  private static long tries() {
    String tries = System.getProperty("sluice.tries", "few");
    return tries.matches("\\d+") ? Long.parseLong(tries) : tries.equals("full") ? FULL : QUICK;
  }
}
