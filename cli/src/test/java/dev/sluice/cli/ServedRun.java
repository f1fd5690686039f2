package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.BatchesEnded;
import dev.sluice.contract.event.LatencyHistogram;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.event.RunDescribed;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.WindowRecord;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.Topics;
import dev.sluice.harness.kafka.EmbeddedBroker;
import dev.sluice.harness.process.ChildProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A made-up run in the topics that a page reads, and a server of it as a process. */
final class ServedRun implements AutoCloseable {
  private static final long SECOND_NS = 1_000_000_000;
  private static final Pattern PAGE = Pattern.compile("Page {2}(http://\\S+)");

  private final String id;
  private final Topics topics;
  private final List<String> classes;
  private final int executors;
  private final int lanesEach;
  private final String broker;
  private final Roles roles;
  private final KafkaProducer<byte[], byte[]> producer;

  /** Makes the topics and describes the run there. */
  ServedRun(Path folder, String id, List<String> classes, int executors, int lanesEach)
      throws Exception {
    EmbeddedBroker shared = SharedBroker.get();
    this.id = id;
    this.topics = new Topics(id);
    this.classes = classes;
    this.executors = executors;
    this.lanesEach = lanesEach;
    this.broker = shared.bootstrapServers();
    this.roles = new Roles(folder, broker, id);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker))) {
      List<NewTopic> all = new ArrayList<>();
      for (String name : List.of(topics.runs(), topics.metrics())) {
        all.add(new NewTopic(name, Optional.of(1), Optional.empty()));
      }
      admin.createTopics(all).all().get();
    }
    producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", broker, "linger.ms", "0"),
            new ByteArraySerializer(),
            new ByteArraySerializer());
    var started = new RunStarted(id, 1_700_000_000_000L, 1, "c0", "r0", 1, 1, null);
    producer.send(new ProducerRecord<>(topics.runs(), EventCodec.RUNS.write(started))).get();
    var yaml = new StringBuilder("run_name: " + id + "\nscheduler_name: fifo\nclasses:\n");
    classes.forEach(
        name -> yaml.append("  ").append(name).append(": {slo_ms: 100, priority: 1}\n"));
    send(
        new RunDescribed(
            id, 1_700_000_000_000L, List.of(), yaml.toString(), "c0", "r0", true, Map.of()));
  }

  /** Starts the server, and returns the address of the run's page. */
  String serve() throws Exception {
    ChildProcess server =
        roles.start("serve", "serve", "--bootstrap", broker, "--run-id", id, "--port", "0");
    roles.awaitPrinted(server, "Page  http");
    Matcher address = PAGE.matcher(Roles.printed(server));
    assertThat(address.find()).isTrue();
    return address.group(1) + "#" + id;
  }

  void send(WindowRecord record) throws Exception {
    producer.send(new ProducerRecord<>(topics.metrics(), EventCodec.METRICS.write(record))).get();
  }

  /** A second in which ten jobs of each class ended. */
  MetricsWindow second(long number) {
    var counts =
        new MetricsWindow.Counts(
            10, 10, 0, 0, 1, 9, 5.0, 8.0, 9.0, 2L, LatencyHistogram.of(5_000_000, 9_000_000));
    Map<String, MetricsWindow.Counts> byClass = new TreeMap<>();
    classes.forEach(name -> byClass.put(name, counts));
    return new MetricsWindow(
        number * SECOND_NS,
        (number + 1) * SECOND_NS,
        counts,
        byClass,
        2,
        1,
        executors * lanesEach,
        0.5,
        Map.of(),
        null,
        null,
        1.0,
        1.0,
        MetricsWindow.Predictions.NONE);
  }

  /**
   * Some batches of each lane that ended in a quarter of a second.
   *
   * @param number quarters of a second from time zero to its end
   */
  BatchesEnded lanes(long number, int batchesEach) {
    long fromNs = (number - 1) * SECOND_NS / 4;
    List<BatchesEnded.Executor> all = new ArrayList<>();
    for (int e = 0; e < executors; e++) {
      List<BatchesEnded.Lane> lanes = new ArrayList<>();
      for (int i = 0; i < lanesEach; i++) {
        List<BatchesEnded.Batch> batches = new ArrayList<>();
        for (int b = 0; b < batchesEach; b++) {
          long index = ((long) e * lanesEach + i) * batchesEach + b;
          long lengthNs = SECOND_NS / 4 / batchesEach;
          batches.add(batch(number + "-" + index, i, fromNs + b * lengthNs, lengthNs / 2));
        }
        lanes.add(new BatchesEnded.Lane(i, 1, batches, null));
      }
      all.add(new BatchesEnded.Executor("executor-" + e, lanes));
    }
    return new BatchesEnded(fromNs + SECOND_NS / 4, all);
  }

  private BatchesEnded.Batch batch(String name, int lane, long fromNs, long lengthNs) {
    return new BatchesEnded.Batch(
        "0:" + name,
        1,
        fromNs,
        fromNs + lengthNs,
        "DONE",
        "resnet18",
        "onnx",
        "fp32",
        classes.get(lane % classes.size()),
        1,
        "job-" + lane,
        1,
        lengthNs / 1e6,
        null,
        lengthNs / 1e6,
        Map.of());
  }

  @Override
  public void close() {
    producer.close();
    roles.close();
  }
}
