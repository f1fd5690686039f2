package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.replay.ExplainRun;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "explain",
    description = {
      "Tells why one job of a run waited, who overtook it, and what its batches took.",
      "Makes the run's decisions again from its log; each millisecond of the job's life is named"
          + " once. Without a log, tells what the run's tables hold."
    },
    exitCodeList = {"0:the job is explained", "1:a bug", "2:a mistake in the command or in a file"},
    footer = "  ./sluice explain results/quickstart job-17")
final class ExplainCommand implements Callable<Integer> {
  @Parameters(
      index = "0",
      paramLabel = "RUN|FILE",
      description = "Folder of a finished run, or a recording of its log.")
  private Path subject = Path.of("");

  @Parameters(
      index = "1",
      paramLabel = "JOB",
      description = "Id of the job, as in trace.csv; a workflow's job is called REQUEST/NODE.")
  private String jobId = "";

  @Option(
      names = "--salvage",
      description = "Takes the whole lines of a recording that was cut short.")
  private boolean salvage;

  @Option(names = "--json", description = "Prints JSON, with times in nanoseconds.")
  private boolean json;

  @Override
  public Integer call() throws UserMistakeException {
    return new ExplainRun(subject, jobId, salvage, json).execute();
  }
}
