package dev.sluice.analytics.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.analytics.statistic.Bounds;
import dev.sluice.analytics.statistic.MeanInterval;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.Size;
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

  /** w = exp(t × standard error / (mean × (1 − mean))), with t = 12.706 at 1 degree of freedom. */
  @Test
  void theIntervalOfAShare_staysBetween0And1_andHoldsTheMean() {
    var interval = MeanInterval.of(List.of(0.1, 0.9), Bounds.SHARE);
    assertThat(interval.mean()).isEqualTo(0.5);
    double w = Math.exp(12.7062 * 0.4 / 0.25);
    assertThat(interval.low()).isCloseTo(1 / (1 + w), within(1e-9)).isPositive();
    assertThat(interval.high()).isCloseTo(w / (1 + w), within(1e-6)).isLessThanOrEqualTo(1);
    var none = MeanInterval.of(List.of(0.0, 0.0, 0.0), Bounds.SHARE);
    assertThat(none.low()).isZero();
    assertThat(none.high()).isZero();
    var wide = MeanInterval.of(List.of(1e-9, 1.0), Bounds.SHARE);
    assertThat(wide.low()).isBetween(0.0, 0.5);
    assertThat(wide.high()).isBetween(0.5, 1.0);
  }

  @Test
  void theIntervalOfWhatIsNeverBelow0_isByRatios() {
    var interval = MeanInterval.of(List.of(1.0, 3.0), Bounds.FROM_ZERO);
    double w = Math.exp(12.7062 * 1 / 2);
    assertThat(interval.low()).isCloseTo(2 / w, within(1e-6)).isPositive();
    assertThat(interval.high()).isCloseTo(2 * w, within(1e-1));
    assertThat(MeanInterval.of(List.of(0.0, 0.0), Bounds.FROM_ZERO).high()).isZero();
  }

  /** Fisher's z of 0.5 is 0.5493. */
  @Test
  void theIntervalOfACorrelation_isByFishersZ() {
    var interval = MeanInterval.of(List.of(0.4, 0.6), Bounds.CORRELATION);
    double half = 12.7062 * 0.1 / (1 - 0.25); // by the derivative of z, 1 / (1 − r²)
    assertThat(interval.low()).isCloseTo(Math.tanh(0.549306 - half), within(1e-4));
    assertThat(interval.high()).isCloseTo(Math.tanh(0.549306 + half), within(1e-4));
  }

  @Property
  void noInterval_leavesItsBounds(
      @ForAll @Size(min = 2, max = 9) List<@DoubleRange(min = 0, max = 1) Double> values) {
    var share = MeanInterval.of(values, Bounds.SHARE);
    assertThat(share.low()).isBetween(0.0, share.mean() + 1e-12);
    assertThat(share.high()).isBetween(share.mean() - 1e-12, 1.0);
    var positive = MeanInterval.of(values, Bounds.FROM_ZERO);
    assertThat(positive.low()).isBetween(0.0, positive.mean() + 1e-12);
    assertThat(positive.high()).isGreaterThanOrEqualTo(positive.mean() - 1e-12);
  }

  @Test
  void eachFigureGetsItsInterval_nestedOnesToo() throws Exception {
    var repeats =
        repeats(
            "{\"seed\": 1, \"all_p99_e2e_ms\": 10, \"by_class_workload\": {\"a\": {\"b.c\":"
                + " {\"count\": 1}}}, \"name\": \"x\"}",
            "{\"seed\": 2, \"all_p99_e2e_ms\": 12, \"by_class_workload\": {\"a\": {\"b.c\":"
                + " {\"count\": 3}}}, \"name\": \"x\"}");
    var p99 = repeats.interval("all_p99_e2e_ms");
    assertThat(p99).isNotNull();
    assertThat(p99.mean()).isEqualTo(11);
    assertThat(repeats.interval("by_class_workload.a.b.c.count")).isNotNull();
    assertThat(repeats.interval("seed")).as("no figure").isNull();
    repeats.write(folder);
    List<String> lines = Files.readAllLines(folder.resolve("repeats.csv"));
    List<String> columns = List.of(lines.get(0).split(",", -1));
    assertThat(lines).hasSize(3);
    assertThat(columns)
        .startsWith("run_id", "seed")
        .contains("a_count", "all_p99_e2e_ms")
        .contains("jobs_never_sent");
    List<String> second = List.of(lines.get(2).split(",", -1));
    assertThat(second).startsWith("run-2", "101").hasSameSizeAs(columns);
    assertThat(second.get(columns.indexOf("all_p99_e2e_ms"))).isEqualTo("12");
    assertThat(second.get(columns.indexOf("lane_use"))).as("unknown").isEmpty();
    assertThat(Files.readString(folder.resolve("summary.json")))
        .contains("\"repeats\" : 2", "\"mean\" : 11.0");
    assertThat(repeats.render()).contains("all_p99_e2e_ms").contains("over 2 runs");
  }

  @Test
  void columnsAreThoseOfTheExperiment_whateverItsRunsHave() throws Exception {
    String classes = "\"by_class_workload\": {\"a\": {\"w\": {}}}";
    repeats("{" + classes + "}", "{" + classes + "}").write(folder);
    String without = Files.readAllLines(folder.resolve("repeats.csv")).get(0);
    repeats(
            "{" + classes + ", \"hop_p99_ms\": 3, \"drops_by_reason\": {\"expired\": 2}}",
            "{" + classes + ", \"hop_p99_ms\": null}")
        .write(folder);
    assertThat(Files.readAllLines(folder.resolve("repeats.csv")).get(0)).isEqualTo(without);
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
    var repeats = repeats("{\"not_comparable\": [\"late\"]}", "{\"not_comparable\": []}");
    assertThat(repeats.notComparable()).containsExactly("run-1");
  }
}
