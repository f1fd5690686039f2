package dev.sluice.scheduler;

import dev.sluice.contract.ProcessClock;
import dev.sluice.contract.Topics;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.scheduling.CoreSettings;
import dev.sluice.scheduling.CoreSettings.Admission;
import dev.sluice.scheduling.policy.Policies;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;

/** The scheduler's role: runs the topology, and the timer that wakes it, until closed. */
public final class SchedulerStream implements AutoCloseable {
  private final KafkaStreams streams;
  private final TickTimer timer;
  private final CountDownLatch running = new CountDownLatch(1);

  /**
   * Prepares the role; {@link #start} begins.
   *
   * @param kafka client properties, {@code bootstrap.servers} among them
   * @param stateFolder where Kafka Streams may keep its own files
   * @param onFailure takes what ends the role before it is closed, from any thread
   */
  public SchedulerStream(
      Experiment experiment,
      Topics topics,
      Map<String, Object> kafka,
      Path stateFolder,
      ProcessClock clock,
      Consumer<Throwable> onFailure) {
    timer =
        new TickTimer(
            topics, tickProducer(kafka), clock, experiment.lanes().heartbeatMs(), onFailure);
    streams =
        new KafkaStreams(
            SchedulerTopology.build(topics, coreSettings(experiment), policies(experiment), timer),
            properties(topics, kafka, stateFolder));
    streams.setUncaughtExceptionHandler(
        error -> {
          onFailure.accept(error);
          return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        });
    streams.setStateListener(
        (now, before) -> {
          if (now == KafkaStreams.State.RUNNING) {
            running.countDown();
          }
        });
  }

  /** Begins to read facts. */
  public void start() {
    timer.start();
    streams.start();
  }

  /**
   * Waits until the topology runs.
   *
   * @return whether it does, within the time given
   */
  public boolean awaitRunning(Duration timeout) throws InterruptedException {
    return running.await(timeout.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    streams.close(Duration.ofSeconds(10));
    timer.close();
  }

  private static Supplier<SchedulingPolicy> policies(Experiment experiment) {
    return () -> Policies.create(experiment.schedulerName(), experiment.scheduler());
  }

  /** What the core must know of the experiment. */
  private static CoreSettings coreSettings(Experiment experiment) {
    var microbatch = experiment.microbatch();
    return new CoreSettings(
        experiment.seed(),
        experiment.classes().stream()
            .map(
                c ->
                    new CoreSettings.JobClass(
                        c.name(), c.priority(), c.interactive(), c.microbatch()))
            .toList(),
        experiment.workloads().stream()
            .collect(
                Collectors.toMap(
                    Experiment.WorkloadChoice::name, Experiment.WorkloadChoice::tokens)),
        new CoreSettings.Microbatch(
            experiment.joinsJobs(), Math.round(microbatch.windowMs() * 1e6), microbatch.maxBatch()),
        Admission.valueOf(experiment.admission().toUpperCase(Locale.ROOT)));
  }

  private static KafkaProducer<byte[], byte[]> tickProducer(Map<String, Object> kafka) {
    var settings = new HashMap<>(kafka);
    settings.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    settings.put(ProducerConfig.ACKS_CONFIG, "all");
    return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
  }

  private static Properties properties(Topics topics, Map<String, Object> kafka, Path stateFolder) {
    var properties = new Properties();
    properties.putAll(kafka);
    properties.put(StreamsConfig.APPLICATION_ID_CONFIG, topics.prefix() + ".scheduler");
    properties.put(StreamsConfig.STATE_DIR_CONFIG, stateFolder.toString());
    properties.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    properties.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 1);
    properties.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 500);
    properties.put(StreamsConfig.POLL_MS_CONFIG, 2);
    properties.put(StreamsConfig.MAX_TASK_IDLE_MS_CONFIG, -1);
    properties.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
    properties.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, -1);
    properties.put(StreamsConfig.consumerPrefix(ConsumerConfig.FETCH_MIN_BYTES_CONFIG), 1);
    properties.put(
        StreamsConfig.consumerPrefix(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG), "earliest");
    properties.put(StreamsConfig.producerPrefix(ProducerConfig.LINGER_MS_CONFIG), 0);
    properties.put(StreamsConfig.producerPrefix(ProducerConfig.ACKS_CONFIG), "all");
    return properties;
  }
}
