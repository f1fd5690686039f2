package dev.sluice.harness.run;

import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.kafka.Opened;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.RoleFailedException;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * An embedded Kafka that starts on a thread of its own, while the run prepares what needs none.
 * Closing it waits for the start and then stops Kafka, whether anybody has waited for it or not.
 */
final class StartingKafka implements AutoCloseable {
  private final Opened opened = new Opened();
  private final FutureTask<Started> starting;
  private final Thread thread;

  /**
   * A Kafka that has started.
   *
   * @param tookNs how long its start took
   */
  record Started(KafkaAccess access, long tookNs) {}

  /**
   * Begins to start.
   *
   * @param folder temporary folder of the run
   */
  StartingKafka(Path folder) {
    starting =
        new FutureTask<>(
            () -> {
              long begunNs = MachineClock.monotonicNs();
              KafkaAccess access = KafkaAccess.startEmbedded(opened, folder);
              return new Started(access, MachineClock.monotonicNs() - begunNs);
            });
    thread = new Thread(starting, "sluice-kafka-start");
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Waits until it has started.
   *
   * @throws RoleFailedException if it did not start
   */
  Started await() throws RoleFailedException, InterruptedException {
    try {
      return starting.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RoleFailedException failed) {
        throw failed;
      }
      throw new IllegalStateException("the embedded broker's start failed", e.getCause());
    }
  }

  @Override
  public void close() {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true; // a broker must not be left behind
      }
    }
    opened.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
