package dev.sluice.contract.log;

/**
 * A record of a run's log.
 *
 * @param topic topic without the run's prefix, one of {@link LogOrder#TOPICS}
 * @param partition partition of the topic, from 0
 * @param offset offset in the partition, from 0
 * @param appendedAtEpochMs time at which the broker appended the record
 * @param value bytes of the event as they stood in the topic; not copied
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody, and copied for nobody
public record RecordedEntry(
    String topic, int partition, long offset, long appendedAtEpochMs, byte[] value) {}
