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
  /** Time for the last frames to leave this process. */
  private static final Duration LAST_FRAMES_LIMIT = Duration.ofSeconds(2);

  /** A reading of the run's topics, which ends with them. */
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
   * Begins to answer, before there is anything to show.
   *
   * @param address null: no page is wanted, and nothing happens
   * @throws UserMistakeException if the address or the port cannot be had
   */
  public static LivePage open(@Nullable PageAddress address, String runId)
      throws UserMistakeException {
    if (address == null) {
      return new LivePage(null, null);
    }
    var run = new LiveRun(runId);
    return new LivePage(run, PageServer.start(address, run));
  }

  /** Adds the page's meters, if there is a page. */
  public void addTo(RoleMetrics metrics) {
    if (server != null) {
      server.addTo(metrics);
    }
  }

  /** Prints the page's address, if there is a page. */
  public void say(Console console) {
    if (server != null) {
      server.say(console);
    }
  }

  /**
   * Begins to read the run's topics.
   *
   * @return part that reads them to their end when it is closed; the broker must still answer then
   */
  public Reading read(KafkaAccess kafka) {
    return run == null ? () -> {} : run.read(kafka, () -> null)::drain;
  }

  /**
   * The run is over.
   *
   * @param summaryJson text of summary.json; null: there is none
   */
  public void ended(@Nullable String summaryJson) {
    if (run != null) {
      run.ended(
          new RunSummarized(
              run.id(), summaryJson, summaryJson == null ? "the run left no summary" : null));
    }
  }

  /** Sends the last frames to the pages that read, and stops answering. */
  @Override
  public void close() throws InterruptedException {
    if (server != null) {
      ended(null);
      server.streams().awaitNone(LAST_FRAMES_LIMIT);
      server.close();
    }
  }
}
