package dev.sluice.harness.simulate;

import dev.sluice.analytics.log.RunRecording;
import dev.sluice.analytics.row.FolderFiles;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.harness.frame.Environment;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.role.Conclusion;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Folders of simulated runs for tests: all that {@code check} reads, without pictures. */
public final class SimulatedFolder {
  private SimulatedFolder() {}

  /** Simulates an experiment, and leaves its folder with its log. */
  public static void write(Path config, Path folder) throws Exception {
    SimulatedExperiment experiment = experiment(config);
    ParsedExperiment parsed = experiment.parsed();
    String runId = String.valueOf(folder.getFileName());
    Files.createDirectories(folder);
    var recording =
        new RunRecording(
            folder.resolve(FolderFiles.LOG),
            Conclusion.header(parsed.experiment(), runId, experiment.started(runId)));
    try (recording) {
      write(experiment, folder, recording);
    }
  }

  private static SimulatedExperiment experiment(Path config) throws Exception {
    return SimulatedExperiment.of(
        ExperimentFile.read(config, List.of(), Registries.vocabulary()), null);
  }

  private static void write(SimulatedExperiment experiment, Path folder, RunRecording recording)
      throws Exception {
    Environment environment = experiment.environment();
    String runId = String.valueOf(folder.getFileName());
    var report = experiment.simulate(runId, environment, recording).report();
    report.writeRows(folder);
    report.writeSummary(folder);
    String digest = experiment.requests().digest();
    Conclusion.writeConfig(experiment.parsed(), report, environment, digest, folder);
  }
}
