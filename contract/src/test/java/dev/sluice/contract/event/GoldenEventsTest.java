package dev.sluice.contract.event;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.contract.codec.EventCodec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every version of every event that was ever written can still be read: one kept file for each. */
final class GoldenEventsTest {
  private static final Path FOLDER = Path.of("src/test/resources/golden");
  private static final ObjectMapper JSON = new ObjectMapper();

  static Stream<Class<?>> eventTypes() {
    return concreteTypes(Event.class).distinct();
  }

  private static Stream<Class<?>> concreteTypes(Class<?> type) {
    return type.isSealed()
        ? Arrays.stream(type.getPermittedSubclasses()).flatMap(GoldenEventsTest::concreteTypes)
        : Stream.of(type);
  }

  @Test
  void thereIsAGoldenFile_forEachVersionOfEachEvent() throws Exception {
    var expected = new TreeSet<String>();
    for (Class<?> type : eventTypes().toList()) {
      IntStream.rangeClosed(1, type.getField("VERSION").getInt(null))
          .forEach(version -> expected.add(type.getSimpleName() + ".v" + version + ".json"));
    }
    try (Stream<Path> files = Files.list(FOLDER)) {
      List<String> found = files.map(file -> file.getFileName().toString()).toList();
      assertThat(new TreeSet<>(found)).isEqualTo(expected).hasSizeGreaterThanOrEqualTo(9);
    }
  }

  @ParameterizedTest
  @MethodSource("eventTypes")
  void theNewestGoldenFile_isWhatThisBuildWrites(Class<?> type) throws Exception {
    int version = type.getField("VERSION").getInt(null);
    byte[] golden =
        Files.readAllBytes(FOLDER.resolve(type.getSimpleName() + ".v" + version + ".json"));
    EventCodec<?> codec = codecOf(type);
    Event event = codec.read(golden);
    assertThat(event).isInstanceOf(type);
    assertThat(event.version()).isEqualTo(version);
    assertThat(JSON.readTree(write(codec, event))).isEqualTo(JSON.readTree(golden));
  }

  @ParameterizedTest
  @MethodSource("eventTypes")
  void everyGoldenFile_canStillBeRead(Class<?> type) throws Exception {
    for (int version = 1; version <= type.getField("VERSION").getInt(null); version++) {
      byte[] golden =
          Files.readAllBytes(FOLDER.resolve(type.getSimpleName() + ".v" + version + ".json"));
      assertThat(codecOf(type).read(golden)).isInstanceOf(type);
    }
  }

  @Test
  void runStarted_isReadInBothItsTopics() throws Exception {
    byte[] golden = Files.readAllBytes(FOLDER.resolve("RunStarted.v1.json"));
    assertThat(EventCodec.FACTS.read(golden)).isEqualTo(EventCodec.RUNS.read(golden));
  }

  static EventCodec<?> codecOf(Class<?> type) {
    if (Fact.class.isAssignableFrom(type)) {
      return EventCodec.FACTS;
    } else if (Outcome.class.isAssignableFrom(type)) {
      return EventCodec.OUTCOMES;
    }
    if (type == MetricsWindow.class) {
      return EventCodec.METRICS;
    }
    return type == BatchDispatched.class ? EventCodec.DISPATCHES : EventCodec.RUNS;
  }

  @SuppressWarnings("unchecked")
  private static <E extends Event> byte[] write(EventCodec<E> codec, Event event) {
    return codec.write((E) event);
  }
}
