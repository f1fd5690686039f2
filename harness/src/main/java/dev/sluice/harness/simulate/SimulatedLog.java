package dev.sluice.harness.simulate;

import dev.sluice.analytics.abort.AbortFold;
import dev.sluice.analytics.fold.RunFold;
import dev.sluice.analytics.log.RunRecording;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Event;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.LanePrepared;
import dev.sluice.contract.event.LogFold;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.LogOrder;
import dev.sluice.contract.log.RecordedEntry;
import dev.sluice.harness.simulate.SimulatedExperiment.LostThresholdException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the topics of a simulated run would hold: read into rows, watched for a threshold that may
 * end the run, and recorded, with the events of one millisecond sorted as a recording wants them.
 * Not safe for threads.
 */
final class SimulatedLog implements LogFold {
  private static final Comparator<RecordedEntry> ORDER =
      Comparator.comparingInt((RecordedEntry entry) -> LogOrder.rank(entry.topic()))
          .thenComparingInt(RecordedEntry::partition)
          .thenComparingLong(RecordedEntry::offset);

  private final List<LogFold> folds;
  private final @Nullable AbortFold abort;
  private final @Nullable RunRecording recording;
  private final RunStarted started;

  /** Entries of the present millisecond, in the order in which they came. */
  private final List<RecordedEntry> present = new ArrayList<>();

  private final Map<String, Long> nextOffset = new HashMap<>();

  private boolean begun;
  private long presentMs = Long.MIN_VALUE;

  SimulatedLog(
      RunFold rows,
      @Nullable AbortFold abort,
      @Nullable RunRecording recording,
      RunStarted started) {
    this.folds = abort == null ? List.of(rows) : List.of(rows, abort);
    this.abort = abort;
    this.recording = recording;
    this.started = started;
  }

  @Override
  public void onFact(Fact fact, int shard, long appendedAtEpochMs) {
    if (!begun && fact instanceof RunStarted) {
      begun = true;
      record("runs", 0, appendedAtEpochMs, EventCodec.RUNS, started);
    }
    record("facts", shard, appendedAtEpochMs, EventCodec.FACTS, fact);
    for (LogFold fold : folds) {
      fold.onFact(fact, shard, appendedAtEpochMs);
    }
  }

  @Override
  public void onDispatch(BatchDispatched dispatch, int shard, long appendedAtEpochMs) {
    record("dispatches", shard, appendedAtEpochMs, EventCodec.DISPATCHES, dispatch);
    for (LogFold fold : folds) {
      fold.onDispatch(dispatch, shard, appendedAtEpochMs);
    }
  }

  @Override
  public void onPrepared(LanePrepared dispatch, int shard, long appendedAtEpochMs) {
    record("dispatches", shard, appendedAtEpochMs, EventCodec.DISPATCHES, dispatch);
    for (LogFold fold : folds) {
      fold.onPrepared(dispatch, shard, appendedAtEpochMs);
    }
  }

  @Override
  public void onOutcome(Outcome outcome, int shard, long appendedAtEpochMs) {
    record("outcomes", shard, appendedAtEpochMs, EventCodec.OUTCOMES, outcome);
    for (LogFold fold : folds) {
      fold.onOutcome(outcome, shard, appendedAtEpochMs);
    }
    String lost = abort == null ? null : abort.lost();
    if (lost != null) {
      throw new LostThresholdException(lost);
    }
  }

  void end(RunEnded ended) {
    if (recording != null) {
      record("runs", 0, presentMs, EventCodec.RUNS, ended);
      flush(recording);
      recording.finish();
    }
  }

  private <E extends Event> void record(
      String topic, int partition, long appendedAtEpochMs, EventCodec<E> codec, E event) {
    if (recording == null) {
      return;
    }
    if (appendedAtEpochMs != presentMs) {
      flush(recording);
      presentMs = appendedAtEpochMs;
    }
    long offset = nextOffset.merge(topic + "/" + partition, 1L, Long::sum) - 1;
    present.add(new RecordedEntry(topic, partition, offset, appendedAtEpochMs, codec.write(event)));
  }

  private void flush(RunRecording to) {
    present.sort(ORDER);
    present.forEach(to::take);
    present.clear();
  }
}
