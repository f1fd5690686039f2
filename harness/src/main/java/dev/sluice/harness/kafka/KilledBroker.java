package dev.sluice.harness.kafka;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import com.yammer.metrics.core.Gauge;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.metrics.KafkaYammerMetrics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a broker must do before it goes on with the log of one that was killed: let a controller
 * alone write into the log that the killed one leads no partition any more.
 *
 * <p>Without that, Kafka may lose the end of a transaction that was open at the kill, and no reader
 * of committed records passes that place again (KAFKA-20734, in 4.3.1): the next broker finds
 * itself the leader by the log, begins to end the transaction, is then declared dead as its own
 * predecessor, and takes the partitions, which have no leader at that moment, for deleted ones.
 */
final class KilledBroker {
  private static final Logger LOG = LoggerFactory.getLogger(KilledBroker.class);
  private static final int LOOK_EVERY_MS = 20;
  private static final int LOOKS = 15_000 / LOOK_EVERY_MS;
  private static final String CLEAN_END = ".kafka_cleanshutdown";

  private KilledBroker() {}

  /** Returns whether the folder holds the log of a broker that did not end by itself. */
  static boolean left(Path folder) {
    return Files.exists(folder.resolve("meta.properties"))
        && !Files.exists(folder.resolve(CLEAN_END));
  }

  /**
   * Declares the killed broker dead in the log that it left. Takes as long as its session would
   * have lasted.
   *
   * @param properties those of the broker that goes on
   * @param controllerPort port of its controller
   */
  static void declareDead(Map<String, String> properties, int controllerPort)
      throws InterruptedException {
    var config = new KafkaConfig(alone(properties, controllerPort), false);
    var controller = new KafkaRaftServer(config, Time.SYSTEM);
    try {
      controller.startup();
      awaitFenced();
    } finally {
      controller.shutdown();
      controller.awaitShutdown();
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
