package dev.sluice.harness.run;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.Topics;
import dev.sluice.harness.frame.DiskNeed;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.kafka.EmbeddedBroker;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.kafka.Opened;
import dev.sluice.harness.process.LogFile;
import dev.sluice.harness.process.News;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.harness.process.Secrets;
import dev.sluice.harness.process.Signals;
import dev.sluice.harness.process.StoppedException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shell of a run in this process, around any kind of load: its Kafka and its topics, its log
 * file, the parts that it has opened, a person's wish to stop, and the first failure of a part.
 * Parts are closed in the opposite order of their opening, however the run ends.
 */
public final class RunShell implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RunShell.class);
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);

  private final RunFolder folder;
  private final @Nullable KafkaAccess external;
  private final LogFile log;
  private final Signals signals;
  private final Opened opened = new Opened();
  private final CompletableFuture<Throwable> failure = new CompletableFuture<>();
  private volatile boolean stopRequested;

  /** Start of an embedded Kafka; null before it, and if the run has none. Used by one thread. */
  private @Nullable StartingKafka starting;

  /** Source of wishes to stop: the first wish, and the wish to stop at once. */
  @FunctionalInterface
  public interface Listening {
    Signals listen(Runnable onFirst, Runnable onSecond);
  }

  /**
   * Opens the run's log file and listens to signals.
   *
   * @param external access to a Kafka that runs already; null: the run starts an embedded one
   * @param onStop called once on a wish to stop, after {@link #stopRequested} is true
   */
  public RunShell(
      RunFolder folder, @Nullable KafkaAccess external, Listening listening, Runnable onStop) {
    this.folder = folder;
    this.external = external;
    this.log = LogFile.open(folder.log(), external == null ? Secrets.NONE : external.secrets());
    this.signals =
        listening.listen(
            () -> {
              stopRequested = true;
              onStop.run();
            },
            folder::abandon);
  }

  /** Adds a part, which is closed with the shell. */
  public <T extends AutoCloseable> T add(T part) {
    return opened.add(part);
  }

  /** Closes all parts; a part added later is closed with the shell. */
  public void closeParts() {
    opened.close();
  }

  /** Waits until a Kafka that runs already answers. An embedded one has not started yet. */
  public void awaitExternal() throws UserMistakeException, InterruptedException {
    if (external != null) {
      external.awaitAnswer(ANSWER_LIMIT, () -> {}, () -> false);
    }
  }

  /** True if the run's Kafka still answers. */
  static boolean answers(KafkaAccess kafka) throws InterruptedException {
    try {
      return kafka.awaitAnswer(ANSWER_LIMIT, () -> {}, () -> false);
    } catch (UserMistakeException e) {
      return false;
    }
  }

  /**
   * Says why, and marks the run's folder as failed, when an embedded Kafka ends this process at
   * once.
   *
   * @param disk what is said where the disk is full
   */
  public void mindHalts(DiskNeed disk) {
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

  /** Begins to start an embedded Kafka, unless the run has one that runs already. */
  void beginKafka() {
    if (external == null && starting == null) {
      starting = opened.add(new StartingKafka(folder.temporary()));
    }
  }

  /** Returns the Kafka that runs already, or starts an embedded one and waits for it. */
  public KafkaAccess startKafka() throws RoleFailedException, InterruptedException {
    beginKafka();
    return starting == null ? Objects.requireNonNull(external) : starting.await().access();
  }

  /** Returns how long the start of the embedded Kafka took, once it has started. */
  Duration kafkaStartTook() throws RoleFailedException, InterruptedException {
    return starting == null ? Duration.ZERO : Duration.ofNanos(starting.await().tookNs());
  }

  /**
   * Removes the run's topics from a Kafka that ran already. An embedded one goes with its topics.
   *
   * @param said called with a line if topics stay behind
   */
  public void removeTopics(Topics topics, Consumer<String> said) throws InterruptedException {
    if (external != null) {
      external.removeTopicsOrSay(topics, said);
    }
  }

  /**
   * Tells of a part of the run that cannot go on. Called from any thread; the first failure counts.
   */
  public void fail(Throwable cause) {
    LOG.error("a role failed", cause);
    failure.complete(cause);
  }

  /** The first failure of a part. */
  CompletableFuture<Throwable> failure() {
    return failure;
  }

  /** Throws if a part has failed. */
  public void failIfFailed() throws RoleFailedException {
    Throwable cause = failure.getNow(null);
    if (cause != null) {
      throw new RoleFailedException(String.valueOf(cause.getMessage()), cause);
    }
  }

  /** True if a person wants the run to end. */
  public boolean stopRequested() {
    return stopRequested;
  }

  /**
   * Throws if a person wants the run to end. Called between the steps of the start, since an
   * interrupt would hit the libraries while they load.
   */
  void heedAWishToStop() throws StoppedException {
    if (stopRequested) {
      throw new StoppedException();
    }
  }

  /** The given exit status, or the status of the signal that ended the run. */
  public int exitStatus(int status) {
    return signals.received() ? signals.exitStatus() : status;
  }

  @Override
  public void close() {
    opened.close();
    signals.close();
    log.close();
  }
}
