package dev.sluice.executor.dispatch;

import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.codec.UnreadableEventException;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchCompleted.Result;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.time.Pacer;
import dev.sluice.contract.time.ProcessClock;
import dev.sluice.contract.time.RunClock;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Reason;
import dev.sluice.executor.lane.Device;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.executor.lane.Lane;
import dev.sluice.executor.lane.LaneWork;
import dev.sluice.executor.lane.WarmUpException;
import dev.sluice.executor.lane.WarmUpProgress;
import dev.sluice.executor.lane.WarmedLanes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
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
 * executor, {@code unsupported} if it is for lanes that are not there or not neighbours, or for a
 * model that no lane can run, {@code too_late} after its notAfterNs, {@code busy} if its lane holds
 * as many as it can: one, and those that it may hold ahead. Of several with one id only the first
 * counts. What an executor takes it answers once, unless it fails or its lane hangs.
 *
 * <p>A job's input is made on its lane's thread after the batch before it has ended and before the
 * service time begins: so lanes do not wait for each other's inputs, the making counts as wait, and
 * no inference shares its core with it. A lane that may hold a batch ahead leaves the completion of
 * the last to another thread, so that only the inputs stand between two batches.
 *
 * <p>Several lanes of one dispatch hold its model before the first of them runs it, and are taken
 * until it has. What they load counts as switch, and is no part of the service time.
 *
 * <p>The broker may be away for a minute: completions are kept, and delivered in their order.
 */
