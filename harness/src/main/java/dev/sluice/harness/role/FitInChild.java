package dev.sluice.harness.role;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.management.OperatingSystemMXBean;
import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.codec.UnreadableEventException;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.Topics;
import dev.sluice.executor.dispatch.RecentBatches;
import dev.sluice.executor.latency.LatencyModel;
import dev.sluice.executor.latency.PredictionTable;
import dev.sluice.executor.latency.Retraining;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The child process that fits a latency model again beside a run: reads a request from standard
 * input and the newest batches from the log, and prints a result.
 */
final class FitInChild {
  private static final ObjectMapper JSON = new ObjectMapper();

  private FitInChild() {}

  /**
   * The request for a fit.
   *
   * @param kafka client properties
   * @param topicPrefix prefix of the run's topics
   * @param reach reach of the table
   * @param modelPath model of the profile; null: none
   * @param current table in force; null: none
   */
  record Request(
      Map<String, Object> kafka,
      String topicPrefix,
      int shard,
      String executorId,
      String deviceKind,
      PredictionTable reach,
      @Nullable String modelPath,
      @Nullable JsonNode current) {}

  /**
   * The result of a fit.
   *
   * @param table table to publish; null: it is not better, or another executor makes it
   * @param errorBefore error of the table in force; null: there was nothing to judge
   * @param cpuNs processor time of the whole process
   */
  record Result(
      @Nullable JsonNode table,
      int rows,
      @Nullable Double errorBefore,
      @Nullable Double errorAfter,
      long cpuNs) {}

  /** Reads, fits, prints. */
  public static void main(String[] arguments)
      throws IOException, UserMistakeException, UnreadableEventException {
    endWithTheParent();
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
      outcome = new Retraining.Outcome(null, 0, Double.NaN, Double.NaN); // the first executor fits
    } else {
      LatencyModel profiled =
          request.modelPath() == null
              ? null
              : LatencyModel.read(Path.of(request.modelPath()), request.deviceKind());
      outcome =
          new Retraining(request.reach())
              .run(profiled, request.deviceKind(), log.measured(), current, request.executorId());
    }
    PredictionsPublished table = outcome.table();
    var result =
        new Result(
            table == null ? null : JSON.readTree(EventCodec.FACTS.write(table)),
            outcome.rows(),
            orNull(outcome.errorBefore()),
            orNull(outcome.errorAfter()),
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime());
    System.out.write(JSON.writeValueAsBytes(result));
    System.out.flush();
  }

  /**
   * Ends this process with its parent: an executor that was killed, perhaps with its broker, needs
   * no answer.
   */
  private static void endWithTheParent() {
    ProcessHandle.current()
        .parent()
        .ifPresent(
            parent -> {
              var unused = parent.onExit().thenRun(() -> Runtime.getRuntime().halt(1));
            });
  }

  private static @Nullable Double orNull(double error) {
    return Double.isNaN(error) ? null : Double.valueOf(error);
  }

  /**
   * The newer of two tables: another executor of the device kind may have published one meanwhile.
   */
  private static @Nullable PredictionsPublished newer(
      @Nullable PredictionsPublished logged, @Nullable JsonNode known)
      throws IOException, UnreadableEventException {
    if (known == null
        || known.isNull() // JSON turns null into this node
        || !(EventCodec.FACTS.read(JSON.writeValueAsBytes(known))
            instanceof PredictionsPublished ours)) {
      return logged;
    }
    return logged == null || logged.tableVersion() < ours.tableVersion() ? ours : logged;
  }
}
