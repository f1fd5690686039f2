package dev.sluice.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The committed records that a topic of one partition holds by now. */
public final class TopicRecords {
  private TopicRecords() {}

  public static List<ConsumerRecord<byte[], byte[]>> of(String bootstrap, String topic) {
    Map<String, Object> properties =
        Map.of(
            "bootstrap.servers",
            bootstrap,
            "isolation.level",
            "read_committed",
            "enable.auto.commit",
            false);
    try (var consumer =
        new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      var only = new TopicPartition(topic, 0);
      consumer.assign(List.of(only));
      consumer.seekToBeginning(List.of(only));
      long end = consumer.endOffsets(List.of(only)).get(only);
      List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
      while (consumer.position(only) < end) {
        consumer.poll(Duration.ofMillis(100)).forEach(records::add);
      }
      return records;
    }
  }
}
