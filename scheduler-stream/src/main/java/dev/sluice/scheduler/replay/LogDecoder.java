package dev.sluice.scheduler.replay;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.codec.UnreadableEventException;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunRecord;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.recording.RecordedEntry;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.scheduler.replay.LoggedRecord.LoggedDispatch;
import dev.sluice.scheduler.replay.LoggedRecord.LoggedFact;
import dev.sluice.scheduler.replay.LoggedRecord.LoggedOutcome;
import dev.sluice.scheduler.replay.LoggedRecord.LoggedRun;
import dev.sluice.scheduler.replay.LoggedRecord.Start;
import dev.sluice.scheduler.translation.Translation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a log's records as far as a replay needs them. Of a recorded decision that is little: equal
 * decisions have equal bytes, and only others are read whole. Has no state.
 */
public final class LogDecoder {
  private static final JsonFactory JSON = new JsonFactory();

  private LogDecoder() {}

  /** Returns the record; null if a replay does not read it. */
  public static @Nullable LoggedRecord decode(RecordedEntry entry) {
    return switch (entry.topic()) {
      case "facts" -> fact(entry);
      case "dispatches" ->
          new LoggedDispatch(
              entry.partition(), entry.offset(), entry.value(), start(entry.value()));
      case "outcomes" -> new LoggedOutcome(entry.partition(), entry.offset(), entry.value());
      case "runs" -> run(entry);
      default -> null;
    };
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
        Translation.toCore(fact),
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

  private static @Nullable Start start(byte[] value) {
    DispatchId id = null;
    String executorId = null;
    List<Integer> lanes = null;
    List<String> jobIds = null;
    try (JsonParser parser = JSON.createParser(value)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return null;
      }
      for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
        parser.nextToken();
        switch (name) {
          case "dispatchId" -> id = DispatchId.parse(parser.getText());
          case "executorId" -> executorId = parser.getText();
          case "lanes" -> lanes = lanes(parser);
          case "jobs" -> jobIds = jobIds(parser);
          default -> parser.skipChildren();
        }
        if (id != null && executorId != null && lanes != null && jobIds != null) {
          return new Start(id, executorId, lanes, jobIds);
        }
      }
      return null;
    } catch (IOException | IllegalArgumentException e) {
      return null;
    }
  }

  private static List<Integer> lanes(JsonParser parser) throws IOException {
    List<Integer> lanes = new ArrayList<>(1);
    while (parser.nextToken() == JsonToken.VALUE_NUMBER_INT) {
      lanes.add(parser.getIntValue());
    }
    return lanes;
  }

  private static List<String> jobIds(JsonParser parser) throws IOException {
    List<String> ids = new ArrayList<>(4);
    while (parser.nextToken() == JsonToken.START_OBJECT) {
      for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
        parser.nextToken();
        if (name.equals("jobId")) {
          ids.add(parser.getText());
        } else {
          parser.skipChildren();
        }
      }
    }
    return ids;
  }
}
