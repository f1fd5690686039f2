package dev.sluice.analytics.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.analytics.statistic.MeanInterval;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RepeatsTest {
  @TempDir private Path folder;

  private Repeats repeats(String... summaries) throws IOException {
    Map<Path, Long> seeds = new LinkedHashMap<>();
    for (int i = 0; i < summaries.length; i++) {
      Path run = Files.createDirectories(folder.resolve("run-" + (i + 1)));
      Files.writeString(run.resolve("summary.json"), summaries[i]);
      seeds.put(run, 100L + i);
    }
    return Repeats.read(seeds);
  }

  /** 2.776 is Student's t of 0.975 at 4 degrees of freedom, from a printed table. */
  @Test
  void theIntervalIsStudents() {
    var interval = MeanInterval.of(List.of(1.0, 2.0, 3.0, 4.0, 5.0));
    assertThat(interval.mean()).isEqualTo(3);
    assertThat(interval.sd()).isCloseTo(Math.sqrt(2.5), within(1e-12));
    assertThat(interval.halfWidth()).isCloseTo(2.776 * Math.sqrt(2.5 / 5), within(1e-3));
    assertThat(MeanInterval.of(List.of(7.0)).halfWidth()).isNaN();
  }

  @Test
  void eachFigureGetsItsInterval_nestedOnesToo() throws Exception {
    var repeats =
        repeats(
            "{\"seed\": 1, \"all_p99_e2e_ms\": 10, \"a\": {\"b\": 1}, \"name\": \"x\"}",
            "{\"seed\": 2, \"all_p99_e2e_ms\": 12, \"a\": {\"b\": 3}, \"name\": \"x\"}");
    var p99 = repeats.interval("all_p99_e2e_ms");
    assertThat(p99).isNotNull();
    assertThat(p99.mean()).isEqualTo(11);
    assertThat(repeats.interval("a.b")).isNotNull();
    assertThat(repeats.interval("seed")).as("no figure").isNull();
    repeats.write(folder);
    assertThat(Files.readString(folder.resolve("repeats.csv")))
        .isEqualTo("run_id,seed,all_p99_e2e_ms,a.b\nrun-1,100,10,1\nrun-2,101,12,3\n");
    assertThat(Files.readString(folder.resolve("summary.json")))
        .contains("\"repeats\" : 2", "\"mean\" : 11.0");
    assertThat(repeats.render()).contains("all_p99_e2e_ms").contains("over 2 runs");
  }

  @Test
  void aFigureThatOneRunLacks_hasNoMean() throws Exception {
    var repeats = repeats("{\"all_p99_e2e_ms\": 10}", "{\"all_p99_e2e_ms\": null}");
    assertThat(repeats.interval("all_p99_e2e_ms")).isNull();
    assertThat(repeats.toJson()).contains("\"runs_without\" : 1");
    assertThat(repeats.render()).contains("some run has none");
  }

  @Test
  void runsThatAreNotComparable_areNamed() throws Exception {
    var repeats =
        repeats("{\"not_comparable\": [\"late\"], \"x\": 1}", "{\"not_comparable\": [], \"x\": 1}");
    assertThat(repeats.notComparable()).containsExactly("run-1");
  }
}
