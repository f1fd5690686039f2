package dev.sluice.bench;

import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RunTopics;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.latency.LatencyModel;
import dev.sluice.executor.latency.PredictionTable;
import dev.sluice.executor.latency.Trainer;
import dev.sluice.executor.profile.LatencyKey;
import dev.sluice.executor.profile.ProfileRow;
import dev.sluice.harness.kafka.EmbeddedBroker;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.process.TemporaryFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Time that an executor takes at its start from a model's file to the table of its predictions on
 * the log: four workloads, two engines, {@value #SAMPLES} samples and {@value #LANES} busy lanes.
 */
public final class PredictTableBench implements Bench {
  private static final Row FILLED = Row.atMost("predict_table_s", "s", 2);
  private static final Row SIZE = Row.atMost("predict_table_kb", "kB", 200);
  private static final List<String> WORKLOADS = List.of("resnet18", "resnet50", "vit", "vit_tiny");
  private static final List<String> BACKENDS = List.of("pytorch", "onnx");
  private static final String KIND = "bench";
  private static final int SAMPLES = 128;
  private static final int LANES = 4;
  private static final int PASSES = 3;
  private static final int REPEATS = 5;
  private static final int BROKER_AWAY_LIMIT_MS = 60_000;
  private static final double NS_PER_SECOND = 1e9;
  private static final double BYTES_PER_KB = 1e3;

  private final Path folder;
  private final LongSupplier nanoTime;

  public PredictTableBench(Path folder, LongSupplier nanoTime) {
    this.folder = folder;
    this.nanoTime = nanoTime;
  }

  @Override
  public String name() {
    return "predict-table";
  }

  @Override
  public List<Row> rows() {
    return List.of(FILLED, SIZE);
  }

  @Override
  public Map<Row, Double> measure() throws IOException, InterruptedException {
    Path own = Files.createTempDirectory(Files.createDirectories(folder), name());
    Trainer.train(profile(), 1).model().write(own.resolve("model"));
    List<ModelKey> models = new ArrayList<>();
    for (String workload : WORKLOADS) {
      BACKENDS.forEach(backend -> models.add(new ModelKey(workload, backend, "fp32")));
    }
    var table = new PredictionTable(models, 1, LANES, SAMPLES);
    var topics = new Topics("predict-table");
    try (var broker = EmbeddedBroker.start(own.resolve("broker"))) {
      KafkaAccess kafka = KafkaAccess.embedded(broker.bootstrapServers(), BROKER_AWAY_LIMIT_MS);
      RunTopics.create(topics, 1, kafka.clients());
      try (var producer =
          new KafkaProducer<>(
              kafka.properties(), new ByteArraySerializer(), new ByteArraySerializer())) {
        var unused = producer.partitionsFor(topics.facts());
        long beginNs = nanoTime.getAsLong();
        LatencyModel model = LatencyModel.read(own.resolve("model"), KIND);
        PredictionsPublished filled = table.fill(model, "executor-0", 1);
        byte[] bytes = EventCodec.FACTS.write(filled);
        producer.send(new ProducerRecord<>(topics.facts(), 0, null, bytes)).get();
        Map<Row, Double> readings = new LinkedHashMap<>();
        readings.put(FILLED, (nanoTime.getAsLong() - beginNs) / NS_PER_SECOND);
        readings.put(SIZE, bytes.length / BYTES_PER_KB);
        return readings;
      }
    } catch (UserMistakeException | ExecutionException e) {
      throw new IOException("the table was not published", e);
    } finally {
      TemporaryFolder.remove(own);
    }
  }

  /** As a profile would hold, of samples 1, 2, 4, … */
  private static List<ProfileRow> profile() {
    var random = new SplittableRandom(1);
    List<ProfileRow> rows = new ArrayList<>();
    for (int pass = 1; pass <= PASSES; pass++) {
      for (String workload : WORKLOADS) {
        for (String backend : BACKENDS) {
          double alphaMs = 5 + 5 * WORKLOADS.indexOf(workload) + BACKENDS.indexOf(backend);
          for (int samples = 1; samples <= SAMPLES; samples *= 2) {
            for (int busyLanes = 1; busyLanes <= LANES; busyLanes++) {
              var key =
                  new LatencyKey(new ModelKey(workload, backend, "fp32"), 1, samples, busyLanes);
              for (int repeat = 1; repeat <= REPEATS; repeat++) {
                double ms =
                    (alphaMs + samples) * (1 + 0.1 * busyLanes) * random.nextDouble(0.95, 1.05);
                rows.add(
                    new ProfileRow(
                        KIND, key, pass, repeat, rows.size(), Math.round(1e6 * ms), null, 0, 0));
              }
            }
          }
        }
      }
    }
    return rows;
  }
}
