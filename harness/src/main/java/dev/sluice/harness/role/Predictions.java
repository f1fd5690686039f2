package dev.sluice.harness.role;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.management.OperatingSystemMXBean;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.Predictor;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.Topics;
import dev.sluice.executor.dispatch.Executor;
import dev.sluice.executor.dispatch.RecentBatches;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.executor.latency.LatencyModel;
import dev.sluice.executor.latency.ModelFile;
import dev.sluice.executor.latency.PredictionTable;
import dev.sluice.executor.latency.ProfileRow;
import dev.sluice.executor.latency.Retraining;
import dev.sluice.harness.frame.RunFrame;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.Launch;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tables that an executor publishes of its latency model: one when it has joined, unless the log
 * holds a table of its device kind already, and from time to time a better one, which a child
 * process fits to the profile and to the run's measurements, niced and on one thread.
 */
public final class Predictions implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Predictions.class);

  /** Passes over the version of an event. */
  private static final ObjectMapper JSON =
      new ObjectMapper().configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false);

  private static final int FIT_HEAP_MB = 512;

  private final RunFrame frame;
  private final ExecutorSettings settings;
  private final Executor executor;
  private final LogClients kafka;
  private final PredictionTable reach;
  private final @Nullable Learned learned;
  private final ScheduledExecutorService fitting = MachineClock.timer("sluice-predictions");

  private volatile @Nullable PredictionsPublished current;
  private volatile @Nullable Process child;
  private volatile boolean closed;

  /** Publishes the first table, and begins to learn. The executor must have joined. */
  Predictions(
      RunFrame frame,
      ExecutorSettings settings,
      Executor executor,
      LogClients kafka,
      @Nullable Learned learned) {
    this.frame = frame;
    this.settings = settings;
    this.executor = executor;
    this.kafka = kafka;
    this.learned = learned;
    this.reach = reach(frame.experiment(), settings);
    publishFirst();
    long retrainMs = Math.round(1000 * frame.experiment().predictor().retrainSeconds());
    if (retrainMs > 0) {
      var unused =
          fitting.scheduleWithFixedDelay(this::fit, retrainMs, retrainMs, TimeUnit.MILLISECONDS);
    }
  }

  /** Where the latency model is that an experiment names. */
  public static Path modelPath(Predictor predictor) {
    return Path.of(System.getProperty("sluice.home", "."))
        .resolve(predictor.modelPath())
        .normalize();
  }

  /** The part of a model that these lanes can be asked for. */
  public static PredictionTable reach(Experiment experiment, ExecutorSettings settings) {
    int samplesMax = experiment.jobs().batchSizes().stream().mapToInt(size -> size).max().orElse(1);
    if (experiment.joinsJobs()) {
      samplesMax = Math.max(samplesMax, experiment.scheduling().microbatch().maxBatch());
    }
    return new PredictionTable(
        settings.models(), settings.threadsPerLane(), settings.lanes(), samplesMax);
  }

  private void publishFirst() {
    RecentBatches log =
        RecentBatches.read(
            frame.topics(), settings.shard(), kafka, executor.deviceKind(), /* wholeFacts= */ true);
    current = log.table();
    if (current == null && learned != null && reach.isKnownTo(learned.model())) {
      publish(reach.fill(learned.model(), settings.executorId(), 1));
    }
  }

  private void publish(PredictionsPublished table) {
    current = table;
    executor.publish(table);
    LOG.info(
        "{} published table {} of model {} for {}",
        settings.executorId(),
        table.tableVersion(),
        table.modelVersion(),
        table.deviceKind());
  }

  /** Lets a child process fit, and publishes a better table. Runs on the fitting thread. */
  private void fit() {
    try {
      Result result = fitInChild();
      if (result == null) {
        return;
      }
      executor.addFitCpuNs(result.cpuNs());
      Retraining.Outcome outcome = result.outcome();
      LOG.info(
          "fitted to {} batches in {} ms of processor time: median absolute log error of the newest"
              + " {}, of the table in force {}{}",
          outcome.rows(),
          result.cpuNs() / 1_000_000,
          outcome.errorAfter(),
          outcome.errorBefore(),
          outcome.table() == null ? "; not published" : "");
      if (outcome.table() != null) {
        publish(outcome.table());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException | RuntimeException e) {
      if (!closed) {
        LOG.error("no model could be fitted this time", e);
      }
    }
  }

  /** The child's result; null if the child was stopped or failed, which the log says. */
  private @Nullable Result fitInChild() throws IOException, InterruptedException {
    List<String> options = new ArrayList<>(ChildJvm.SMALL);
    options.addAll(List.of("-Xmx" + FIT_HEAP_MB + "m", "-XX:ActiveProcessorCount=1"));
    List<String> command = ChildJvm.of(options, Fit.class.getName(), List.of());
    Process process = Launch.of(command).leastPriority().errors(Redirect.DISCARD).start();
    child = process;
    if (closed) {
      process.destroyForcibly();
    }
    try (OutputStream input = process.getOutputStream()) {
      input.write(JSON.writeValueAsBytes(request()));
    }
    byte[] printed = process.getInputStream().readAllBytes();
    int status = process.waitFor();
    if (status != 0) {
      if (!closed) {
        LOG.warn("the process that fits the latency model ended with status {}", status);
      }
      return null;
    }
    return JSON.readValue(printed, Result.class);
  }

  private Request request() {
    return new Request(
        kafka.properties(),
        frame.runId(),
        settings.shard(),
        settings.executorId(),
        executor.deviceKind(),
        reach,
        learned == null ? null : learned.path().toString(),
        current);
  }

  @Override
  public void close() {
    closed = true;
    fitting.shutdownNow();
    Process running = child;
    if (running != null) {
      running.destroyForcibly();
    }
  }

  /** The latency model that an experiment names, if it is for the experiment's lanes. */
  record Learned(Path path, LatencyModel model) {
    /**
     * Reads the model in the folder named after the device kind, if there is such a folder, else
     * the model at the path itself. A model that is missing, or for another kind of device, is a
     * warning: the run begins cold, with running means.
     */
    static @Nullable Learned read(RunFrame frame, String deviceKind) throws UserMistakeException {
      Predictor predictor = frame.experiment().predictor();
      if (!predictor.enabled()) {
        return null;
      }
      Path path = modelPath(predictor);
      if (Files.isDirectory(path.resolve(deviceKind))) {
        path = path.resolve(deviceKind);
      }
      Console console = frame.console();
      LatencyModel model = Files.exists(path) ? ModelFile.read(path) : null;
      if (model == null || !model.deviceKind().equals(deviceKind)) {
        String why =
            model == null
                ? "no model stands at " + path
                : "the model (%s) is for %s, and these lanes are %s"
                    .formatted(path, model.deviceKind(), deviceKind);
        console.item("predictor", "warning: " + why + ": the run begins cold, with running means");
        return null;
      }
      console.item("predictor", "model " + model.version() + " of " + path);
      String disturbance = ProfileRow.disturbance(model.rows());
      if (disturbance != null) {
        console.item("", "warning: " + disturbance);
      }
      return new Learned(path, model);
    }
  }

  /** The request for a fit, to a process that reads the newest batches from the run's topics. */
  record Request(
      Map<String, Object> kafka,
      String topicPrefix,
      int shard,
      String executorId,
      String deviceKind,
      PredictionTable reach,
      @Nullable String modelPath,
      @Nullable PredictionsPublished current) {}

  /** The result of a fit, and the processor time of the whole process. */
  record Result(Retraining.Outcome outcome, long cpuNs) {}

  /** The main of the child process: reads a request from standard input, and prints a result. */
  static final class Fit {
    private Fit() {}

    public static void main(String[] arguments) throws IOException, UserMistakeException {
      ProcessHandle.current()
          .parent()
          .ifPresent(
              parent -> { // an executor that was killed needs no answer
                var unused = parent.onExit().thenRun(() -> Runtime.getRuntime().halt(1));
              });
      Request request = JSON.readValue(System.in.readAllBytes(), Request.class);
      RecentBatches log =
          RecentBatches.read(
              new Topics(request.topicPrefix()),
              request.shard(),
              LogClients.of(request.kafka()),
              request.deviceKind(),
              /* wholeFacts= */ false);
      PredictionsPublished current = newer(log.table(), request.current());
      Retraining.Outcome outcome;
      if (!log.executors().isEmpty() && !log.executors().get(0).equals(request.executorId())) {
        outcome =
            new Retraining.Outcome(null, 0, Double.NaN, Double.NaN); // the first executor fits
      } else {
        LatencyModel profiled =
            request.modelPath() == null
                ? null
                : ModelFile.read(Path.of(request.modelPath()), request.deviceKind());
        outcome =
            new Retraining(request.reach())
                .run(profiled, request.deviceKind(), log.measured(), current, request.executorId());
      }
      var system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
      System.out.write(JSON.writeValueAsBytes(new Result(outcome, system.getProcessCpuTime())));
      System.out.flush();
    }

    /** The newer of two tables: another executor of the device kind may have published one. */
    private static @Nullable PredictionsPublished newer(
        @Nullable PredictionsPublished logged, @Nullable PredictionsPublished known) {
      return known != null && (logged == null || logged.tableVersion() < known.tableVersion())
          ? known
          : logged;
    }
  }
}
