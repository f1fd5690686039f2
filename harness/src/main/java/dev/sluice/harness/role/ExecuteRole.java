package dev.sluice.harness.role;

import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.RoleJoined;
import dev.sluice.contract.event.RoleJoined.Role;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.RunRegister;
import dev.sluice.executor.dispatch.Executor;
import dev.sluice.executor.dispatch.Executor.ExecutorNumbers;
import dev.sluice.executor.dispatch.Executor.LaneFaults;
import dev.sluice.executor.dispatch.LaneBackend;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.executor.lane.WarmedLanes.WarmUpException;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.harness.frame.LiveExperiment;
import dev.sluice.harness.frame.RunFrame;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.ModelBar;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An executor: warms its lanes up, then runs its shard's batches until it is closed. */
public final class ExecuteRole implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ExecuteRole.class);

  private final RunFrame frame;
  private final ExecutorSettings settings;
  private final Executor executor;
  private final Predictions.@Nullable Learned model;
  private final long startedNs;
  private @Nullable Predictions predictions;

  /** The lanes' backend, and the model of its latency; null: none. */
  public record Loaded(LaneBackend backend, Predictions.@Nullable Learned model) {}

  /**
   * Options of an executor alone.
   *
   * @param shard shard that it belongs to, from 0; null: the one with the fewest executors
   * @param executorId its name in the log; null: a new one
   * @param speed factor by which emulated lanes are faster than their table; null: as the
   *     experiment says
   * @param faultsFromStdin true if lines of standard input make lanes hang
   */
  public record Options(
      @Nullable Integer shard,
      @Nullable String executorId,
      @Nullable Double speed,
      boolean faultsFromStdin) {}

  private ExecuteRole(
      RunFrame frame,
      ExecutorSettings settings,
      Executor executor,
      Predictions.@Nullable Learned model,
      long startedNs) {
    this.frame = frame;
    this.model = model;
    this.settings = settings;
    this.executor = executor;
    this.startedNs = startedNs;
  }

  /** Runs batches in a process of its own until the run ends or a person stops the process. */
  public static int execute(RoleSettings settings, Options options) throws Exception {
    var faults = new HangingLanes();
    return RoleProcess.run(
        Role.EXECUTE,
        settings,
        Console.standardOutput(),
        options.faultsFromStdin() ? faults::take : line -> {},
        process -> runBatches(process, options, faults));
  }

  private static int runBatches(RoleProcess process, Options options, LaneFaults faults)
      throws Exception {
    RunFrame frame = process.frame;
    check(options, frame);
    LiveExperiment.warnOfFewProcessors(frame.parsed(), /* executors= */ 1, frame.console());
    Double speed = options.speed();
    Loaded loaded =
        load(
            frame,
            process.add(LaneSource.of(frame.parsed())),
            speed == null ? frame.experiment().lanes().speed() : speed);
    process.heedAWishToStop();
    RunRegister register = process.connect();
    RoleJoined joined =
        process.joined(
            register.joinExecutor(
                options.executorId(), options.shard(), frame.configDigest(), frame.shards()));
    process.heedAWishToStop();
    frame.console().line("warming up");
    Integer joinedShard = joined.shard();
    ExecuteRole role =
        process.add(
            beginWarmUp(
                frame,
                loaded,
                RunRegister.nameOf(joined.instance()),
                joinedShard == null ? 0 : joinedShard));
    role.awaitWarm();
    process.heedAWishToStop();
    process.metrics().executor(role::numbers);
    role.join(process.kafka.clients(), faults, process::fail);
    return process.awaitRunEnd();
  }

  private static void check(Options options, RunFrame frame) throws UserMistakeException {
    Integer shard = options.shard();
    Double speed = options.speed();
    String executorId = options.executorId();
    if (shard != null && (shard < 0 || shard >= frame.shards())) {
      throw new UserMistakeException(
          "--shard",
          "there is no shard (" + shard + "): the experiment has kafka.shards " + frame.shards(),
          "you want a number from 0 to " + (frame.shards() - 1) + ", or no --shard");
    }
    if (speed != null && (!frame.experiment().lanes().emulated() || !(speed > 0 && speed < 1e6))) {
      throw new UserMistakeException(
          "--speed",
          frame.experiment().lanes().emulated()
              ? "the factor (" + speed + ") must be above 0 and below 1000000"
              : "only emulated lanes have a speed, and the experiment's are real",
          "you want to leave it out, or an experiment with lanes.kind: emulated and --speed 4");
    }
    if (executorId != null && !executorId.matches("[A-Za-z0-9._-]{1,100}")) {
      throw new UserMistakeException(
          "--executor-id",
          "the id (" + executorId + ") is not of letters, digits, '.', '_' and '-' alone",
          "you want to leave it out: a new id is made");
    }
  }

  /** Loads all that a mistake can spoil and that needs no broker. */
  public static Loaded load(RunFrame frame, LaneSource lanes, double speed)
      throws UserMistakeException {
    LaneBackend backend = loadModels(frame, lanes, speed);
    return new Loaded(backend, Predictions.Learned.read(frame, backend.deviceKind()));
  }

  /** Loads the models, or prepares an emulation of this speed. */
  public static LaneBackend loadModels(RunFrame frame, LaneSource lanes, double speed)
      throws UserMistakeException {
    long startedNs = frame.clock().monotonicNs();
    LaneBackend backend;
    try (var bar = new ModelBar(frame.console())) {
      backend = lanes.open(ModelCache.ofUser(), speed, bar);
    }
    Console console = frame.console();
    console.item(
        "models",
        frame.experiment().lanes().emulated()
            ? "none: lanes are emulated (" + backend.deviceKind() + ")"
            : lanes.modelCount()
                + " loaded and checked on "
                + backend.deviceKind()
                + ", "
                + frame.secondsSince(startedNs));
    lanes.notes().forEach(note -> console.item("", note));
    return backend;
  }

  /** Begins to warm lanes up, and returns while they run their models for the first time. */
  public static ExecuteRole beginWarmUp(RunFrame frame, Loaded loaded, String executorId, int shard)
      throws WarmUpException, InterruptedException {
    Console console = frame.console();
    long startedNs = frame.clock().monotonicNs();
    var settings =
        ExecutorSettings.of(
            frame.experiment(), executorId, frame.clock().epochNs() / 1_000_000, shard);
    var executor =
        new Executor(
            settings,
            loaded.backend(),
            frame.clock(),
            frame.pacer(),
            (done, total, what) ->
                console.progress("warm-up", done + " of " + total + ": " + what));
    return new ExecuteRole(frame, settings, executor, loaded.model(), startedNs);
  }

  public void awaitFirstRuns() throws WarmUpException, InterruptedException {
    executor.awaitFirstRuns();
  }

  /**
   * Waits until all lanes are warm, and prints a line about them. The first lane is timed
   * meanwhile, beside which nothing else should work.
   */
  public void awaitWarm() throws WarmUpException, InterruptedException {
    executor.awaitWarm();
    Console console = frame.console();
    console.clearLiveLine();
    Double cores = executor.cpuPerLane();
    console.item(
        "warm-up",
        (frame.shards() == 1 ? "" : "shard " + settings.shard() + ", ")
            + settings.lanes()
            + (settings.lanes() == 1 ? " lane" : " lanes")
            + (cores == null
                ? ""
                : String.format(
                    Locale.ROOT,
                    ", %d thread%s each, a busy lane uses %.2f cores",
                    settings.threadsPerLane(),
                    settings.threadsPerLane() == 1 ? "" : "s",
                    cores))
            + ", "
            + frame.secondsSince(startedNs));
    executor.warnings().forEach(warning -> console.item("", "warning: " + warning));
  }

  public List<Capability> capabilities() {
    return executor.capabilities();
  }

  public ExecutorNumbers numbers() {
    return executor.numbers();
  }

  /** Begins to report to its shard and to take dispatches. */
  public void join(LogClients kafka, LaneFaults faults, Consumer<Throwable> onFailure) {
    executor.join(frame.topics(), kafka, faults, onFailure);
    if (frame.experiment().predictor().enabled()) {
      predictions = new Predictions(frame, settings, executor, kafka, model);
    }
  }

  @Override
  public void close() {
    if (predictions != null) {
      predictions.close();
    }
    executor.close();
  }

  /** Faults of lanes that hang on command, as inference does that never returns. */
  private static final class HangingLanes implements LaneFaults {
    private static final Pattern HANG = Pattern.compile("hang (\\d{1,6})");

    private final Set<Integer> toHang = ConcurrentHashMap.newKeySet();

    void take(String line) {
      Matcher matcher = HANG.matcher(line.strip());
      if (matcher.matches()) {
        toHang.add(Integer.valueOf(matcher.group(1)));
      } else {
        LOG.warn("no fault is called ({})", line);
      }
    }

    @Override
    public void beforeInference(int lane) {
      if (toHang.remove(lane)) {
        LOG.warn("lane {} hangs from here on, as told", lane);
        while (true) {
          LockSupport.park(this);
        }
      }
    }
  }
}
