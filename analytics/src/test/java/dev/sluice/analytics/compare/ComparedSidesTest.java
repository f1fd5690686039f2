package dev.sluice.analytics.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.analytics.row.FinishedRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which runs are pairs, and which two settings must not be compared. */
final class ComparedSidesTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static ComparedRun run(String name, int ahead, Consumer<ObjectNode> change) {
    ObjectNode summary = JSON.createObjectNode();
    summary.put("request_digest", "d1").put("emulated", false).put("simulated", false);
    summary.put("processor", "EPYC").put("processors", 2);
    summary.putArray("device_kinds").add("cpu");
    summary.putArray("not_comparable");
    change.accept(summary);
    return new ComparedRun(new FinishedRun(Path.of(name), summary), ahead);
  }

  private static ComparedRun run(String name, String digest) {
    return run(name, 0, summary -> summary.put("request_digest", digest));
  }

  private static List<String> refusals(int aheadOfB, Consumer<ObjectNode> changeOfB) {
    return ComparedSides.of(
            List.of(run("a", 0, summary -> {})), List.of(run("b", aheadOfB, changeOfB)))
        .refusals();
  }

  @Test
  void runsOfEqualRequestsArePairs_inWhicheverOrderTheyCome() {
    var sides =
        ComparedSides.of(
            List.of(run("a1", "d1"), run("a2", "d2"), run("a3", "d1")),
            List.of(run("b1", "d2"), run("b2", "d1"), run("b3", "d1")));
    assertThat(sides.refusals()).isEmpty();
    assertThat(sides.pairs())
        .extracting(pair -> pair.a().name() + pair.b().name())
        .containsExactly("a1b2", "a2b1", "a3b3");
  }

  @Test
  void refusesOtherRequests() {
    var sides =
        ComparedSides.of(
            List.of(run("a1", "d1"), run("a2", "d2")), List.of(run("b1", "d2"), run("b2", "d3")));
    assertThat(sides.refusals())
        .containsExactly(
            "other requests: 1 of 2 runs of A and 1 of 2 of B have a partner with the same request"
                + " digest");
  }

  @Test
  void refusesWhatDiffersBesideTheSetting() {
    assertThat(refusals(0, summary -> {})).isEmpty();
    assertThat(refusals(1, summary -> {})).containsExactly("other lanes.ahead: A 0; B 1");
    assertThat(refusals(0, summary -> summary.put("emulated", true)))
        .containsExactly("other lanes: A real lanes; B emulated lanes");
    assertThat(refusals(0, summary -> summary.put("simulated", true)))
        .contains("other lanes: A real lanes; B simulated lanes");
    assertThat(refusals(0, summary -> summary.putArray("device_kinds").add("gpu")))
        .containsExactly("other device kind: A cpu; B gpu");
    assertThat(refusals(0, summary -> summary.put("processor", "Xeon")))
        .containsExactly("other processor: A EPYC, 2 processors; B Xeon, 2 processors");
    assertThat(refusals(0, summary -> summary.putArray("not_comparable").add("generator late")))
        .containsExactly("not comparable: b (generator late)");
  }

  @Test
  void refusesFoldersOfUnfinishedRuns_ofOtherVersions_andWithoutFiguresOfJobs(@TempDir Path results)
      throws Exception {
    for (String end : List.of("running", "failed")) {
      Path unfinished = Files.createDirectories(results.resolve("x." + end));
      Files.writeString(unfinished.resolve("summary.json"), "{}");
      assertThatThrownBy(() -> ComparedRun.runs(unfinished))
          .hasMessageContaining("this run is not whole");
    }
    Path run = Files.createDirectories(results.resolve("x"));
    assertThatThrownBy(() -> ComparedRun.runs(run)).hasMessageContaining("no folder of a finished");
    Files.writeString(run.resolve("summary.json"), "{\"all_count\": 1}");
    assertThatThrownBy(() -> ComparedRun.runs(run))
        .hasMessageContaining("another version of Sluice made this (schema_version 0, here 1)");
    Files.writeString(run.resolve("summary.json"), "{\n\"all_count\": 1,\n");
    assertThatThrownBy(() -> ComparedRun.runs(run))
        .hasMessageContaining("summary.json:3: error: this is no JSON (it ends too early, at 3:1)")
        .hasMessageNotContaining("Source");
    Files.writeString(run.resolve("summary.json"), "{\"makespan\": 1}");
    assertThatThrownBy(() -> ComparedRun.runs(run)).hasMessageContaining("no figures of jobs");
    Files.writeString(run.resolve("summary.json"), "{\"all_count\": 1, \"schema_version\": 1}");
    assertThat(ComparedRun.runs(run)).hasSize(1);
  }
}
