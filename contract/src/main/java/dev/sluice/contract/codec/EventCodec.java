package dev.sluice.contract.codec;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Event;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunRecord;
import java.io.IOException;

/**
 * Events of one topic as JSON bytes and back. Readers ignore unknown fields, so that a later
 * version can be read, and reject everything that is not a whole event.
 *
 * @param <E> type of the topic's events
 */
public final class EventCodec<E extends Event> {
  public static final EventCodec<Fact> FACTS = new EventCodec<>(Fact.class);
  public static final EventCodec<BatchDispatched> DISPATCHES =
      new EventCodec<>(BatchDispatched.class);
  public static final EventCodec<Outcome> OUTCOMES = new EventCodec<>(Outcome.class);
  public static final EventCodec<RunRecord> RUNS = new EventCodec<>(RunRecord.class);
  public static final EventCodec<MetricsWindow> METRICS = new EventCodec<>(MetricsWindow.class);

  private final ObjectWriter writer;
  private final ObjectReader reader;

  private EventCodec(Class<E> type) {
    var mapper =
        JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    writer = mapper.writerFor(type);
    reader = mapper.readerFor(type);
  }

  /** The event as bytes. */
  public byte[] write(E event) {
    try {
      return writer.writeValueAsBytes(event);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("an event cannot be written: " + event, e);
    }
  }

  /**
   * The event in the bytes.
   *
   * @throws UnreadableEventException if the bytes are not an event of this topic
   */
  public E read(byte[] bytes) throws UnreadableEventException {
    try {
      E event = reader.readValue(bytes);
      if (event == null) {
        throw new UnreadableEventException("null is not an event", null);
      }
      return event;
    } catch (IOException | IllegalArgumentException e) {
      throw new UnreadableEventException(e.getMessage(), e);
    }
  }
}
