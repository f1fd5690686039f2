package dev.sluice.harness.run;

import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExperimentFiles;
import dev.sluice.harness.frame.LiveExperiment;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.frame.SluiceVersion;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.serve.LivePage;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** One experiment from its file to its finished folder, in whatever processes its roles are. */
abstract class WholeRun {
  final RunSettings options;
  final Console console;

  /** Text of the finished run's summary.json; null: there is none. */
  @Nullable String summaryJson;

  private final boolean processes;

  /** With processes, each role has one of its own. */
  WholeRun(RunSettings options, boolean processes, Console console) {
    this.options = options;
    this.processes = processes;
    this.console = console;
  }

  public final int execute() throws UserMistakeException, IOException, InterruptedException {
    ParsedExperiment parsed = options.read(processes);
    KafkaAccess external = options.externalKafka(parsed);
    String runId = options.runIdFor(parsed.experiment());
    int status;
    try (var page = LivePage.open(options.watching().live(), runId)) {
      status = run(parsed, external, runId, page);
      page.ended(summaryJson);
    }
    console.result(summaryJson);
    return status;
  }

  /**
   * Runs the experiment, sets {@link #summaryJson}, and returns the exit status; without an
   * external Kafka it starts one.
   */
  abstract int run(
      ParsedExperiment parsed, @Nullable KafkaAccess external, String runId, LivePage page)
      throws UserMistakeException, IOException, InterruptedException;

  /** Leaves a person's note in the run's folder, and prints the first lines. */
  final void begin(Path folder, String runId, ParsedExperiment parsed, LivePage page)
      throws UserMistakeException, IOException {
    RunFolder.writeNote(folder, options.output().note());
    announce(runId, parsed, console);
    LiveExperiment.warnOfFewProcessors(parsed, parsed.experiment().kafka().shards(), console);
    page.say(console);
  }

  /** Prints the first lines of any run or simulation. */
  public static void announce(String runId, ParsedExperiment parsed, Console console)
      throws UserMistakeException {
    console.step("Sluice " + SluiceVersion.current() + ", run " + runId);
    parsed.warnings().forEach(console::line);
    ExperimentFiles.changed(parsed).forEach(console::line);
  }
}
