package dev.sluice.harness.workflow;

import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.codec.UnreadableEventException;
import dev.sluice.contract.event.Event;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.Reading;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.log.Writing;
import dev.sluice.harness.process.RoleFailedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The one shard of a run of workflows, as the sender of its requests writes and reads it. */
final class WorkflowLog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WorkflowLog.class);

  private final Topics topics;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final KafkaProducer<byte[], byte[]> producer;
  private @Nullable RunStarted started;

  /** Reads from the beginning. The scheduler's records are read once they are committed. */
  WorkflowLog(Topics topics, LogClients kafka) {
    this.topics = topics;
    consumer = kafka.consumer(Reading.COMMITTED);
    List<TopicPartition> partitions =
        List.of(
            new TopicPartition(topics.facts(), 0),
            new TopicPartition(topics.dispatches(), 0),
            new TopicPartition(topics.outcomes(), 0));
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
    producer = kafka.producer(Writing.IN_ORDER);
  }

  /** The run's beginning, which must have been written. */
  RunStarted started() {
    if (started == null) {
      throw new IllegalStateException("the run has not begun");
    }
    return started;
  }

  /** Writes that the run begins. */
  void begin(RunStarted run) throws RoleFailedException, InterruptedException {
    started = run;
    append(topics.runs(), EventCodec.RUNS.write(run));
    append(topics.facts(), EventCodec.FACTS.write(run));
  }

  /** Writes that the run has ended. */
  void end(RunEnded run) throws RoleFailedException, InterruptedException {
    append(topics.runs(), EventCodec.RUNS.write(run));
  }

  /** Begins to append a fact after all earlier ones. */
  void send(Fact fact, Consumer<Throwable> onFailure) {
    var unused =
        producer.send(
            new ProducerRecord<>(topics.facts(), 0, null, EventCodec.FACTS.write(fact)),
            (written, failure) -> {
              if (failure != null) {
                onFailure.accept(failure);
              }
            });
  }

  /** Appends a fact, and waits until the log holds it. */
  void append(Fact fact) throws RoleFailedException, InterruptedException {
    append(topics.facts(), EventCodec.FACTS.write(fact));
  }

  private void append(String topic, byte[] event) throws RoleFailedException, InterruptedException {
    try {
      producer.send(new ProducerRecord<>(topic, 0, null, event)).get();
    } catch (ExecutionException e) {
      throw new RoleFailedException("the log takes nothing more: " + e.getMessage(), e);
    }
  }

  /** Returns new events of the log; waits for the first of them up to the timeout. */
  List<Event> poll(Duration timeout) {
    List<Event> events = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(timeout)) {
      byte[] bytes = record.value() == null ? new byte[0] : record.value();
      try {
        if (record.topic().equals(topics.facts())) {
          events.add(EventCodec.FACTS.read(bytes));
        } else if (record.topic().equals(topics.dispatches())) {
          events.add(EventCodec.DISPATCHES.read(bytes));
        } else {
          events.add(EventCodec.OUTCOMES.read(bytes));
        }
      } catch (UnreadableEventException e) {
        LOG.warn("{} at {} is no event", record.topic(), record.offset(), e);
      }
    }
    return events;
  }

  @Override
  public void close() {
    producer.close();
    consumer.close();
  }
}
