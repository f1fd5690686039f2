package dev.sluice.executor;

import dev.sluice.contract.BatchCompleted;
import dev.sluice.contract.BatchCompleted.Result;
import dev.sluice.contract.BatchDispatched;
import dev.sluice.contract.DispatchId;
import dev.sluice.contract.EventCodec;
import dev.sluice.contract.ExecutorReported;
import dev.sluice.contract.ExecutorReported.Capability;
import dev.sluice.contract.Pacer;
import dev.sluice.contract.ProcessClock;
import dev.sluice.contract.RunClock;
import dev.sluice.contract.RunStarted;
import dev.sluice.contract.Topics;
import dev.sluice.contract.UnreadableEventException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An executor: takes its shard's dispatches, runs them on its lanes, and reports what became of
 * them. Made warm by {@link #warmUp}, at work from {@link #join} to {@link #close}.
 *
 * <p>A dispatch is refused as {@code older_incarnation} if it is for an earlier start of this
 * executor, {@code unsupported} if it is for more than one lane, for a lane that is not there or
 * for a model that no lane opened, {@code too_late} after its notAfterNs, {@code busy} if its lane
 * holds another. Of several with one id only the first counts.
 *
 * <p>A job's input is made on its lane's thread after the dispatch was taken and before the service
 * time begins: so lanes do not wait for each other's inputs, and the making counts as wait.
 */
public final class Executor implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Executor.class);
  private static final long POLL_NS_MAX = 100_000_000;

  private final ExecutorSettings settings;
  private final String deviceKind;
  private final ProcessClock clock;
  private final Device device;
  private final WarmedLanes warmed;
  private final Set<ModelKey> models;
  private final AtomicBoolean failed = new AtomicBoolean();

  private volatile boolean closing;
  private boolean closed;
  private @Nullable Joined joined;

  private record Joined(ExecutorLog log, Thread reader, Consumer<Throwable> onFailure) {}

  private Executor(
      ExecutorSettings settings,
      String deviceKind,
      ProcessClock clock,
      Device device,
      WarmedLanes warmed) {
    this.settings = settings;
    this.deviceKind = deviceKind;
    this.clock = clock;
    this.device = device;
    this.warmed = warmed;
    this.models = new LinkedHashSet<>(settings.models());
  }

  /**
   * Starts the lanes' threads, opens their sessions and warms them up.
   *
   * @param pacer how emulated lanes wait
   * @param progress told of each step
   * @throws WarmUpException if a lane can not be opened or a model can not run; nothing stays open
   */
  public static Executor warmUp(
      ExecutorSettings settings,
      LaneBackend backend,
      ProcessClock clock,
      Pacer pacer,
      WarmUpProgress progress)
      throws WarmUpException, InterruptedException {
    Device device = backend.open(settings, clock, pacer);
    try {
      var warmed = WarmedLanes.warmUp(settings, device, progress);
      return new Executor(settings, backend.deviceKind(), clock, device, warmed);
    } catch (WarmUpException | InterruptedException | RuntimeException e) {
      device.close();
      throw e;
    }
  }

  /** What each lane can run, with its times when it was warmed up alone. */
  public List<Capability> capabilities() {
    return warmed.capabilities();
  }

  /** Processor cores that one busy lane used at warm-up; null on emulated lanes. */
  public @Nullable Double cpuPerLane() {
    return warmed.cpuPerLane();
  }

  /** What a person should know before the run; often empty. */
  public List<String> warnings() {
    return warmed.warnings();
  }

  /**
   * Begins to report to the shard and to take its dispatches, on a thread of its own.
   *
   * @param kafka client properties, with bootstrap.servers
   * @param onFailure told once, from any thread, when the executor can not go on; {@link #close}
   *     must then be called, but not from within
   * @throws org.apache.kafka.common.KafkaException if the broker or a topic is out of reach
   */
  public void join(Topics topics, Map<String, Object> kafka, Consumer<Throwable> onFailure) {
    join(
        topics,
        logFailure -> KafkaExecutorLog.open(topics, settings.shard(), kafka, clock, logFailure),
        onFailure);
  }

  synchronized void join(
      Topics topics,
      Function<Consumer<Throwable>, ExecutorLog> opening,
      Consumer<Throwable> onFailure) {
    if (joined != null || closed) {
      throw new IllegalStateException("an executor joins once");
    }
    ExecutorLog log = opening.apply(failure -> fail(failure, onFailure));
    var reader =
        new Thread(
            () -> {
              try {
                new Reader(topics, log, onFailure).readUntilClosing();
              } catch (RuntimeException | Error e) {
                fail(e, onFailure);
              }
            },
            settings.executorId() + "-reader");
    reader.setDaemon(true);
    joined = new Joined(log, reader, onFailure);
    reader.start();
  }

  private void fail(Throwable failure, Consumer<Throwable> onFailure) {
    closing = true;
    if (failed.compareAndSet(false, true)) {
      LOG.error("{} can not go on", settings.executorId(), failure);
      onFailure.accept(failure);
    }
  }

  /**
   * Takes no more dispatches, lets the lanes finish what they hold, reports for the last time, and
   * closes the sessions; the models may be closed afterwards. A second call does nothing.
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    closing = true;
    if (joined != null) {
      joined.log().wakeUp();
      awaitEnd(joined.reader());
    }
    warmed.lanes().forEach(Lane::close);
    device.close();
    if (joined != null) {
      try (ExecutorLog log = joined.log()) {
        if (!failed.get()) {
          log.append(report(true, log.clockOffsetNsMax()));
        }
      } catch (RuntimeException e) {
        fail(e, joined.onFailure());
      }
    }
  }

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

  private ExecutorReported report(boolean leaving, long clockOffsetNsMax) {
    var lanes = new ArrayList<ExecutorReported.Lane>();
    for (Lane lane : warmed.lanes()) {
      DispatchId holds = lane.holds();
      lanes.add(
          new ExecutorReported.Lane(lane.index(), holds == null ? List.of() : List.of(holds)));
    }
    return new ExecutorReported(
        settings.executorId(),
        settings.incarnation(),
        leaving,
        deviceKind,
        settings.tokens(),
        lanes,
        warmed.capabilities(),
        clockOffsetNsMax,
        warmed.cpuPerLane());
  }

  /** The reader thread's part: takes dispatches, and reports each heartbeat. */
  private final class Reader {
    private final Topics topics;
    private final ExecutorLog log;
    private final Consumer<Throwable> onFailure;

    /** Dispatches that were read before the run's time zero, which stands in another topic. */
    private final List<BatchDispatched> early = new ArrayList<>();

    private @Nullable RunClock runClock;
    private @Nullable DispatchId highest;

    Reader(Topics topics, ExecutorLog log, Consumer<Throwable> onFailure) {
      this.topics = topics;
      this.log = log;
      this.onFailure = onFailure;
    }

    void readUntilClosing() {
      long heartbeatNs = settings.heartbeatMs() * 1_000_000L;
      long reportDueNs = clock.monotonicNs();
      while (!closing) {
        long nowNs = clock.monotonicNs();
        if (nowNs >= reportDueNs) {
          log.append(report(false, log.clockOffsetNsMax()));
          reportDueNs = nowNs + heartbeatNs;
        }
        long waitNs = Math.max(0, Math.min(POLL_NS_MAX, reportDueNs - clock.monotonicNs()));
        for (var received : log.poll(Duration.ofNanos(waitNs))) {
          take(received);
        }
      }
    }

    private void take(ConsumerRecord<byte[], byte[]> received) {
      byte[] bytes = Objects.requireNonNullElse(received.value(), new byte[0]);
      try {
        if (received.topic().equals(topics.dispatches())) {
          take(EventCodec.DISPATCHES.read(bytes));
        } else if (EventCodec.RUNS.read(bytes) instanceof RunStarted run) {
          begin(run);
        }
      } catch (UnreadableEventException e) {
        LOG.warn(
            "{}-{} at {} is no event",
            received.topic(),
            received.partition(),
            received.offset(),
            e);
        if (received.topic().equals(topics.dispatches())) {
          log.putAside(received, e.getMessage()); // the other topic's are kept by analytics
        }
      }
    }

    private void begin(RunStarted run) {
      runClock = clock.forRun(run.timeZeroEpochMs());
      var waiting = List.copyOf(early);
      early.clear();
      waiting.forEach(this::take);
    }

    private void take(BatchDispatched dispatch) {
      if (runClock == null) {
        early.add(dispatch);
        return;
      }
      if (highest != null && dispatch.dispatchId().compareTo(highest) <= 0) {
        return;
      }
      highest = dispatch.dispatchId();
      if (!dispatch.executorId().equals(settings.executorId())
          || dispatch.incarnation() > settings.incarnation()) {
        return;
      }
      var model = new ModelKey(dispatch.workload(), dispatch.backend(), dispatch.precision());
      int lane = dispatch.lanes().get(0);
      if (dispatch.incarnation() < settings.incarnation()) {
        refuse(dispatch, "older_incarnation");
      } else if (dispatch.lanes().size() > 1
          || lane < 0
          || lane >= warmed.lanes().size()
          || !models.contains(model)) {
        refuse(dispatch, "unsupported");
      } else if (dispatch.notAfterNs() != null && runClock.nowNs() > dispatch.notAfterNs()) {
        refuse(dispatch, "too_late");
      } else {
        start(dispatch, model, warmed.lanes().get(lane), runClock);
      }
    }

    private void start(BatchDispatched dispatch, ModelKey model, Lane lane, RunClock runClock) {
      if (!lane.hold(dispatch.dispatchId())) {
        refuse(dispatch, "busy");
        return;
      }
      lane.execute(
          work -> {
            try {
              var completed = run(work, dispatch, model, runClock);
              lane.release();
              log.append(completed);
            } catch (RuntimeException | Error e) {
              fail(e, onFailure);
            }
          });
    }

    /** Runs the batch on its lane's thread. Whatever an inference throws is the batch's failure. */
    private BatchCompleted run(
        LaneWork work, BatchDispatched dispatch, ModelKey model, RunClock runClock) {
      Long startedNs = null;
      try {
        var batch = work.prepare(model, dispatch.jobs(), dispatch.attempt());
        startedNs = clock.monotonicNs();
        batch.run();
        long serviceNs = clock.monotonicNs() - startedNs;
        return completed(
            dispatch,
            startedNs - runClock.toMonotonicNs(0),
            serviceNs,
            Result.DONE,
            null,
            batch.results(),
            batch.emulatedServiceNs());
      } catch (Exception e) {
        LOG.warn("{} failed on {}", dispatch.dispatchId(), settings.executorId(), e);
        long nowNs = clock.monotonicNs();
        long beganNs = startedNs == null ? nowNs : startedNs;
        return completed(
            dispatch,
            beganNs - runClock.toMonotonicNs(0),
            nowNs - beganNs,
            Result.FAILED,
            e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage(),
            List.of(),
            null);
      }
    }

    private void refuse(BatchDispatched dispatch, String cause) {
      log.append(completed(dispatch, null, 0, Result.REFUSED, cause, List.of(), null));
    }

    private BatchCompleted completed(
        BatchDispatched dispatch,
        @Nullable Long startedAtNs,
        long serviceNs,
        Result result,
        @Nullable String cause,
        List<BatchCompleted.JobResult> results,
        @Nullable Long emulatedServiceNs) {
      return new BatchCompleted(
          dispatch.dispatchId(),
          settings.executorId(),
          settings.incarnation(),
          dispatch.lanes().get(0),
          startedAtNs,
          startedAtNs == null ? null : Long.valueOf(startedAtNs + serviceNs),
          serviceNs,
          0,
          result,
          cause,
          results,
          emulatedServiceNs);
    }
  }
}
