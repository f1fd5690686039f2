package dev.sluice.harness.role;

import dev.sluice.contract.log.LogClients;
import dev.sluice.harness.frame.RunFrame;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.scheduler.topology.SchedulerStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;

/** A scheduler: takes shards, and decides for them until it is closed. */
public final class ScheduleRole implements AutoCloseable {
  private static final Duration START_LIMIT = Duration.ofSeconds(60);

  private final SchedulerStream stream;

  private ScheduleRole(SchedulerStream stream) {
    this.stream = stream;
  }

  /**
   * Starts a scheduler without waiting until it runs.
   *
   * @param instance name under which the scheduler joined the run
   * @param stateFolder folder of Kafka Streams' own files
   */
  public static ScheduleRole start(
      RunFrame frame,
      LogClients kafka,
      String instance,
      Path stateFolder,
      Consumer<Throwable> onFailure)
      throws InterruptedException {
    var stream =
        new SchedulerStream(
            frame.experiment(),
            frame.topics(),
            kafka,
            instance,
            stateFolder,
            frame.clock(),
            onFailure);
    stream.start();
    return new ScheduleRole(stream);
  }

  /** Waits until the scheduler has its shards, or stands by for others. */
  public void awaitRunning() throws RoleFailedException, InterruptedException {
    if (!stream.awaitRunning(START_LIMIT)) {
      throw new RoleFailedException(
          "the scheduler did not start within " + START_LIMIT.toSeconds() + " s", null);
    }
  }

  /** Numbers of what the scheduler has done and holds. */
  public SchedulerStream.Counts counts() {
    return stream.counts();
  }

  @Override
  public void close() {
    stream.close();
  }
}
