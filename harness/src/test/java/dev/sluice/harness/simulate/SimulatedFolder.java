package dev.sluice.harness.simulate;

import dev.sluice.analytics.folder.FolderFiles;
import dev.sluice.analytics.log.RunRecording;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.harness.frame.Environment;
import dev.sluice.harness.frame.LogHeaders;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.role.AnalyzeRole;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Folders of simulated runs for tests: all that {@code check} reads, without pictures. */
public final class SimulatedFolder {
  private SimulatedFolder() {}

  /** Simulates an experiment, and leaves its folder with its log. */
  public static void write(Path config, Path folder) throws Exception {
    ParsedExperiment parsed = ExperimentFile.read(config, List.of(), Registries.vocabulary());
    SimulatedExperiment experiment = SimulatedExperiment.of(parsed, null);
    Environment environment = experiment.environment();
    String runId = String.valueOf(folder.getFileName());
    Files.createDirectories(folder);
    var recording =
        new RunRecording(
            folder.resolve(FolderFiles.LOG),
            LogHeaders.of(parsed.experiment(), runId, experiment.started(runId)));
    try (recording) {
      var report = experiment.simulate(runId, environment, recording, true).report();
      report.writeRows(folder);
      report.writeSummary(folder);
      AnalyzeRole.writeConfig(parsed, report, environment, experiment.requests().digest(), folder);
    }
  }
}
