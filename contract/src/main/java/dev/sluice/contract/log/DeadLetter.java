package dev.sluice.contract.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * A dead letter, made from a record that is not an event: the record's bytes, with its position and
 * what is wrong with it in the headers.
 */
public final class DeadLetter {
  private DeadLetter() {}

  public static ProducerRecord<byte[], byte[]> of(
      Topics topics, ConsumerRecord<byte[], byte[]> source, @Nullable String error) {
    var letter =
        new ProducerRecord<>(topics.deadLetters(), (Integer) null, source.key(), source.value());
    describe(letter.headers(), source.topic(), source.partition(), source.offset(), error);
    return letter;
  }

  public static void describe(
      Headers headers, String topic, int partition, long offset, @Nullable String error) {
    headers
        .add("error", String.valueOf(error).getBytes(UTF_8))
        .add("source-topic", topic.getBytes(UTF_8))
        .add("source-partition", Integer.toString(partition).getBytes(UTF_8))
        .add("source-offset", Long.toString(offset).getBytes(UTF_8));
  }
}
