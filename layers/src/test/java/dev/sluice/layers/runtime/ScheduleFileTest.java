package dev.sluice.layers.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.layers.schedule.LayerSchedule;
import dev.sluice.layers.schedule.LayerSchedule.Kind;
import dev.sluice.layers.schedule.LayerSchedule.Operation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a schedule's file may hold, and what is said of a mistake, with its line. */
final class ScheduleFileTest {
  private static final List<String> LAYERS = List.of("embedding", "block_0", "head");
  private static final Map<String, List<String>> MODELS = Map.of("vit", LAYERS);

  @TempDir private Path folder;

  @Test
  void whatIsWrittenIsReadAgain() throws Exception {
    String text =
        ScheduleFile.text(
            "vit",
            LAYERS,
            new LayerSchedule(
                List.of(Operation.made(Kind.PREFETCH, 0)),
                List.of(Operation.made(Kind.FETCH, 0), Operation.made(Kind.COMPUTE, 0))));
    assertThat(text)
        .isEqualTo(
            """
            model: vit
            first:
              - prefetch: embedding
            steps:
              - fetch: embedding
              - compute: embedding
            """);
    ScheduleFile read = read(text);
    assertThat(read.model()).isEqualTo("vit");
    assertThat(read.schedule().first()).containsExactly(new Operation(Kind.PREFETCH, 0, 3));
    assertThat(read.schedule().step())
        .containsExactly(new Operation(Kind.FETCH, 0, 5), new Operation(Kind.COMPUTE, 0, 6));
    var head = new LayerSchedule(List.of(), List.of(Operation.made(Kind.FETCH, 2)));
    assertThat(read(ScheduleFile.text("vit", LAYERS, head)).schedule().first()).isEmpty();
  }

  @Test
  void unknownNamesAreToldWithTheNearestOne() {
    assertMistake(
        "model: vit\nsteps:\n  - fetsch: block_0\n",
        ":3: error: operation (fetsch) is unknown",
        "fetch");
    assertMistake(
        "model: vit\nsteps:\n  - fetch: blok_0\n",
        ":3: error: layer (blok_0) is unknown",
        "block_0");
    assertMistake(
        "model: vitt\nsteps:\n  - fetch: head\n", ":1: error: model (vitt) is unknown", "vit");
    assertMistake("model: vit\nstps: []\nsteps: []\n", ":2: error: ", "steps");
  }

  @Test
  void whatIsNoEntryIsTold() {
    assertMistake(
        "model: vit\nsteps:\n  - fetch\n",
        ":3: error: an entry (fetch) must be one operation",
        EXAMPLE);
    assertMistake(
        "model: vit\nsteps:\n  - {fetch: head, release: head}\n", ":3: error: an entry", EXAMPLE);
    assertMistake("model: vit\nsteps:\n  - fetch:\n", ":3: error: fetch (", EXAMPLE);
    assertMistake("model: vit\nsteps:\n  - fetch: [head]\n", ":3: error: fetch (", EXAMPLE);
    assertMistake("model: vit\nfirst: []\n", ":1: error: steps is missing", EXAMPLE);
    assertMistake("- a\n", ":1: error: the file holds no schedule", "model: vit");
    assertMistake("", "error: the file holds no schedule", "model: vit");
  }

  private static final String EXAMPLE = "- fetch: block_0";

  private void assertMistake(String text, String what, String maybe) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining(what)
        .hasMessageContaining(maybe);
  }

  private ScheduleFile read(String text) throws IOException, UserMistakeException {
    return ScheduleFile.read(Files.writeString(folder.resolve("schedule.yaml"), text), MODELS);
  }
}
