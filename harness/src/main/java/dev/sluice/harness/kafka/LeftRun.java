package dev.sluice.harness.kafka;

import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.codec.Topics;
import dev.sluice.contract.codec.UnreadableEventException;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunRecord;
import dev.sluice.contract.event.RunStarted;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * A run whose topics stand on a broker: all of them, and a topic of runs that can be read.
 *
 * @param topics their names, changelogs among them
 * @param began its time zero, as text; null: it never began
 * @param ended whether its end stands in its log
 * @param failure why it was given up; null: it was not
 * @param facts records in its facts, over all shards
 */
public record LeftRun(
    String runId,
    int shards,
    List<String> topics,
    @Nullable String began,
    boolean ended,
    @Nullable String failure,
    long facts) {
  private static final String SUFFIX = new Topics("").runs();
  private static final Duration POLL = Duration.ofMillis(100);

  /** Its topics' names again. */
  public Topics ids() {
    return new Topics(runId);
  }

  /** Those on a broker, by their ids. */
  public static List<LeftRun> all(KafkaAccess kafka) throws InterruptedException {
    Map<String, Object> reading = new HashMap<>(kafka.properties());
    reading.put("enable.auto.commit", false);
    reading.put("allow.auto.create.topics", false);
    List<LeftRun> runs = new ArrayList<>();
    try (var admin = Admin.create(kafka.properties());
        var consumer =
            new KafkaConsumer<>(
                reading, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      Set<String> names = new TreeSet<>(admin.listTopics().names().get());
      for (String name : names) {
        if (name.endsWith(SUFFIX) && name.length() > SUFFIX.length()) {
          var topics = new Topics(name.substring(0, name.length() - SUFFIX.length()));
          if (names.containsAll(topics.all())) {
            int shards = 0;
            for (TopicDescription facts :
                admin.describeTopics(List.of(topics.facts())).allTopicNames().get().values()) {
              shards = facts.partitions().size();
            }
            LeftRun run = read(topics, RunTopics.of(topics, names), shards, consumer);
            if (run != null) {
              runs.add(run);
            }
          }
        }
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("the broker's topics can not be listed", e.getCause());
    }
    return runs;
  }

  /** Null: what stands in its topic of runs is not Sluice's. */
  private static @Nullable LeftRun read(
      Topics topics, List<String> names, int shards, KafkaConsumer<byte[], byte[]> consumer) {
    var only = new TopicPartition(topics.runs(), 0);
    consumer.assign(List.of(only));
    consumer.seekToBeginning(List.of(only));
    long end = consumer.endOffsets(List.of(only)).getOrDefault(only, 0L);
    RunStarted started = null;
    RunEnded ended = null;
    while (consumer.position(only) < end) {
      for (ConsumerRecord<byte[], byte[]> entry : consumer.poll(POLL)) {
        RunRecord record;
        try {
          record = EventCodec.RUNS.read(entry.value() == null ? new byte[0] : entry.value());
        } catch (UnreadableEventException e) {
          return null;
        }
        if (record instanceof RunStarted start && started == null) {
          started = start;
        } else if (record instanceof RunEnded last && ended == null) {
          ended = last;
        }
      }
    }
    List<TopicPartition> facts =
        IntStream.range(0, shards).mapToObj(i -> new TopicPartition(topics.facts(), i)).toList();
    long first = consumer.beginningOffsets(facts).values().stream().mapToLong(o -> o).sum();
    long last = consumer.endOffsets(facts).values().stream().mapToLong(o -> o).sum();
    return new LeftRun(
        topics.prefix(),
        shards,
        names,
        started == null ? null : Instant.ofEpochMilli(started.timeZeroEpochMs()).toString(),
        ended != null,
        ended == null ? null : ended.failure(),
        last - first);
  }
}
