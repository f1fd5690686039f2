package dev.sluice.harness.run;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.Topics;
import dev.sluice.harness.frame.DiskSpace;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.kafka.EmbeddedBroker;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.kafka.Opened;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.LogFile;
import dev.sluice.harness.process.News;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.harness.process.Secrets;
import dev.sluice.harness.process.Signals;
import dev.sluice.harness.role.Host;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The host of a run in this process, around any kind of load, with its Kafka and its log file. */
public final class RunShell extends Host implements AutoCloseable {
  final RunFolder folder;
  final @Nullable KafkaAccess external;
  private final Runnable onEarlyStop;
  private final LogFile log;
  private final Signals signals;

  /** Start of an embedded Kafka; null before it, and if the run has none. Used by one thread. */
  private @Nullable CompletableFuture<KafkaAccess> starting;

  private volatile long kafkaStartTookNs;

  /**
   * Opens the run's log file and listens to signals; without an external Kafka it starts one.
   *
   * @param child true if another process of Sluice started this one, and ends it
   * @param onEarlyStop called on a wish to stop while there is no load that {@link #onStop} ends
   */
  public RunShell(
      RunFolder folder,
      @Nullable KafkaAccess external,
      Console console,
      boolean child,
      Runnable onEarlyStop) {
    super("run", console);
    this.folder = folder;
    this.external = external;
    this.onEarlyStop = onEarlyStop;
    this.log = LogFile.open(folder.log(), external == null ? Secrets.NONE : external.secrets());
    this.signals = Signals.listen(child, this::stop, folder::abandon);
  }

  @Override
  public Path temporary() {
    return folder.temporary();
  }

  @Override
  protected void stopBeforeLoad() {
    onEarlyStop.run();
  }

  /** Waits until a Kafka that runs already answers. An embedded one has not started yet. */
  public void awaitExternal() throws UserMistakeException, InterruptedException {
    if (external != null) {
      external.awaitAnswer();
    }
  }

  /** Says why, and marks the folder as failed, when an embedded Kafka ends this process at once. */
  public void mindHalts(DiskSpace disk) {
    EmbeddedBroker.beforeHalt(
        () -> {
          if (disk.isFull()) {
            disk.sayFull();
          } else {
            News.error(
                "sluice: error: the run failed: its embedded Kafka cannot go on.\n"
                    + "  Maybe its log says more: "
                    + folder.failedPath().resolve("run.log"));
          }
          folder.failAtOnce();
        });
  }

  /**
   * Begins to start an embedded Kafka on a thread of its own, unless the run has one that runs
   * already. It is closed with the run, whether anybody has waited for it or not.
   */
  void beginKafka() {
    if (external != null || starting != null) {
      return;
    }
    long begunNs = MachineClock.monotonicNs();
    var opened = new Opened();
    var started = new CompletableFuture<KafkaAccess>();
    var thread =
        new Thread(
            () -> {
              try {
                KafkaAccess access = KafkaAccess.startEmbedded(opened, folder.temporary());
                kafkaStartTookNs = MachineClock.monotonicNs() - begunNs;
                started.complete(access);
              } catch (RoleFailedException | InterruptedException | RuntimeException | Error e) {
                started.completeExceptionally(e);
              }
            },
            "sluice-kafka-start");
    thread.setDaemon(true);
    thread.start();
    starting = started;
    add(
        () -> {
          var unused = started.handle((kafka, failure) -> kafka).join(); // also if interrupted
          opened.close();
        });
  }

  /** Time that the start of an embedded Kafka took, once {@link #startKafka} has returned. */
  Duration kafkaStartTook() {
    return Duration.ofNanos(kafkaStartTookNs);
  }

  public KafkaAccess startKafka() throws RoleFailedException, InterruptedException {
    beginKafka();
    try {
      return starting == null ? Objects.requireNonNull(external) : starting.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RoleFailedException failed) {
        throw failed;
      }
      throw new IllegalStateException("the embedded broker's start failed", e.getCause());
    }
  }

  /**
   * Removes the run's topics from a Kafka that ran already. An embedded one goes with its topics.
   */
  public void removeTopics(Topics topics, Consumer<String> said) throws InterruptedException {
    if (external != null) {
      external.removeTopicsOrSay(topics, said);
    }
  }

  public int exitStatus(int status) {
    return signals.received() ? signals.exitStatus() : status;
  }

  @Override
  public void close() {
    closeParts();
    signals.close();
    log.close();
  }
}
