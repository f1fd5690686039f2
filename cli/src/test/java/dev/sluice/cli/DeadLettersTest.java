package dev.sluice.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.log.Topics;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.kafka.EmbeddedBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bytes that are no event, on every topic of a run. */
@Tag("loop")
final class DeadLettersTest {
  @TempDir private Path folder;

  @Test
  void keepsEachOnce_withWhereItStoodAndWhy_andTheRunGoesOn() throws Exception {
    EmbeddedBroker broker = SharedBroker.get();
    var loop = new Loop(folder, broker.bootstrapServers());
    var topics = new Topics("rubbish");
    var screen = new Screen();
    var run = loop.prepare("rubbish", screen, true, "duration_seconds=3");
    var running = new FutureTask<>(run::execute);
    new Thread(running, "the-run").start();
    screen.await(" done ", Duration.ofSeconds(60));
    List<String> sources =
        List.of(topics.dispatches(), topics.facts(), topics.outcomes(), topics.runs());
    try (var producer =
        new KafkaProducer<>(
            Map.<String, Object>of("bootstrap.servers", broker.bootstrapServers()),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      for (String source : sources) {
        producer.send(new ProducerRecord<>(source, 0, null, ("?" + source).getBytes(UTF_8))).get();
      }
    }
    assertThat(running.get()).as(screen.text()).isEqualTo(ExitStatus.INCONCLUSIVE);
    assertThat(screen.text()).contains("unreadable records");

    List<ConsumerRecord<byte[], byte[]>> letters =
        TopicRecords.of(broker.bootstrapServers(), topics.deadLetters());
    assertThat(letters.stream().map(letter -> new String(letter.value(), UTF_8)))
        .containsExactlyInAnyOrderElementsOf(sources.stream().map(s -> "?" + s).toList());
    assertThat(letters)
        .allSatisfy(
            letter -> {
              assertThat("?" + header(letter, "source-topic"))
                  .isEqualTo(new String(letter.value(), UTF_8));
              assertThat(header(letter, "source-partition")).isEqualTo("0");
              assertThat(header(letter, "source-offset")).matches("\\d+");
              assertThat(header(letter, "error")).isNotBlank();
            });
  }

  private static String header(ConsumerRecord<byte[], byte[]> letter, String name) {
    Header header = letter.headers().lastHeader(name);
    return header == null ? "" : new String(header.value(), UTF_8);
  }
}
