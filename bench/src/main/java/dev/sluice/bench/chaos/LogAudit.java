package dev.sluice.bench.chaos;

import dev.sluice.contract.log.Topics;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Audit of an ended run by its kept topics and its folder alone: was anything lost or doubled?
 *
 * @param violations observations that a run without losses cannot show, in words; empty if there
 *     are none
 * @param jobs requested jobs
 * @param outcomes committed outcomes of jobs
 * @param dispatches distinct dispatches, over all shards
 * @param copiesMadeAgain further copies of a dispatch, from transactions that did not commit
 * @param completions answers to dispatches, refusals among them
 * @param attemptsAgain dispatches of a job beyond its first
 */
public record LogAudit(
    List<String> violations,
    long jobs,
    long outcomes,
    long dispatches,
    long copiesMadeAgain,
    long completions,
    long attemptsAgain) {
  private static final Duration POLL = Duration.ofMillis(200);

  public LogAudit {
    violations = List.copyOf(violations);
  }

  /**
   * Audits a run.
   *
   * @param clientProperties access to the broker: bootstrap.servers and the properties of a secured
   *     broker
   * @param folder folder of the finished run
   * @param injected faults that were inflicted on the run, in words; if there are any, the run must
   *     be marked as not comparable
   * @throws IOException if a file of the folder cannot be read
   */
  public static LogAudit of(
      Map<String, Object> clientProperties, Topics topics, Path folder, List<String> injected)
      throws IOException {
    var log = new KeptLog();
    try (Consumer<byte[], byte[]> committed = consumer(clientProperties, "read_committed");
        Consumer<byte[], byte[]> all = consumer(clientProperties, "read_uncommitted")) {
      read(committed, topics.runs(), r -> log.addRunRecord(r.value()));
      read(
          committed,
          topics.facts(),
          r -> log.addFact(r.partition(), r.offset(), r.timestamp(), r.value()));
      read(all, topics.dispatches(), r -> log.addDispatch(r.partition(), r.value()));
      read(committed, topics.dispatches(), r -> log.addCommittedDispatch(r.partition(), r.value()));
      read(
          committed,
          topics.outcomes(),
          r -> log.addOutcome(r.partition(), r.timestamp(), r.value()));
    }
    return of(log, folder, injected);
  }

  static LogAudit of(KeptLog log, Path folder, List<String> injected) throws IOException {
    List<String> violations = new ArrayList<>(LogChecks.violations(log));
    violations.addAll(FolderChecks.violations(log, folder, injected));
    List<KeptLog.Dispatch> dispatches =
        log.shards.values().stream().flatMap(s -> s.dispatches.values().stream()).toList();
    long distinctJobs = dispatches.stream().flatMap(d -> d.jobs.stream()).distinct().count();
    return new LogAudit(
        violations,
        log.jobs.values().stream().filter(job -> job.request != null).count(),
        log.outcomes,
        dispatches.size(),
        dispatches.stream().mapToLong(d -> d.copies - 1).sum(),
        log.shards.values().stream().mapToLong(s -> s.completions.size()).sum(),
        dispatches.stream().mapToLong(d -> d.jobs.size()).sum() - distinctJobs);
  }

  private static Consumer<byte[], byte[]> consumer(
      Map<String, Object> clientProperties, String isolationLevel) {
    Map<String, Object> properties = new HashMap<>(clientProperties);
    properties.put("isolation.level", isolationLevel);
    properties.put("enable.auto.commit", false);
    properties.put("auto.offset.reset", "none");
    return new KafkaConsumer<>(
        properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  private static void read(
      Consumer<byte[], byte[]> consumer,
      String topic,
      java.util.function.Consumer<ConsumerRecord<byte[], byte[]>> sink) {
    List<TopicPartition> partitions =
        consumer.partitionsFor(topic).stream()
            .map(info -> new TopicPartition(topic, info.partition()))
            .toList();
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
    while (ends.entrySet().stream().anyMatch(e -> consumer.position(e.getKey()) < e.getValue())) {
      for (ConsumerRecord<byte[], byte[]> entry : consumer.poll(POLL)) {
        if (entry.value() != null) {
          sink.accept(entry);
        }
      }
    }
  }
}
