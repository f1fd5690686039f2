package dev.sluice.analytics.log;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Event;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.LanePrepared;
import dev.sluice.contract.event.LogFold;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunRecord;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.log.UnreadableEventException;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A record of a run's topics, decoded.
 *
 * @param ofRuns true if it stands in topic runs; a RunStarted stands in facts, too
 */
record LogEvent(Event event, boolean ofRuns, int shard, long appendedAtEpochMs) {
  /**
   * Decodes a record of a topic that folds take.
   *
   * @throws UnreadableEventException if it is no event
   */
  static LogEvent of(Topics topics, ConsumerRecord<byte[], byte[]> entry)
      throws UnreadableEventException {
    return new LogEvent(
        topics.codec(entry.topic()).read(bytes(entry)),
        entry.topic().equals(topics.runs()),
        entry.partition(),
        entry.timestamp());
  }

  /** Value of a record that must have one. */
  static byte[] bytes(ConsumerRecord<byte[], byte[]> entry) throws UnreadableEventException {
    if (entry.value() == null) {
      throw new UnreadableEventException("a record without a value is no event", null);
    }
    return entry.value();
  }

  void applyTo(LogFold fold) {
    if (ofRuns) {
      fold.onRunRecord((RunRecord) event, appendedAtEpochMs);
    } else if (event instanceof Fact fact) {
      fold.onFact(fact, shard, appendedAtEpochMs);
    } else if (event instanceof BatchDispatched batch) {
      fold.onDispatch(batch, shard, appendedAtEpochMs);
    } else if (event instanceof LanePrepared prepared) {
      fold.onPrepared(prepared, shard, appendedAtEpochMs);
    } else {
      fold.onOutcome((Outcome) event, shard, appendedAtEpochMs);
    }
  }
}
