package dev.sluice.contract.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** docs/metrics.md beside the records that it describes. */
final class MetricsDocumentTest {
  private static final Path DOCUMENT = Path.of("..", "docs", "metrics.md");
  private static final Pattern ROW =
      Pattern.compile("^\\| `(\\w+)` \\| ([^|]+) \\| ([^|]+) \\|", Pattern.MULTILINE);

  static Stream<Class<?>> records() {
    return Stream.of(WindowRecord.class.getPermittedSubclasses())
        .flatMap(record -> Stream.concat(Stream.of(record), parts(record)));
  }

  private static Stream<Class<?>> parts(Class<?> record) {
    return Stream.of(record.getDeclaredClasses()).filter(Class::isRecord);
  }

  /** The part of the document below the heading of that name. */
  private static String section(String name) throws IOException {
    String text = Files.readString(DOCUMENT);
    int begin = text.indexOf("\n### " + name + "\n");
    assertThat(begin).as("heading of " + name).isPositive();
    int end = text.indexOf("\n##", begin + 5);
    return text.substring(begin, end);
  }

  @ParameterizedTest
  @MethodSource("records")
  void namesEachFieldInItsOrder_andSaysWhichMayBeNull(Class<?> record) throws Exception {
    Map<String, Boolean> documented = new LinkedHashMap<>();
    for (MatchResult row : ROW.matcher(section(record.getSimpleName())).results().toList()) {
      documented.put(row.group(1), !row.group(3).startsWith("never"));
    }
    Map<String, Boolean> fields = new LinkedHashMap<>();
    for (RecordComponent field : record.getRecordComponents()) {
      fields.put(field.getName(), field.getAnnotatedType().isAnnotationPresent(Nullable.class));
    }
    assertThat(List.copyOf(documented.entrySet())).isEqualTo(List.copyOf(fields.entrySet()));
  }

  @ParameterizedTest
  @MethodSource("records")
  void saysTheVersionOfEachRecord(Class<?> record) throws Exception {
    String section = section(record.getSimpleName());
    if (WindowRecord.class.isAssignableFrom(record)) {
      assertThat(section).contains("\nVersion " + Event.versionOf(record) + ".");
    } else {
      assertThat(section).doesNotContain("\nVersion ");
    }
  }

  @Test
  void showsRecordsAsTheyStand() throws Exception {
    String text = Files.readString(DOCUMENT);
    for (String golden : List.of("MetricsWindow.v2.json", "BatchesEnded.v1.json")) {
      Path file = Path.of("src/test/resources/golden", golden);
      assertThat(text).contains("\n```json\n" + Files.readString(file).strip() + "\n```\n");
    }
  }
}
