package dev.sluice.harness.role;

import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.LogClients;
import dev.sluice.harness.frame.RunFrame;
import dev.sluice.harness.terminal.Console;
import dev.sluice.producer.generator.EndOfArrivals;
import dev.sluice.producer.generator.GeneratorListener;
import dev.sluice.producer.generator.GeneratorNumbers;
import dev.sluice.producer.generator.GeneratorSettings;
import dev.sluice.producer.generator.JobGenerators;
import dev.sluice.producer.generator.RunFailedException;
import dev.sluice.producer.requests.RequestList;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The generators: they begin the run, send its jobs, and end it. */
public final class ProduceRole {
  private static final Logger LOG = LoggerFactory.getLogger(ProduceRole.class);
  private static final Duration DRAIN_LIMIT = Duration.ofMinutes(2);

  private final JobGenerators generators;

  /**
   * @param lanesLimit limit of the wait for lanes
   */
  public ProduceRole(RunFrame frame, RequestList requests, LogClients kafka, Duration lanesLimit) {
    generators =
        new JobGenerators(
            new GeneratorSettings(
                frame.experiment(),
                requests,
                frame.runId(),
                frame.configDigest(),
                frame.topics(),
                new GeneratorSettings.TimeLimits(lanesLimit, DRAIN_LIMIT)),
            kafka,
            frame.clock(),
            frame.pacer(),
            new Listener(frame.console()));
  }

  /**
   * Runs from waiting for lanes to the run's end.
   *
   * @param resume true to go on with a run that has begun
   * @return the run's end; empty if the generators were stopped before the run began
   * @throws RunFailedException if the run failed, which its log says then
   */
  public Optional<RunEnded> run(boolean resume)
      throws RunFailedException, UserMistakeException, InterruptedException {
    return resume ? generators.resume() : generators.run();
  }

  /** Ends the arrivals early; {@link #run} returns once the running jobs have ended. */
  public void stop() {
    generators.stop();
  }

  /** Numbers of what the generators have sent. */
  public GeneratorNumbers numbers() {
    return generators.numbers();
  }

  private record Listener(Console console) implements GeneratorListener {
    @Override
    public void waitingForLanes(List<String> missing) {
      console.line("waiting for lanes: " + String.join("; ", missing));
    }

    @Override
    public void runStarted(long timeZeroEpochMs) {
      LOG.info("time zero is {} ms since 1970", timeZeroEpochMs);
    }

    @Override
    public void arrivalsEnding(EndOfArrivals reason) {
      LOG.info("arrivals end: {}", reason);
    }

    @Override
    public void runEnded(RunEnded ended) {
      LOG.info("{}", ended);
    }
  }
}
