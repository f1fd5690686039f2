package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.fold.RunContext;
import dev.sluice.analytics.fold.RunFold;
import dev.sluice.analytics.report.RunReport;
import dev.sluice.analytics.row.Origin;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ResolvedConfig;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.role.Conclusion;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The folder of a run without jobs, in which report.html cannot be written. */
final class UnwritableReportTest {
  @TempDir private Path folder;

  @Test
  void leavesTheRunWhole_andSaysIt() throws Exception {
    Experiment experiment =
        ExperimentFile.read(
                Path.of("..", "configs", "emulated_accelerator.yaml"),
                List.of(),
                Registries.vocabulary())
            .experiment();
    var context =
        new RunContext(experiment, "empty", List.of(), Map.of(), null, false, Origin.UNKNOWN);
    RunReport report = RunReport.of(new RunFold(), context);
    report.write(folder);
    Files.writeString(folder.resolve("config.yaml"), ResolvedConfig.write(experiment));
    var screen = new Screen();
    Conclusion.writePage(report, folder, new Console(screen.stream(), false));
    assertThat(screen.text()).isEmpty();
    assertThat(folder.resolve("report.html")).isNotEmptyFile();

    Files.delete(folder.resolve("report.html"));
    Files.createDirectory(folder.resolve("report.html")); // as unwritable as a full disk
    Conclusion.writePage(report, folder, new Console(screen.stream(), false));
    assertThat(screen.text())
        .contains("warning: report.html could not be written")
        .contains("the run is whole, and ./sluice report FOLDER makes it later");
  }
}
