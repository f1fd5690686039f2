package dev.sluice.scheduler.replay;

import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.codec.UnreadableEventException;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunRecord;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.log.RecordedEntry;
import dev.sluice.scheduler.replay.LoggedRecord.LoggedDispatch;
import dev.sluice.scheduler.replay.LoggedRecord.LoggedFact;
import dev.sluice.scheduler.replay.LoggedRecord.LoggedOutcome;
import dev.sluice.scheduler.replay.LoggedRecord.LoggedRun;
import org.jspecify.annotations.Nullable;

/** Reads a log's records as far as a replay needs them. Has no state. */
public final class LogDecoder {
  private LogDecoder() {}

  /** Returns the record; null if a replay does not read it. */
  public static @Nullable LoggedRecord decode(RecordedEntry entry) {
    return switch (entry.topic()) {
      case "facts" -> fact(entry);
      case "dispatches" ->
          new LoggedDispatch(entry.partition(), entry.offset(), entry.value(), dispatch(entry));
      case "outcomes" -> new LoggedOutcome(entry.partition(), entry.offset(), entry.value());
      case "runs" -> run(entry);
      default -> null;
    };
  }

  private static @Nullable BatchDispatched dispatch(RecordedEntry entry) {
    try {
      return EventCodec.DISPATCHES.read(entry.value());
    } catch (UnreadableEventException e) {
      return null;
    }
  }

  private static LoggedFact fact(RecordedEntry entry) {
    Fact fact;
    try {
      fact = EventCodec.FACTS.read(entry.value());
    } catch (UnreadableEventException e) {
      return new LoggedFact(
          entry.partition(), entry.offset(), entry.appendedAtEpochMs(), null, null);
    }
    return new LoggedFact(
        entry.partition(),
        entry.offset(),
        entry.appendedAtEpochMs(),
        fact,
        fact instanceof RunStarted run ? run : null);
  }

  private static @Nullable LoggedRun run(RecordedEntry entry) {
    try {
      RunRecord run = EventCodec.RUNS.read(entry.value());
      if (run instanceof RunEnded end) {
        return new LoggedRun(entry.partition(), entry.offset(), true, end.failure() == null);
      }
      return run instanceof RunStarted
          ? new LoggedRun(entry.partition(), entry.offset(), false, false)
          : null;
    } catch (UnreadableEventException e) {
      return null;
    }
  }
}
