package dev.sluice.harness.role;

import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.LogClients;
import dev.sluice.executor.dispatch.Executor;
import dev.sluice.executor.dispatch.ExecutorNumbers;
import dev.sluice.executor.dispatch.LaneBackend;
import dev.sluice.executor.dispatch.LaneFaults;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.executor.lane.WarmUpException;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.harness.frame.RunFrame;
import dev.sluice.harness.terminal.Console;
import dev.sluice.harness.terminal.ModelBar;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An executor: warms its lanes up, then runs its shard's batches until it is closed. */
public final class ExecuteRole implements AutoCloseable {
  private final RunFrame frame;
  private final ExecutorSettings settings;
  private final Executor executor;
  private final @Nullable LearnedModel model;
  private final long startedNs;
  private @Nullable Predictions predictions;

  /**
   * The lanes' backend, and the model of its latency.
   *
   * @param model latency model; null: none
   */
  public record Loaded(LaneBackend backend, @Nullable LearnedModel model) {}

  private ExecuteRole(
      RunFrame frame,
      ExecutorSettings settings,
      Executor executor,
      @Nullable LearnedModel model,
      long startedNs) {
    this.frame = frame;
    this.model = model;
    this.settings = settings;
    this.executor = executor;
    this.startedNs = startedNs;
  }

  /** Loads all that a mistake can spoil and that needs no broker. */
  public static Loaded load(RunFrame frame, LaneSource lanes, double speed)
      throws UserMistakeException {
    LaneBackend backend = loadModels(frame, lanes, speed);
    return new Loaded(backend, LearnedModel.read(frame, backend.deviceKind()).orElse(null));
  }

  /**
   * Loads the models, or prepares the emulation.
   *
   * @param speed speed of emulated lanes
   */
  public static LaneBackend loadModels(RunFrame frame, LaneSource lanes, double speed)
      throws UserMistakeException {
    long startedNs = frame.clock().monotonicNs();
    LaneBackend backend;
    try (var bar = new ModelBar(frame.console())) {
      backend =
          lanes.open(
              ModelCache.defaultFolder(System.getenv(), Path.of(System.getProperty("user.home"))),
              speed,
              bar);
    }
    if (frame.experiment().lanes().emulated()) {
      frame.console().item("models", "none: lanes are emulated (" + backend.deviceKind() + ")");
      lanes.notes().forEach(note -> frame.console().item("", note));
    } else {
      frame
          .console()
          .item(
              "models",
              lanes.modelCount()
                  + " loaded and checked on "
                  + backend.deviceKind()
                  + ", "
                  + frame.secondsSince(startedNs));
      lanes.notes().forEach(note -> frame.console().item("", note));
    }
    return backend;
  }

  /** Warms the lanes of an executor up: {@link #beginWarmUp}, then {@link #awaitWarm}. */
  public static ExecuteRole warmUp(RunFrame frame, Loaded loaded, String executorId, int shard)
      throws WarmUpException, InterruptedException {
    ExecuteRole role = beginWarmUp(frame, loaded, executorId, shard);
    role.awaitWarm();
    return role;
  }

  /** Begins to warm lanes up, and returns while they run their models for the first time. */
  public static ExecuteRole beginWarmUp(RunFrame frame, Loaded loaded, String executorId, int shard)
      throws WarmUpException, InterruptedException {
    Console console = frame.console();
    long startedNs = frame.clock().monotonicNs();
    var settings =
        ExecutorSettings.of(
            frame.experiment(), executorId, frame.clock().epochNs() / 1_000_000, shard);
    Executor executor =
        Executor.beginWarmUp(
            settings,
            loaded.backend(),
            frame.clock(),
            frame.pacer(),
            (done, total, what) ->
                console.progress("warm-up", done + " of " + total + ": " + what));
    return new ExecuteRole(frame, settings, executor, loaded.model(), startedNs);
  }

  /** Waits until all lanes have run all models. */
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

  /** Capabilities of each lane, with its times at warm-up. */
  public List<Capability> capabilities() {
    return executor.capabilities();
  }

  /** Numbers of what the lanes have done and are doing. */
  public ExecutorNumbers numbers() {
    return executor.numbers();
  }

  /** Begins to report to its shard and to take dispatches. */
  public void join(LogClients kafka, LaneFaults faults, Consumer<Throwable> onFailure) {
    executor.join(frame.topics(), kafka, faults, onFailure);
    if (frame.experiment().predictor().enabled()) {
      predictions = Predictions.start(frame, settings, executor, kafka, model);
    }
  }

  @Override
  public void close() {
    if (predictions != null) {
      predictions.close();
    }
    executor.close();
  }
}