public final class Executor implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Executor.class);
  private static final long POLL_NS_MAX = 100_000_000;

  /**
   * A batch is overdue after so many times its predicted service time, or so long if that is more.
   */
  private static final int OVERDUE_FACTOR = 10;

  private static final long OVERDUE_NS_MIN = 10_000_000_000L;

  /** A lane that has not loaded its model after so long is given up when the executor closes. */
  private static final long LOAD_NS_MAX = 120_000_000_000L;

  /** How long what remains to be appended may take when the executor closes. */
  private static final Duration CLOSE_MAX = Duration.ofSeconds(10);

  private final ExecutorSettings settings;
  private final String deviceKind;
  private final ProcessClock clock;
  private final Device device;
  private final WarmedLanes warmed;
  private final Set<ModelKey> models;
  private final AtomicBoolean failed = new AtomicBoolean();
  private final AtomicLong done = new AtomicLong();
  private final AtomicLong failedBatches = new AtomicLong();
  private final AtomicLong serviceNsSum = new AtomicLong();
  private final Map<String, Long> refusedByCause = new ConcurrentHashMap<>();

  private final AtomicLong fitCpuNs = new AtomicLong();

  /** Tables to be published once the next report stands before them. */
  private final Queue<PredictionsPublished> toPublish = new ConcurrentLinkedQueue<>();

  private volatile boolean closing;
  private boolean closed;
  private @Nullable Joined joined;

  /**
   * @param completing appends the completions of lanes that hold batches ahead; null: none does
   */
  private record Joined(
      ExecutorLog log,
      Thread reader,
      @Nullable ExecutorService completing,
      Consumer<Throwable> onFailure) {}

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

  /** {@link #beginWarmUp}, then {@link #awaitWarm}. */
  public static Executor warmUp(
      ExecutorSettings settings,
      LaneBackend backend,
      ProcessClock clock,
      Pacer pacer,
      WarmUpProgress progress)
      throws WarmUpException, InterruptedException {
    Executor executor = beginWarmUp(settings, backend, clock, pacer, progress);
    executor.awaitWarm();
    return executor;
  }

  /**
   * Starts the lanes' threads, opens the first one's sessions and warms it up, alone and timed. The
   * others go on when this returns.
   *
   * @param pacer how emulated lanes wait
   * @param progress told of each step
   * @throws WarmUpException if a lane can not be opened or a model can not run; nothing stays open
   */
  public static Executor beginWarmUp(
      ExecutorSettings settings,
      LaneBackend backend,
      ProcessClock clock,
      Pacer pacer,
      WarmUpProgress progress)
      throws WarmUpException, InterruptedException {
    Device device = backend.open(settings, clock, pacer);
    try {
      var warmed = WarmedLanes.begin(settings, device, progress);
      return new Executor(settings, backend.deviceKind(), clock, device, warmed);
    } catch (WarmUpException | InterruptedException | RuntimeException e) {
      device.close();
      throw e;
    }
  }

  /**
   * Waits until all lanes are warm.
   *
   * @throws WarmUpException if a lane can not be opened or a model can not run; nothing stays open
   */
  public synchronized void awaitWarm() throws WarmUpException, InterruptedException {
    try {
      warmed.await();
    } catch (WarmUpException | InterruptedException | RuntimeException e) {
      closed = true; // the lanes are
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

  /** What its lanes compute on or pretend to. */
  public String deviceKind() {
    return deviceKind;
  }

  /**
   * Publishes a table of predictions to the shard, after the executor's first report. From any
   * thread.
   */
  public void publish(PredictionsPublished table) {
    toPublish.add(table);
  }

  /** Adds processor time that fitting a latency model took, for the next reports. */
  public void addFitCpuNs(long cpuNs) {
    fitCpuNs.addAndGet(cpuNs);
  }

  /** What it has done and is at. From any thread, at any time. */
  public ExecutorNumbers numbers() {
    int busy = 0;
    int held = 0;
    for (Lane lane : warmed.lanes()) {
      int holds = lane.holds().size();
      held += holds;
      busy += holds > 0 ? 1 : 0;
    }
    return new ExecutorNumbers(
        warmed.lanes().size(),
        busy,
        held,
        done.get(),
        failedBatches.get(),
        refusedByCause,
        serviceNsSum.get());
  }

  /** Joins without faults; see {@link #join(Topics, LogClients, LaneFaults, Consumer)}. */
  public void join(Topics topics, LogClients kafka, Consumer<Throwable> onFailure) {
    join(topics, kafka, LaneFaults.NONE, onFailure);
  }

  /**
   * Begins to report to the shard and to take its dispatches, on a thread of its own.
   *
   * @param faults what a test of faults does to the lanes
   * @param onFailure told once, from any thread, when the executor can not go on; {@link #close}
   *     must then be called, but not from within
   * @throws org.apache.kafka.common.KafkaException if the broker or a topic is out of reach
   */
  public void join(
      Topics topics, LogClients kafka, LaneFaults faults, Consumer<Throwable> onFailure) {
    join(
        topics,
        logFailure -> KafkaExecutorLog.open(topics, settings.shard(), kafka, clock, logFailure),
        faults,
        onFailure);
  }

  synchronized void join(
      Topics topics,
      Function<Consumer<Throwable>, ExecutorLog> opening,
      LaneFaults faults,
      Consumer<Throwable> onFailure) {
    if (joined != null || closed) {
      throw new IllegalStateException("an executor joins once");
    }
    if (!warmed.areAllWarm()) {
      throw new IllegalStateException("its lanes are not all warm yet");
    }
    ExecutorLog log = opening.apply(failure -> fail(failure, onFailure));
    ExecutorService completing =
        settings.ahead() == 0
            ? null
            : Executors.newSingleThreadExecutor(
                task -> daemon(task, settings.executorId() + "-completions"));
    var read = new Reader(topics, log, completing, faults, onFailure);
    Thread reader =
        daemon(
            () -> {
              try {
                read.readUntilClosing();
              } catch (RuntimeException | Error e) {
                fail(e, onFailure);
              }
            },
            settings.executorId() + "-reader");
    joined = new Joined(log, reader, completing, onFailure);
    reader.start();
  }

  private static Thread daemon(Runnable task, String name) {
    var thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
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
   *
   * <p>A lane whose batch is overdue, hence may hang, is left behind: its thread, its sessions and
   * what its dispatches hold stay, and the last report names them. Loaded models then refuse to be
   * closed.
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

  private void leave(Joined joined) {
    if (joined.completing() != null) {
      joined.completing().shutdown();
      try {
        if (!joined.completing().awaitTermination(CLOSE_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
          LOG.warn("{} could not append all its completions", settings.executorId());
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    try (ExecutorLog log = joined.log()) {
      if (!failed.get()) {
        log.append(report(true, log.clockOffsetNsMax()));
      }
    } catch (RuntimeException e) {
      fail(e, joined.onFailure());
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
      lanes.add(new ExecutorReported.Lane(lane.index(), lane.holds()));
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
        warmed.cpuPerLane(),
        fitCpuNs.get());
  }

  /**
   * What became of a batch on its lane.
   *
   * @param switchNs how long its lanes took until they held its model; 0: they did
   * @param busyLanes how many lanes ran a batch when it began, its own included; null: it never
   *     began
   * @param batch null: it failed
   * @param failure why; null: it did not
   */
  private record Ran(
      BatchDispatched dispatch,
      long startedNs,
      long serviceNs,
      long switchNs,
      @Nullable Integer busyLanes,
      LaneWork.@Nullable PreparedBatch batch,
      @Nullable Exception failure) {}

  /** The reader thread's part: takes dispatches, and reports each heartbeat. */
  private final class Reader {
    private final Topics topics;
    private final ExecutorLog log;
    private final @Nullable ExecutorService completing;
    private final LaneFaults faults;
    private final Consumer<Throwable> onFailure;

    /** Dispatches that were read before the run's time zero, which stands in another topic. */
    private final List<BatchDispatched> early = new ArrayList<>();

    /** Lanes that run a batch at the moment. */
    private final AtomicInteger busy = new AtomicInteger();

    private @Nullable RunClock runClock;
    private @Nullable DispatchId highest;

    Reader(
        Topics topics,
        ExecutorLog log,
        @Nullable ExecutorService completing,
        LaneFaults faults,
        Consumer<Throwable> onFailure) {
      this.topics = topics;
      this.log = log;
      this.completing = completing;
      this.faults = faults;
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
        for (var table = toPublish.poll(); table != null; table = toPublish.poll()) {
          log.append(table);
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
      device.begin(runClock);
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
      if (dispatch.incarnation() < settings.incarnation()) {
        refuse(dispatch, Reason.OLDER_INCARNATION);
      } else if (!areNeighbours(dispatch.lanes()) || !models.contains(model)) {
        refuse(dispatch, Reason.UNSUPPORTED);
      } else if (dispatch.notAfterNs() != null && runClock.nowNs() > dispatch.notAfterNs()) {
        refuse(dispatch, Reason.TOO_LATE);
      } else {
        int first = dispatch.lanes().get(0);
        start(
            dispatch,
            model,
            warmed.lanes().subList(first, first + dispatch.lanes().size()),
            runClock);
      }
    }

    private boolean areNeighbours(List<Integer> lanes) {
      int first = lanes.get(0);
      for (int i = 0; i < lanes.size(); i++) {
        if (lanes.get(i) != first + i) {
          return false;
        }
      }
      return first >= 0 && first + lanes.size() <= warmed.lanes().size();
    }

    private void start(
        BatchDispatched dispatch, ModelKey model, List<Lane> lanes, RunClock runClock) {
      if (!hold(lanes, dispatch.dispatchId())) {
        refuse(dispatch, Reason.BUSY);
        return;
      }
      var gang = new Gang(lanes.size() - 1);
      for (Lane lane : lanes.subList(1, lanes.size())) {
        lane.execute(work -> gang.standBy(() -> work.hold(model)));
      }
      lanes
          .get(0)
          .execute(
              work -> {
                try {
                  Ran ran = run(work, dispatch, model, lanes, gang);
                  if (completing == null) {
                    complete(lanes, ran, runClock);
                  } else {
                    completing.execute(
                        () -> complete(lanes, ran, runClock)); // each lane's in order
                  }
                } catch (RuntimeException | Error e) {
                  fail(e, onFailure);
                }
              });
    }

    /** All of them, or none. */
    private static boolean hold(List<Lane> lanes, DispatchId dispatch) {
      for (int i = 0; i < lanes.size(); i++) {
        if (!lanes.get(i).hold(dispatch)) {
          lanes.subList(0, i).forEach(lane -> lane.release(dispatch));
          return false;
        }
      }
      return true;
    }

    /**
     * Runs the batch on its first lane's thread. Whatever an inference throws is the batch's
     * failure.
     */
    private Ran run(
        LaneWork work, BatchDispatched dispatch, ModelKey model, List<Lane> lanes, Gang gang) {
      Lane lane = lanes.get(0);
      long switchNs = 0;
      Long startedNs = null;
      Integer busyLanes = null;
      try (gang) {
        begin(lanes, LOAD_NS_MAX);
        switchNs = work.hold(model);
        switchNs = Math.max(switchNs, gang.awaitHeldNs());
        var batch = work.prepare(model, dispatch.jobs(), dispatch.attempt());
        busyLanes = busy.addAndGet(lanes.size());
        startedNs = clock.monotonicNs();
        begin(lanes, Math.max(OVERDUE_NS_MIN, OVERDUE_FACTOR * dispatch.predictedServiceNs()));
        faults.beforeInference(lane.index());
        batch.run();
        return new Ran(
            dispatch, startedNs, clock.monotonicNs() - startedNs, switchNs, busyLanes, batch, null);
      } catch (Exception e) {
        long nowNs = clock.monotonicNs();
        long beganNs = startedNs == null ? nowNs : startedNs;
        return new Ran(dispatch, beganNs, nowNs - beganNs, switchNs, busyLanes, null, e);
      } finally {
        if (busyLanes != null) {
          busy.addAndGet(-lanes.size());
        }
      }
    }

    private void begin(List<Lane> lanes, long overdueAfterNs) {
      long overdueAtNs = clock.monotonicNs() + overdueAfterNs;
      lanes.forEach(lane -> lane.begin(overdueAtNs));
    }

    private void complete(List<Lane> lanes, Ran ran, RunClock runClock) {
      try {
        BatchCompleted completed = completion(ran, runClock);
        lanes.forEach(lane -> lane.release(completed.dispatchId()));
        log.append(completed);
      } catch (RuntimeException | Error e) {
        fail(e, onFailure);
      }
    }

    private BatchCompleted completion(Ran ran, RunClock runClock) {
      long startedAtNs = ran.startedNs() - runClock.toMonotonicNs(0);
      serviceNsSum.addAndGet(ran.serviceNs());
      Exception failure = ran.failure();
      if (ran.batch() != null) {
        try {
          List<BatchCompleted.JobResult> results = ran.batch().results();
          done.incrementAndGet();
          return completed(
              ran.dispatch(),
              startedAtNs,
              ran.serviceNs(),
              ran.switchNs(),
              Result.DONE,
              null,
              results,
              ran.batch().emulatedServiceNs(),
              ran.busyLanes());
        } catch (RuntimeException e) {
          failure = e;
        }
      }
      LOG.warn("{} failed on {}", ran.dispatch().dispatchId(), settings.executorId(), failure);
      failedBatches.incrementAndGet();
      String message = failure == null ? null : failure.getMessage();
      return completed(
          ran.dispatch(),
          startedAtNs,
          ran.serviceNs(),
          ran.switchNs(),
          Result.FAILED,
          message == null ? String.valueOf(failure) : message,
          List.of(),
          null,
          ran.busyLanes());
    }

    private void refuse(BatchDispatched dispatch, Reason cause) {
      refusedByCause.merge(cause.text(), 1L, Long::sum);
      log.append(
          BatchCompleted.refused(
              dispatch.dispatchId(),
              settings.executorId(),
              settings.incarnation(),
              dispatch.lanes().get(0),
              cause));
    }

    private BatchCompleted completed(
        BatchDispatched dispatch,
        @Nullable Long startedAtNs,
        long serviceNs,
        long switchNs,
        Result result,
        @Nullable String cause,
        List<BatchCompleted.JobResult> results,
        @Nullable Long emulatedServiceNs,
        @Nullable Integer busyLanes) {
      return new BatchCompleted(
          dispatch.dispatchId(),
          settings.executorId(),
          settings.incarnation(),
          dispatch.lanes().get(0),
          startedAtNs,
          startedAtNs == null ? null : Long.valueOf(startedAtNs + serviceNs),
          serviceNs,
          switchNs,
          result,
          cause,
          results,
          emulatedServiceNs,
          busyLanes);
    }
  }
}
