package dev.sluice.executor.dispatch;

import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.Pacer;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.log.Topics;
import dev.sluice.executor.lane.Device;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.executor.lane.Lane;
import dev.sluice.executor.lane.WarmedLanes;
import dev.sluice.executor.lane.WarmedLanes.WarmUpException;
import dev.sluice.executor.lane.WarmedLanes.WarmUpProgress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An executor: takes its shard's dispatches, runs them on its lanes, and reports the outcome of
 * each. {@link #awaitWarm} makes it ready; it works from {@link #join} to {@link #close}.
 *
 * <p>A dispatch is refused as {@code older_incarnation} if it is for an earlier start of this
 * executor, {@code unsupported} if its lanes do not exist or are not neighbours, or no lane can run
 * its model, {@code too_late} after its notAfterNs, {@code busy} if one of its lanes holds as many
 * dispatches as it can: the one that runs, and those that it may hold ahead. If several dispatches
 * have one id, only the first counts. An executor answers each dispatch that it takes exactly once,
 * unless the executor fails or the lane hangs.
 *
 * <p>A job's input is made on its lane's thread, after the previous batch has ended and before the
 * service time begins. Lanes therefore do not wait for each other's inputs, the time to make an
 * input counts as waiting, and no inference shares a core with that work. A lane that may hold a
 * batch ahead leaves the completion of each batch to another thread, so that two batches are
 * separated only by the making of inputs.
 *
 * <p>If a dispatch takes several lanes, all of them hold its model before the first lane runs it,
 * and all stay taken until the first lane has finished. The time for loading models counts as
 * switch time and is not part of the service time.
 *
 * <p>The broker may be away for a minute: completions are kept and then delivered in order.
 */
public final class Executor implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Executor.class);

  /** Longest wait on closing for completions that have not been appended yet. */
  private static final Duration CLOSE_MAX = Duration.ofSeconds(10);

  final ExecutorSettings settings;
  final ProcessClock clock;

  /** The way in which a lane waits for the time before which a batch does not begin. */
  final Pacer pacer;

  final Device device;
  final WarmedLanes warmed;
  final Reports reports;
  final Completions completions;
  private final String deviceKind;
  private boolean closed;
  private @Nullable Joined joined;
  private @Nullable Thread reader;

  /** Appends the completions of lanes that hold batches ahead; null: no lane does. */
  private @Nullable ExecutorService completing;

  /**
   * What the threads of an executor that has joined a log work with.
   *
   * @param completing runs the work that follows a batch: on the lane's own thread, or on another
   *     thread if lanes hold batches ahead. Either way batches are handled one after the other, so
   *     each lane's completions keep their order
   */
  record Joined(
      Executor executor,
      LaneFaults faults,
      Topics topics,
      ExecutorLog log,
      Consumer<Runnable> completing,
      Ending ending) {}

  /** Faults that a test inflicts on lanes; {@link #NONE} everywhere else. */
  @FunctionalInterface
  public interface LaneFaults {
    LaneFaults NONE = lane -> {};

    /**
     * Inflicts a fault. Called on a lane's thread within the service time of each batch, before its
     * inference. A call that does not return makes the lane hang; a call that throws fails the
     * batch.
     *
     * @param lane index within its executor
     */
    void beforeInference(int lane);
  }

  /**
   * Counts of an executor's work since it joined and of the dispatches that its lanes hold, for a
   * person or a gauge that looks from time to time.
   *
   * @param lanesBusy number of lanes that hold at least one dispatch
   * @param held number of dispatches that lanes hold, running or waiting
   * @param done number of batches that ended without a failure
   * @param refusedByCause number of refused dispatches by the cause that their completion names,
   *     which is the text of a {@link dev.sluice.contract.value.Reason}
   * @param serviceNsSum total service time of batches done and failed
   */
  public record ExecutorNumbers(
      int lanes,
      int lanesBusy,
      int held,
      long done,
      long failed,
      Map<String, Long> refusedByCause,
      long serviceNsSum) {
    public ExecutorNumbers {
      refusedByCause = Map.copyOf(refusedByCause);
    }

    public static ExecutorNumbers sum(Stream<ExecutorNumbers> all) {
      return all.reduce(new ExecutorNumbers(0, 0, 0, 0, 0, Map.of(), 0), ExecutorNumbers::plus);
    }

    private ExecutorNumbers plus(ExecutorNumbers other) {
      Map<String, Long> refused = new HashMap<>(refusedByCause);
      other.refusedByCause.forEach((cause, count) -> refused.merge(cause, count, Long::sum));
      return new ExecutorNumbers(
          lanes + other.lanes,
          lanesBusy + other.lanesBusy,
          held + other.held,
          done + other.done,
          failed + other.failed,
          refused,
          serviceNsSum + other.serviceNsSum);
    }
  }

  /**
   * Starts the lanes' threads, and returns while they run their models for the first time.
   *
   * @throws WarmUpException if the first lane cannot be opened; nothing stays open
   */
  public Executor(
      ExecutorSettings settings,
      LaneBackend backend,
      ProcessClock clock,
      Pacer pacer,
      WarmUpProgress progress)
      throws WarmUpException, InterruptedException {
    this.settings = settings;
    this.deviceKind = backend.deviceKind();
    this.clock = clock;
    this.pacer = pacer;
    this.device = backend.factory().open(settings, clock, pacer);
    this.warmed = WarmedLanes.begin(settings, device, progress);
    this.completions = new Completions(settings);
    this.reports = new Reports(settings, deviceKind, warmed);
  }

  /** Returns when the lanes are idle, until {@link #awaitWarm}. A failure leaves nothing open. */
  public synchronized void awaitFirstRuns() throws WarmUpException, InterruptedException {
    warmed.awaitFirstRuns();
  }

  /** Nothing else should work meanwhile. A failure leaves nothing open. */
  public synchronized Executor awaitWarm() throws WarmUpException, InterruptedException {
    warmed.await();
    return this;
  }

  /** {@link #awaitWarm} must have returned. */
  public List<Capability> capabilities() {
    return warmed.capabilities();
  }

  /** Returns the processor cores that one busy lane used at warm-up; null on emulated lanes. */
  public @Nullable Double cpuPerLane() {
    return warmed.cpuPerLane();
  }

  public List<String> warnings() {
    return warmed.warnings();
  }

  public String deviceKind() {
    return deviceKind;
  }

  /** Publishes a table to the shard, after the executor's first report. From any thread. */
  public void publish(PredictionsPublished table) {
    reports.publish(table);
  }

  /** Adds processor time that fitting a latency model took, for the next reports. */
  public void addFitCpuNs(long cpuNs) {
    reports.addFitCpuNs(cpuNs);
  }

  /** From any thread. */
  public ExecutorNumbers numbers() {
    return completions.numbers(warmed.lanes());
  }

  /**
   * Begins to report to the shard and to take its dispatches, on a thread of its own.
   *
   * @param onFailure called once, from any thread, when the executor cannot go on; {@link #close}
   *     must then be called, but not from within this callback
   * @throws org.apache.kafka.common.KafkaException if the broker or a topic is out of reach
   */
  public void join(
      Topics topics, LogClients kafka, LaneFaults faults, Consumer<Throwable> onFailure) {
    join(
        topics,
        logFailure -> new KafkaExecutorLog(topics, settings.shard(), kafka, clock, logFailure),
        faults,
        onFailure);
  }

  synchronized void join(
      Topics topics,
      Function<Consumer<Throwable>, ExecutorLog> opening,
      LaneFaults faults,
      Consumer<Throwable> onFailure) {
    if (joined != null || closed) {
      throw new IllegalStateException("an executor can join only once");
    }
    if (!warmed.areAllWarm()) {
      throw new IllegalStateException("its lanes are not all warm yet");
    }
    var ending = new Ending(settings.executorId(), onFailure);
    ExecutorLog log = opening.apply(ending::fail);
    Consumer<Runnable> completer = Runnable::run;
    if (settings.ahead() > 0) {
      var thread =
          Executors.newSingleThreadExecutor(
              task -> Lane.daemon(task, settings.executorId() + "-completions"));
      completing = thread;
      completer = thread::execute;
    }
    joined = new Joined(this, faults, topics, log, completer, ending);
    reader = Lane.daemon(new DispatchReader(joined), settings.executorId() + "-reader");
    reader.start();
  }

  /**
   * Takes no more dispatches, lets the lanes finish the batches that they hold, sends a last
   * report, and closes the sessions; the models may be closed afterwards. A second call does
   * nothing.
   *
   * <p>A lane whose batch is overdue may hang and is left behind: its thread, its sessions and its
   * dispatches stay, and the last report names those dispatches. Loaded models then refuse to be
   * closed.
   */
  @Override
  public synchronized void close() {
    if (closed || warmed.areClosed()) {
      return;
    }
    closed = true;
    if (joined != null && reader != null) {
      joined.ending().begin();
      joined.log().wakeUp();
      awaitEnd(reader);
    }
    warmed.lanes().forEach(Lane::beginToClose);
    for (Lane lane : warmed.lanes()) {
      if (!lane.awaitEnd(() -> lane.overdue(clock.monotonicNs()))) {
        LOG.warn(
            "lane {} of {} is left behind: it has not ended {}",
            lane.index(),
            settings.executorId(),
            lane.holds());
      }
    }
    device.close();
    if (joined != null) {
      leave(joined);
    }
  }

  /** Waits through interrupts, and leaves this thread interrupted if there was one. */
  private static void awaitEnd(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void leave(Joined joined) {
    if (completing != null) {
      completing.shutdown();
      try {
        if (!completing.awaitTermination(CLOSE_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
          LOG.warn("{} could not append all its completions", settings.executorId());
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    try (ExecutorLog log = joined.log()) {
      if (!joined.ending().hasFailed()) {
        reports.append(true, log);
      }
    } catch (RuntimeException e) {
      joined.ending().fail(e);
    }
  }

  /** How an executor's work on the log ends: its owner closes it, or it fails. From any thread. */
  static final class Ending {
    private static final Logger LOG = LoggerFactory.getLogger(Ending.class);

    private final String executorId;
    private final Consumer<Throwable> onFailure;
    private final AtomicBoolean failed = new AtomicBoolean();
    private volatile boolean begun;

    /**
     * @param onFailure receives the first failure alone, on the thread where it occurred
     */
    Ending(String executorId, Consumer<Throwable> onFailure) {
      this.executorId = executorId;
      this.onFailure = onFailure;
    }

    void begin() {
      begun = true;
    }

    void fail(Throwable failure) {
      begun = true;
      if (failed.compareAndSet(false, true)) {
        LOG.error("{} cannot continue", executorId, failure);
        onFailure.accept(failure);
      }
    }

    boolean hasBegun() {
      return begun;
    }

    boolean hasFailed() {
      return failed.get();
    }
  }
}
