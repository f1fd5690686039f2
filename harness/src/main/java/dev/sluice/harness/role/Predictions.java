package dev.sluice.harness.role;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.codec.UnreadableEventException;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.log.LogClients;
import dev.sluice.executor.dispatch.Executor;
import dev.sluice.executor.dispatch.RecentBatches;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.executor.latency.LatencyModel;
import dev.sluice.executor.latency.PredictionTable;
import dev.sluice.harness.frame.RunFrame;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.Launch;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tables that an executor publishes of its latency model: one when it has joined, unless the log
 * holds a table of its device kind already, and from time to time a better one, which a child
 * process has fitted to the profile and to the run's measurements. The child is niced and computes
 * on one thread, so that it does not disturb the lanes that it learns from.
 */
public final class Predictions implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Predictions.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int FIT_HEAP_MB = 512;

  private final RunFrame frame;
  private final ExecutorSettings settings;
  private final Executor executor;
  private final LogClients kafka;
  public final PredictionTable reach;
  private final @Nullable LatencyModel model;
  private final @Nullable Path modelPath;
  private final ScheduledExecutorService fitting =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            var thread = new Thread(task, "sluice-predictions");
            thread.setDaemon(true);
            return thread;
          });

  private volatile @Nullable PredictionsPublished current;
  private volatile @Nullable Process child;
  private volatile boolean closed;

  /**
   * @param model latency model; null: none for these lanes
   */
  private Predictions(
      RunFrame frame,
      ExecutorSettings settings,
      Executor executor,
      LogClients kafka,
      @Nullable LearnedModel model) {
    this.frame = frame;
    this.settings = settings;
    this.executor = executor;
    this.kafka = kafka;
    this.model = model == null ? null : model.model();
    this.modelPath = model == null ? null : model.path();
    this.reach = reach(frame.experiment(), settings);
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

  /** Publishes the first table, and begins to learn. The executor must have joined. */
  static Predictions start(
      RunFrame frame,
      ExecutorSettings settings,
      Executor executor,
      LogClients kafka,
      @Nullable LearnedModel model) {
    var predictions = new Predictions(frame, settings, executor, kafka, model);
    predictions.publishFirst();
    long retrainMs = Math.round(1000 * frame.experiment().predictor().retrainSeconds());
    if (retrainMs > 0) {
      var unused =
          predictions.fitting.scheduleWithFixedDelay(
              predictions::fit, retrainMs, retrainMs, TimeUnit.MILLISECONDS);
    }
    return predictions;
  }

  private void publishFirst() {
    RecentBatches log =
        RecentBatches.read(
            frame.topics(), settings.shard(), kafka, executor.deviceKind(), /* wholeFacts= */ true);
    current = log.table();
    if (current == null && model != null && reach.isKnownTo(model)) {
      publish(reach.fill(model, settings.executorId(), 1));
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
      FitInChild.Result result = fitInChild();
      if (result == null) {
        return;
      }
      executor.addFitCpuNs(result.cpuNs());
      LOG.info(
          "fitted to {} batches in {} ms of processor time: median absolute log error of the newest"
              + " {}, of the table in force {}{}",
          result.rows(),
          result.cpuNs() / 1_000_000,
          result.errorAfter(),
          result.errorBefore(),
          isNone(result.table()) ? "; not published" : "");
      if (!isNone(result.table())
          && EventCodec.FACTS.read(JSON.writeValueAsBytes(result.table()))
              instanceof PredictionsPublished table) {
        publish(table);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException | UnreadableEventException | RuntimeException e) {
      if (!closed) {
        LOG.error("no model could be fitted this time", e);
      }
    }
  }

  /** True if there is no table: JSON turns null into a node. */
  private static boolean isNone(@Nullable JsonNode table) {
    return table == null || table.isNull();
  }

  /** The child's result; null if the child was stopped or failed, which the log says. */
  private FitInChild.@Nullable Result fitInChild() throws IOException, InterruptedException {
    List<String> options = new ArrayList<>(ChildJvm.SMALL);
    options.addAll(List.of("-Xmx" + FIT_HEAP_MB + "m", "-XX:ActiveProcessorCount=1"));
    List<String> command = ChildJvm.of(options, FitInChild.class.getName(), List.of());
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
    return JSON.readValue(printed, FitInChild.Result.class);
  }

  private FitInChild.Request request() throws JsonProcessingException {
    PredictionsPublished table = current;
    return new FitInChild.Request(
        kafka.properties(),
        frame.runId(),
        settings.shard(),
        settings.executorId(),
        executor.deviceKind(),
        reach,
        modelPath == null ? null : modelPath.toString(),
        table == null ? null : tree(table));
  }

  private static JsonNode tree(PredictionsPublished table) {
    try {
      return JSON.readTree(EventCodec.FACTS.write(table));
    } catch (IOException e) {
      throw new IllegalStateException("an event that is no JSON", e);
    }
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
}
