package dev.sluice.layers.runtime;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.layers.engine.LayerTrace.Row;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a run of the layer runtime leaves: rows, a trace, a picture, figures. */
final class LayersTraceTest {
  private static final List<Row> ROWS =
      List.of(
          row("on_pre_forward", "read", 0, "reader", 0, 40_000, 60),
          row("on_pre_forward", "fetch", 0, "compute", 1_000, 41_000, 60),
          row("on_pre_forward", "prefetch", 1, "compute", 41_000, 41_000, 100),
          row("on_pre_forward", "read", 1, "reader", 41_000, 71_000, 100),
          row("on_pre_forward", "compute", 0, "compute", 41_000, 91_500, 100),
          row("on_post_forward", "release", 0, "compute", 91_500, 91_600, 40),
          row("on_pre_forward", "fetch", 1, "compute", 91_600, 91_700, 40),
          row("on_pre_forward", "compute", 1, "compute", 91_700, 95_000, 40));

  @TempDir private Path temporary;

  private static Row row(
      String hook, String operation, int layer, String thread, long from, long to, long resident) {
    return new Row(1, hook, operation, layer, thread, from, to, layer == 0 ? 60 : 40, resident);
  }

  private LayersTrace trace() throws IOException, UserMistakeException {
    Path folder = temporary.resolve("trace");
    return new LayersTrace("toy · auto", List.of("stem", "head"), 100, folder);
  }

  private Path written() throws IOException, UserMistakeException {
    try (var trace = trace()) {
      ROWS.forEach(trace::add);
      trace.write(1);
      return requireNonNull(trace.finish());
    }
  }

  @Test
  void hasARowForEachOperation() throws Exception {
    List<String> lines = Files.readAllLines(written().resolve("layers.csv"));
    assertThat(lines).hasSize(1 + ROWS.size());
    assertThat(lines.get(0))
        .isEqualTo("step,hook,operation,layer,thread,start_ns,end_ns,bytes,resident_bytes");
    assertThat(lines.get(6)).isEqualTo("1,on_post_forward,release,stem,compute,91500,91600,60,40");
  }

  @Test
  void hasTheFieldsThatTheFormatAsksForInEachEvent() throws Exception {
    Map<Integer, String> threads = new HashMap<>();
    for (JsonNode event : events(written())) {
      assertThat(event.get("name").isTextual()).as("%s", event).isTrue();
      assertThat(event.get("pid").isInt() && event.get("tid").isInt()).as("%s", event).isTrue();
      assertThat(event.get("ts").isNumber()).as("%s", event).isTrue();
      int thread = event.get("tid").asInt();
      String phase = event.get("ph").asText();
      JsonNode args = event.get("args");
      switch (phase) {
        case "M" -> {
          assertThat(args.get("name").isTextual()).as("%s", event).isTrue();
          if (event.get("name").asText().equals("thread_name")) {
            assertThat(threads.put(thread, args.get("name").asText())).isNull();
          }
        }
        case "X" -> {
          assertThat(event.get("dur").asDouble()).as("%s", event).isNotNegative();
          assertThat(threads).as("a thread is named before its first event").containsKey(thread);
        }
        case "C" -> args.forEach(value -> assertThat(value.isNumber()).isTrue());
        default -> fail("an event of an unknown phase: %s", event);
      }
    }
    assertThat(threads).containsOnly(Map.entry(1, "reader"), Map.entry(2, "compute"));
  }

  private static List<JsonNode> events(Path folder) throws IOException {
    JsonNode trace = new ObjectMapper().readTree(folder.resolve("trace.json").toFile());
    return StreamSupport.stream(trace.get("traceEvents").spliterator(), false).toList();
  }

  @Test
  void isATraceThatPerfettoOpens() throws Exception {
    List<JsonNode> events = events(written());
    assertThat(events)
        .filteredOn(event -> event.get("ph").asText().equals("X"))
        .hasSize(ROWS.size())
        .allSatisfy(event -> assertThat(event.get("pid").asInt()).isEqualTo(1))
        .element(4)
        .satisfies(
            compute -> {
              assertThat(compute.get("name").asText()).isEqualTo("compute stem");
              assertThat(compute.get("ts").asDouble()).isEqualTo(41);
              assertThat(compute.get("dur").asDouble()).isEqualTo(50.5);
            });
    assertThat(events)
        .filteredOn(event -> event.get("name").asText().equals("thread_name"))
        .extracting(event -> event.get("args").get("name").asText())
        .containsExactly("reader", "compute");
    assertThat(events)
        .filteredOn(event -> event.get("ph").asText().equals("C"))
        .last()
        .satisfies(last -> assertThat(last.get("args").get("parameters").asLong()).isEqualTo(40));
  }

  @Test
  void hasAPicture() throws Exception {
    assertThat(ImageIO.read(written().resolve("timeline.png").toFile()).getWidth())
        .isGreaterThan(1000);
  }

  @Test
  void tellsWhatWasHidden_andWhereComputingStalled() {
    var figures = new RunFigures(2);
    ROWS.forEach(figures::add);
    assertThat(figures.computeNs).isEqualTo(50_500 + 3_300);
    assertThat(figures.readNs).isEqualTo(70_000);
    assertThat(figures.readBytes).isEqualTo(100);
    assertThat(figures.stallNs).containsExactly(40_000L, 100L);
    assertThat(figures.hiddenNs()).isEqualTo(70_000 - 40_100);
    assertThat(figures.idealNs()).isEqualTo(70_000 + 40_000);
    assertThat(figures.residentBytesMax()).isEqualTo(100);
  }

  @Test
  void ofAFailedRunLooksFailed() throws Exception {
    for (int run = 0; run < 2; run++) { // the second replaces what the first left
      try (var trace = trace()) {
        trace.add(ROWS.get(0));
      }
    }
    assertThat(temporary.resolve("trace")).doesNotExist();
    assertThat(temporary.resolve("trace.running")).doesNotExist();
    assertThat(temporary.resolve("trace.failed").resolve("layers.csv")).exists();
  }

  @Test
  void isNotWrittenTwice() throws Exception {
    try (var first = trace()) {
      assertThatThrownBy(this::trace)
          .isInstanceOf(UserMistakeException.class)
          .hasMessageContaining("(pid " + ProcessHandle.current().pid() + ") works in the folder");
      first.finish();
    }
    assertThatThrownBy(this::trace)
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("is there already");
  }
}
