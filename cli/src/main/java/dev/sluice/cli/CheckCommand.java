package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.report.CheckRun;
import dev.sluice.harness.workflow.ExecutionLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "check",
    description = {
      "Proves that a schedule is legal, or names each fault with its rule, rows and values.",
      "Reads a run's folder, live or simulated, or a log of executions on GPUs. The check shares no"
          + " code with what made the schedule."
    },
    exitCodeList = {
      "0:no fault",
      "1:a bug",
      "2:a mistake in the command or in a file",
      "5:there are faults"
    },
    footer = {
      "  ./sluice check results/quickstart-20261121-101500",
      "  ./sluice check baseline_execution_log.json --system system_config.yaml"
          + " --requests workflow_requests.yaml"
    })
final class CheckCommand implements Callable<Integer> {
  @Parameters(
      arity = "0..1",
      paramLabel = "LOG|RUN",
      description = "A run's folder, or an execution log (default: ./baseline_execution_log.json).")
  private Path subject = Path.of(ExecutionLog.NAME);

  @Option(
      names = {"--system", "--config"},
      paramLabel = "FILE",
      description = "File of the log's models and workflows (YAML or JSON).")
  private @Nullable Path system;

  @Option(
      names = "--requests",
      paramLabel = "FILE",
      description = "File of the log's requests (YAML or JSON).")
  private @Nullable Path requests;

  @Option(names = "--quiet", description = "Prints one line: passed, or the number of faults.")
  private boolean quiet;

  @Option(
      names = "--save-report",
      description = "Writes the report, with more of the faults, beside LOG or into RUN.")
  private boolean saveReport;

  @Option(names = "--json", description = "Prints the report as JSON.")
  private boolean json;

  @Override
  public Integer call() throws UserMistakeException, IOException {
    if ((system == null) != (requests == null)) {
      throw new UserMistakeException(
          system == null ? "--requests" : "--system",
          "the option needs " + (system == null ? "--system" : "--requests") + " too",
          "you want to give both files, or neither");
    }
    return new CheckRun(subject, system, requests, quiet, saveReport, json).execute();
  }
}
