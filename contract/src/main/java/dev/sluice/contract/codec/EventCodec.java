package dev.sluice.contract.codec;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.contract.event.Dispatch;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunRecord;
import dev.sluice.contract.event.WindowRecord;
import dev.sluice.contract.file.UserMistakeException;
import java.io.IOException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Records of one topic, events or windows, as JSON bytes and back. Readers ignore unknown fields,
 * so that a later version can be read, and reject everything that is not a whole event.
 *
 * @param <E> type of the topic's events
 */
public final class EventCodec<E> {
  public static final EventCodec<Fact> FACTS = asItIs(Fact.class);
  public static final EventCodec<Dispatch> DISPATCHES =
      new EventCodec<>(FlatDispatch.class, FlatDispatch::of, FlatDispatch::event);
  public static final EventCodec<Outcome> OUTCOMES = asItIs(Outcome.class);
  public static final EventCodec<RunRecord> RUNS = asItIs(RunRecord.class);

  /** Records of topic {@code metrics}. */
  public static final EventCodec<WindowRecord> METRICS = asItIs(WindowRecord.class);

  private final Reading<E> reading;
  private final Writing<E> writing;

  /** Bytes as an event; null if they hold the JSON null. */
  private interface Reading<E> {
    @Nullable E read(byte[] bytes) throws IOException;
  }

  /** An event as bytes. */
  private interface Writing<E> {
    byte[] write(E event) throws JsonProcessingException;
  }

  /**
   * A codec of events whose JSON has a form of its own.
   *
   * @param form record with the fields of the JSON
   */
  private <F> EventCodec(Class<F> form, Function<E, F> toForm, Function<F, E> toEvent) {
    var mapper =
        JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    ObjectReader reader = mapper.readerFor(form);
    ObjectWriter writer = mapper.writerFor(form);
    this.writing = event -> writer.writeValueAsBytes(toForm.apply(event));
    this.reading =
        bytes -> {
          F read = reader.readValue(bytes);
          return read == null ? null : toEvent.apply(read);
        };
  }

  /** A codec of events whose JSON has the fields of their records. */
  private static <E> EventCodec<E> asItIs(Class<E> type) {
    return new EventCodec<>(type, Function.identity(), Function.identity());
  }

  /** The event as bytes. */
  public byte[] write(E event) {
    try {
      return writing.write(event);
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
      E event = reading.read(bytes);
      if (event == null) {
        throw new UnreadableEventException("null is not an event", null);
      }
      return event;
    } catch (IOException | IllegalArgumentException e) {
      throw new UnreadableEventException(UserMistakeException.reason(e), e);
    }
  }
}
