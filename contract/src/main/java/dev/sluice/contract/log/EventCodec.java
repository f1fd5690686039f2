package dev.sluice.contract.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.AnnotatedParameter;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.jsontype.NamedType;
import dev.sluice.contract.event.Dispatch;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunRecord;
import dev.sluice.contract.event.WindowRecord;
import dev.sluice.contract.file.UserMistakeException;
import java.io.IOException;
import java.lang.reflect.AnnotatedType;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Records of one topic, events or windows, as JSON bytes and back. Readers ignore unknown fields,
 * so that a later version can be read, and reject everything that is not a whole event.
 *
 * @param <E> type of the topic's events
 */
public final class EventCodec<E> {
  public static final EventCodec<Fact> FACTS =
      new EventCodec<>(Fact.class, JobEvents::requested, JobEvents::written);
  public static final EventCodec<Dispatch> DISPATCHES = new EventCodec<>(Dispatch.class);
  public static final EventCodec<Outcome> OUTCOMES =
      new EventCodec<>(Outcome.class, JobEvents::done, JobEvents::written);
  public static final EventCodec<RunRecord> RUNS = new EventCodec<>(RunRecord.class);
  public static final EventCodec<WindowRecord> METRICS = new EventCodec<>(WindowRecord.class);

  /** Reader of the topic's most frequent event; gives null for another, or one for Jackson. */
  private final Function<byte[], @Nullable E> quickReader;

  /** Writer of the topic's most frequent event; gives null for another, or one for Jackson. */
  private final Function<E, byte @Nullable []> quickWriter;

  private final ObjectReader reader;
  private final ObjectWriter writer;

  private EventCodec(Class<E> type) {
    this(type, bytes -> null, event -> null);
  }

  private EventCodec(
      Class<E> type,
      Function<byte[], @Nullable E> quickReader,
      Function<E, byte @Nullable []> quickWriter) {
    this.quickReader = quickReader;
    this.quickWriter = quickWriter;
    var mapper =
        JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .annotationIntrospector(new NothingMissing())
            .build();
    reader = mapper.readerFor(type);
    writer = mapper.writerFor(type);
  }

  /**
   * Rejects a record that lacks a field which is not {@code @Nullable}, and knows the records of a
   * sealed type by their names.
   */
  public static final class NothingMissing extends JacksonAnnotationIntrospector {
    private static final long serialVersionUID = 1;

    @Override
    public JsonSetter.Value findSetterInfo(Annotated member) {
      if (member instanceof AnnotatedParameter parameter
          && parameter.getDeclaringClass().isRecord()) {
        AnnotatedType type =
            parameter
                .getDeclaringClass()
                .getRecordComponents()[parameter.getIndex()]
                .getAnnotatedType();
        if (!parameter.getRawType().isPrimitive() && !type.isAnnotationPresent(Nullable.class)) {
          return JsonSetter.Value.construct(Nulls.FAIL, Nulls.FAIL)
              .withOverrides(super.findSetterInfo(member));
        }
      }
      return super.findSetterInfo(member);
    }

    @Override
    public @Nullable List<NamedType> findSubtypes(Annotated type) {
      Class<?>[] permitted = type.getRawType().getPermittedSubclasses();
      return permitted == null
          ? super.findSubtypes(type)
          : Stream.of(permitted).map(kind -> new NamedType(kind, kind.getSimpleName())).toList();
    }
  }

  public byte[] write(E event) {
    byte[] frequent = quickWriter.apply(event);
    if (frequent != null) {
      return frequent;
    }
    try {
      return writer.writeValueAsBytes(event);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("an event cannot be written: " + event, e);
    }
  }

  /** True if the bytes begin as an event of the type does, which is known without decoding it. */
  public static boolean isNamed(Class<?> type, byte[] bytes) {
    byte[] begin = ("{\"type\":\"" + type.getSimpleName() + "\"").getBytes(UTF_8);
    int length = Math.min(begin.length, bytes.length);
    return Arrays.equals(bytes, 0, length, begin, 0, begin.length);
  }

  /**
   * The event in the value of a record; empty: there is no value, or it is no event of this topic.
   */
  public Optional<E> find(byte @Nullable [] bytes) {
    try {
      return bytes == null ? Optional.empty() : Optional.of(read(bytes));
    } catch (UnreadableEventException e) {
      return Optional.empty();
    }
  }

  /**
   * The event in the bytes.
   *
   * @throws UnreadableEventException if the bytes are not an event of this topic
   */
  public E read(byte[] bytes) throws UnreadableEventException {
    E frequent = quickReader.apply(bytes);
    if (frequent != null) {
      return frequent;
    }
    try {
      @Nullable E event = reader.readValue(bytes);
      if (event == null) {
        throw new UnreadableEventException("null is not an event", null);
      }
      return event;
    } catch (IOException | IllegalArgumentException e) {
      throw new UnreadableEventException(UserMistakeException.reason(e), e);
    }
  }
}
