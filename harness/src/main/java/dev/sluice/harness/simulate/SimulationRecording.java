package dev.sluice.harness.simulate;

import dev.sluice.analytics.log.RunRecording;
import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.LanePrepared;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.log.LogOrder;
import dev.sluice.contract.log.RecordedEntry;
import dev.sluice.scheduling.simulation.Simulation.SimulationListener;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Records what the topics of a simulated run would hold. Events of one millisecond are sorted as a
 * recording wants them. Not safe for threads.
 */
final class SimulationRecording implements SimulationListener {
  private static final Comparator<RecordedEntry> ORDER =
      Comparator.comparingInt((RecordedEntry entry) -> LogOrder.rank(entry.topic()))
          .thenComparingInt(RecordedEntry::partition)
          .thenComparingLong(RecordedEntry::offset);

  private final SimulationListener next;
  private final RunRecording recording;
  private final RunStarted started;

  /** Entries of the present millisecond, in the order in which they came. */
  private final List<RecordedEntry> present = new ArrayList<>();

  /** Offset of the next record, by topic and partition. */
  private final Map<String, Long> nextOffset = new HashMap<>();

  private boolean begun;
  private long presentMs = Long.MIN_VALUE;

  /**
   * Begins to record.
   *
   * @param next reader that takes each event too
   */
  SimulationRecording(SimulationListener next, RunRecording recording, RunStarted started) {
    this.next = next;
    this.recording = recording;
    this.started = started;
  }

  @Override
  public void onFact(Fact fact, int shard, long appendedAtEpochMs) {
    if (!begun && fact instanceof RunStarted) {
      begun = true;
      add("runs", 0, appendedAtEpochMs, EventCodec.RUNS.write(started));
    }
    add("facts", shard, appendedAtEpochMs, EventCodec.FACTS.write(fact));
    next.onFact(fact, shard, appendedAtEpochMs);
  }

  @Override
  public void onDispatch(BatchDispatched dispatch, int shard, long appendedAtEpochMs) {
    add("dispatches", shard, appendedAtEpochMs, EventCodec.DISPATCHES.write(dispatch));
    next.onDispatch(dispatch, shard, appendedAtEpochMs);
  }

  @Override
  public void onPrepared(LanePrepared dispatch, int shard, long appendedAtEpochMs) {
    add("dispatches", shard, appendedAtEpochMs, EventCodec.DISPATCHES.write(dispatch));
    next.onPrepared(dispatch, shard, appendedAtEpochMs);
  }

  @Override
  public void onOutcome(Outcome outcome, int shard, long appendedAtEpochMs) {
    add("outcomes", shard, appendedAtEpochMs, EventCodec.OUTCOMES.write(outcome));
    next.onOutcome(outcome, shard, appendedAtEpochMs);
  }

  /** Records the run's end, and finishes the file. */
  void end(RunEnded ended) {
    add("runs", 0, presentMs, EventCodec.RUNS.write(ended));
    flush();
    recording.finish();
  }

  private void add(String topic, int partition, long appendedAtEpochMs, byte[] event) {
    if (appendedAtEpochMs != presentMs) {
      flush();
      presentMs = appendedAtEpochMs;
    }
    long offset = nextOffset.merge(topic + "/" + partition, 1L, Long::sum) - 1;
    present.add(new RecordedEntry(topic, partition, offset, appendedAtEpochMs, event));
  }

  private void flush() {
    present.sort(ORDER);
    present.forEach(recording::take);
    present.clear();
  }
}
