package dev.sluice.scheduler.topology;

import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.Reading;
import dev.sluice.contract.log.Topics;
import dev.sluice.scheduler.topology.SchedulerProcessor.FactLog;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A shard's facts in their topic; plain producers write them, so that no offset is left out. */
record TopicFactLog(Topics topics, LogClients kafka) implements FactLog {
  private static final Duration POLL = Duration.ofSeconds(1);

  /** Number of empty polls in a row after which the broker counts as away. */
  private static final int EMPTY_POLLS_MAX = 10;

  @Override
  public void read(int shard, long from, long to, Reader reader) {
    var partition = new TopicPartition(topics.facts(), shard);
    try (var consumer = kafka.consumer(Reading.WITHOUT_GAP)) {
      consumer.assign(List.of(partition));
      consumer.seek(partition, from);
      long next = from;
      int emptyPolls = 0;
      while (next <= to) {
        var records = consumer.poll(POLL);
        emptyPolls = records.isEmpty() ? emptyPolls + 1 : 0;
        if (emptyPolls == EMPTY_POLLS_MAX) {
          throw new TimeoutException(
              "the facts %d to %d of shard %d do not come".formatted(next, to, shard));
        }
        for (ConsumerRecord<byte[], byte[]> fact : records.records(partition)) {
          if (fact.offset() != next && next <= to) {
            throw gone(next, fact.offset() - 1, shard, null);
          }
          if (next <= to) {
            reader.fact(next, fact.timestamp(), fact.value());
            next++;
          }
        }
      }
    } catch (OffsetOutOfRangeException e) {
      throw gone(from, to, shard, e);
    }
  }

  private static IllegalStateException gone(
      long from, long to, int shard, @Nullable Throwable cause) {
    return new IllegalStateException(
        ("the facts %d to %d of shard %d are gone from their topic, so that its state cannot be"
                + " made again")
            .formatted(from, to, shard),
        cause);
  }
}
