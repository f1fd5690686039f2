package dev.sluice.contract.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.UnreadableEventException;
import java.nio.charset.StandardCharsets;
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
    return Stream.of(Event.class, WindowRecord.class)
        .flatMap(GoldenEventsTest::concreteTypes)
        .distinct();
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
      IntStream.rangeClosed(1, Event.versionOf(type))
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
    int version = Event.versionOf(type);
    byte[] golden =
        Files.readAllBytes(FOLDER.resolve(type.getSimpleName() + ".v" + version + ".json"));
    EventCodec<?> codec = codecOf(type);
    Object read = codec.read(golden);
    assertThat(read).isInstanceOf(type);
    assertThat(JSON.readTree(golden).path("version").intValue()).isEqualTo(version);
    assertThat(JSON.readTree(write(codec, read))).isEqualTo(JSON.readTree(golden));
  }

  @ParameterizedTest
  @MethodSource("eventTypes")
  void everyGoldenFile_canStillBeRead(Class<?> type) throws Exception {
    for (int version = 1; version <= Event.versionOf(type); version++) {
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

  @Test
  void metricsWindow_ofVersion1_hasNoneOfTheLaterFields() throws Exception {
    byte[] golden = Files.readAllBytes(FOLDER.resolve("MetricsWindow.v1.json"));
    var window = (MetricsWindow) EventCodec.METRICS.read(golden);
    assertThat(window.total().done()).isEqualTo(12);
    assertThat(window.total().waiting()).isNull();
    assertThat(window.total().endToEnd()).isNull();
    assertThat(window.blockedNs()).isEmpty();
    assertThat(window.predictions()).isNull();
  }

  @Test
  void metricsWindow_ofALaterVersion_isReadByTheFieldsThatAreKnown() throws Exception {
    String golden = Files.readString(FOLDER.resolve("MetricsWindow.v2.json"));
    String later = golden.replace("\"version\":2", "\"energyJ\":{\"lanes\":[1]},\"version\":3");
    assertThat(EventCodec.METRICS.read(later.getBytes(StandardCharsets.UTF_8)))
        .isEqualTo(EventCodec.METRICS.read(golden.getBytes(StandardCharsets.UTF_8)));
    assertThatThrownBy(
            () ->
                EventCodec.METRICS.read(
                    later.replace("MetricsWindow", "Joules").getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(UnreadableEventException.class);
  }

  static EventCodec<?> codecOf(Class<?> type) {
    if (Fact.class.isAssignableFrom(type)) {
      return EventCodec.FACTS;
    } else if (Outcome.class.isAssignableFrom(type)) {
      return EventCodec.OUTCOMES;
    }
    if (WindowRecord.class.isAssignableFrom(type)) {
      return EventCodec.METRICS;
    }
    return Dispatch.class.isAssignableFrom(type) ? EventCodec.DISPATCHES : EventCodec.RUNS;
  }

  @SuppressWarnings("unchecked")
  private static <E> byte[] write(EventCodec<E> codec, Object event) {
    return codec.write((E) event);
  }
}
