package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.planning.pipeline.StageProcess;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./sluice stage}: a stage of a plan as a process; {@code plan --execute} starts it. */
@Command(
    name = "stage",
    hidden = true,
    description = "Computes layers of a model for a plan that runs here.")
public final class StageCommand implements Callable<Integer> {
  @Option(names = "--model", required = true, paramLabel = "NAME")
  private String model = "";

  @Option(names = "--first", required = true, paramLabel = "LAYER")
  private int firstLayer;

  @Option(names = "--last", required = true, paramLabel = "LAYER")
  private int lastLayer;

  @Option(names = "--samples", required = true, paramLabel = "N")
  private int samples;

  @Option(names = "--buffers-in", required = true, paramLabel = "N")
  private int buffersIn;

  @Option(names = "--buffers-out", required = true, paramLabel = "N")
  private int buffersOut;

  @Option(names = "--bits-per-second", required = true, paramLabel = "N")
  private double bitsPerSecond;

  @Option(names = "--child", hidden = true, description = "Started by Sluice.")
  private boolean child;

  @Override
  public Integer call() throws Exception {
    UserMistakeException.throwIf(
        !child, "stage", "a stage is started by a plan", "you want ./sluice plan with --execute");
    return new StageProcess(
            new StageProcess.Options(
                model, firstLayer, lastLayer, samples, buffersIn, buffersOut, bitsPerSecond))
        .execute();
  }
}
