package dev.sluice.harness.kafka;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import com.yammer.metrics.core.Gauge;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntSupplier;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.utils.Exit;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;
import org.apache.kafka.server.metrics.KafkaMetricsGroup;
import org.apache.kafka.server.metrics.KafkaYammerMetrics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A real Kafka in this process: one node that is broker and controller, on two free loopback ports,
 * with its log in a folder of its own. Kafka's server is no public API; no other class names it.
 */
public final class EmbeddedBroker implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedBroker.class);
  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final int ATTEMPTS = 2;
  private static final int LOOK_EVERY_MS = 20;
  private static final int LOOKS = 15_000 / LOOK_EVERY_MS;

  /** Cluster id of all embedded brokers, so that a broker finds its own log again. */
  private static final String CLUSTER_ID = "sluice-embedded-broker";

  private static final List<String> REQUEST_HISTOGRAMS =
      List.of(
          "RequestQueueTimeMs",
          "LocalTimeMs",
          "RemoteTimeMs",
          "ThrottleTimeMs",
          "ResponseQueueTimeMs",
          "ResponseSendTimeMs",
          "TotalTimeMs",
          "RequestBytes",
          "TemporaryMemoryBytes",
          "MessageConversionsTimeMs");

  private final KafkaRaftServer server;
  private final int port;

  private EmbeddedBroker(KafkaRaftServer server, int port) {
    this.server = server;
    this.port = port;
  }

  /** Starts a broker, on a second pair of ports if need be, and waits until it serves. */
  public static EmbeddedBroker start(Path dataFolder) throws IOException, InterruptedException {
    return start(dataFolder, EmbeddedBroker::freePort);
  }

  /**
   * Starts a broker on a given port, with a log that outlives it, and properties that override
   * Sluice's own. However an earlier broker ended, this one goes on with its log.
   */
  public static EmbeddedBroker startAt(Path dataFolder, int port, Map<String, String> extra)
      throws IOException, InterruptedException {
    return startOnce(Files.createDirectories(dataFolder), port, freePort(), extra);
  }

  public static EmbeddedBroker start(Path dataFolder, IntSupplier ports)
      throws IOException, InterruptedException {
    IOException last = new IOException("never tried");
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        return startOnce(
            Files.createDirectories(dataFolder.resolve("attempt-" + attempt)),
            ports.getAsInt(),
            ports.getAsInt(),
            Map.of());
      } catch (IOException e) {
        LOG.warn("the embedded broker did not start, attempt {}", attempt + 1, e);
        last = e;
      }
    }
    throw last;
  }

  /** Sets what is done before Kafka ends this process, as it does when it cannot write its log. */
  public static void beforeHalt(Runnable last) {
    Exit.setHaltProcedure(
        (status, message) -> {
          LOG.error("Kafka ends this process with status {}: {}", status, message);
          try {
            last.run();
          } finally {
            Runtime.getRuntime().halt(status);
          }
        });
  }

  private static EmbeddedBroker startOnce(
      Path folder, int port, int controllerPort, Map<String, String> extra)
      throws IOException, InterruptedException {
    Map<String, String> properties = properties(folder, port, controllerPort);
    properties.putAll(extra);
    registerCheapHistograms();
    if (!Files.exists(folder.resolve("meta.properties"))) {
      format(folder);
    } else if (!Files.exists(folder.resolve(".kafka_cleanshutdown"))) {
      declareDead(properties, controllerPort);
    }
    var config = new KafkaConfig(properties, false);
    var server = new KafkaRaftServer(config, Time.SYSTEM);
    var starting =
        new FutureTask<>(
            () -> {
              server.startup();
              return null;
            });
    var thread = new Thread(starting, "sluice-broker-start");
    thread.setDaemon(true);
    thread.start();
    try {
      starting.get(START_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      stop(server);
      throw new IOException("Kafka did not start on port " + port + ": " + rootMessage(e), e);
    }
    return new EmbeddedBroker(server, port);
  }

  /**
   * Registers the histograms of the requests that a run is made of, before Kafka asks for them by
   * the same names. The upkeep of Kafka's own decaying samples would be a quarter of a small
   * request.
   */
  private static void registerCheapHistograms() {
    var group = new KafkaMetricsGroup("kafka.network", "RequestMetrics");
    for (String request : List.of("Produce", "Fetch", "FetchConsumer")) {
      for (String histogram : REQUEST_HISTOGRAMS) {
        group.newHistogram(histogram, false, Map.of("request", request));
      }
    }
  }

  private static String rootMessage(Throwable error) {
    Throwable root = error;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root instanceof TimeoutException
        ? "not within " + START_LIMIT.toSeconds() + " s"
        : String.valueOf(root.getMessage());
  }

  private static void format(Path folder) throws IOException {
    try (var silent =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8)) {
      new Formatter()
          .setPrintStream(silent)
          .setNodeId(1)
          .setClusterId(CLUSTER_ID)
          .addDirectory(folder.toString())
          .setMetadataLogDirectory(folder.toString())
          .setControllerListenerName("CONTROLLER")
          .setReleaseVersion(MetadataVersion.latestProduction())
          .run();
    } catch (Exception e) {
      throw new IOException("the broker's folder " + folder + " cannot be prepared", e);
    }
  }

  private static Map<String, String> properties(Path folder, int port, int controllerPort) {
    Map<String, String> properties = new HashMap<>();
    properties.put("node.id", "1");
    properties.put("process.roles", "broker,controller");
    properties.put(
        "listeners", "PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort);
    properties.put("advertised.listeners", "PLAINTEXT://127.0.0.1:" + port);
    properties.put("controller.listener.names", "CONTROLLER");
    properties.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
    properties.put("controller.quorum.voters", "1@127.0.0.1:" + controllerPort);
    properties.put("log.dirs", folder.toString());
    properties.put("auto.create.topics.enable", "false");
    properties.put("offsets.topic.num.partitions", "1");
    properties.put("offsets.topic.replication.factor", "1");
    properties.put("transaction.state.log.num.partitions", "1");
    properties.put("transaction.state.log.replication.factor", "1");
    properties.put("transaction.state.log.min.isr", "1");
    properties.put("share.coordinator.state.topic.num.partitions", "1");
    properties.put("share.coordinator.state.topic.replication.factor", "1");
    properties.put("share.coordinator.state.topic.min.isr", "1");
    properties.put("default.replication.factor", "1");
    properties.put("min.insync.replicas", "1");
    properties.put("group.initial.rebalance.delay.ms", "0");
    // A broker that was killed may come back once its own controller has given it up.
    properties.put("broker.session.timeout.ms", "1500");
    properties.put("broker.heartbeat.interval.ms", "300");
    properties.put("group.min.session.timeout.ms", "500");
    properties.put("transaction.abort.timed.out.transaction.cleanup.interval.ms", "500");
    // How long the first record after a commit waits for the commit's markers.
    properties.put("add.partitions.to.txn.retry.backoff.ms", "1");
    properties.put("log.cleaner.dedupe.buffer.size", "2097152");
    properties.put("num.network.threads", "2");
    properties.put("num.io.threads", "2");
    return properties;
  }

  public static int freePort() {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public String bootstrapServers() {
    return "127.0.0.1:" + port;
  }

  @Override
  public void close() {
    stop(server);
  }

  private static void stop(KafkaRaftServer server) {
    server.shutdown();
    server.awaitShutdown();
  }

  /**
   * Lets a controller alone write into the log of a killed broker that this one leads no partition
   * any more, which takes a session's time.
   *
   * <p>Without that, Kafka may lose the end of a transaction that was open at the kill, and no
   * reader of committed records passes that place again (KAFKA-20734, in 4.3.1): the next broker
   * finds itself the leader by the log, begins to end the transaction, is then declared dead as its
   * own predecessor, and takes the partitions, which have no leader at that moment, for deleted
   * ones.
   */
  private static void declareDead(Map<String, String> properties, int controllerPort)
      throws InterruptedException {
    var controller =
        new KafkaRaftServer(new KafkaConfig(alone(properties, controllerPort), false), Time.SYSTEM);
    try {
      controller.startup();
      awaitFenced();
    } finally {
      stop(controller);
    }
  }

  private static Map<String, String> alone(Map<String, String> properties, int port) {
    Map<String, String> alone = new HashMap<>(properties);
    alone.put("process.roles", "controller");
    alone.put("listeners", "CONTROLLER://127.0.0.1:" + port);
    alone.remove("advertised.listeners");
    return alone;
  }

  /** Waits until the controller has fenced a broker: there is but one. */
  private static void awaitFenced() throws InterruptedException {
    for (int look = 0; look < LOOKS; look++) {
      if (fencedBrokers() > 0) {
        return;
      }
      MILLISECONDS.sleep(LOOK_EVERY_MS);
    }
    LOG.warn("the log of the killed broker names no broker");
  }

  private static int fencedBrokers() {
    return KafkaYammerMetrics.defaultRegistry().allMetrics().entrySet().stream()
        .filter(metric -> metric.getKey().getName().equals("FencedBrokerCount"))
        .map(metric -> metric.getValue() instanceof Gauge<?> gauge ? gauge.value() : 0)
        .mapToInt(count -> count instanceof Integer number ? number : 0)
        .sum();
  }
}
