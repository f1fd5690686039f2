package dev.sluice.harness.serve;

import dev.sluice.contract.event.RunSummarized;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.machine.Console;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The page of a run in the process that runs it. It does not keep the process: the last frame
 * carries the summary, and the page holds what it has.
 */
public final class LivePage implements AutoCloseable {
  private static final Duration LAST_FRAMES_LIMIT = Duration.ofSeconds(2);

  @FunctionalInterface
  public interface Reading extends AutoCloseable {
    @Override
    void close() throws InterruptedException;
  }

  private final @Nullable LiveRun run;
  private final @Nullable PageServer server;

  private LivePage(@Nullable LiveRun run, @Nullable PageServer server) {
    this.run = run;
    this.server = server;
  }

  /**
   * Begins to answer, before there is anything to show; where the address is null, nothing happens.
   */
  public static LivePage open(@Nullable PageAddress address, String runId)
      throws UserMistakeException {
    if (address == null) {
      return new LivePage(null, null);
    }
    var run = new LiveRun(runId);
    return new LivePage(run, PageServer.start(address, run));
  }

  public void addTo(RoleMetrics metrics) {
    if (server != null) {
      server.addTo(metrics);
    }
  }

  public void say(Console console) {
    if (server != null) {
      server.say(console);
    }
  }

  /**
   * Begins to read the run's topics: to their end when closed, while the broker must still answer.
   */
  public Reading read(KafkaAccess kafka) {
    return run == null ? () -> {} : run.read(kafka, () -> null)::drain;
  }

  /** The run is over; summary.json is null where there is none. */
  public void ended(@Nullable String summaryJson) {
    if (run != null) {
      run.ended(
          new RunSummarized(
              run.id, summaryJson, summaryJson == null ? "the run left no summary" : null));
    }
  }

  /** Sends the last frames to the pages that read, and stops answering. */
  @Override
  public void close() throws InterruptedException {
    if (server != null) {
      ended(null);
      server.streams.awaitNone(LAST_FRAMES_LIMIT);
      server.close();
    }
  }
}
