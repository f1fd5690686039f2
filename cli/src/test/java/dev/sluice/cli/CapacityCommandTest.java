package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.harness.frame.FolderHold;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code capacity} on one lane of constant time, whose answer is known, and its bad input. */
@Timeout(300)
final class CapacityCommandTest {
  private static final String ONE_LANE =
      """
      run_name: one
      duration_seconds: 200
      warmup_seconds: 5
      tail_seconds: 5
      arrival_rate_jobs_per_sec: 50
      interactive_ratio: 1
      classes: {only: {slo_ms: 50, interactive: true}}
      workloads: [{name: m, alpha_ms: 10, beta_ms: 0.000001, tokens: 1}]
      backends_enabled: [onnx]
      batch_sizes: [1]
      lanes: {kind: emulated, num_lanes: 1}
      scheduler_name: fifo
      simulation: {hops: none}
      """;

  /**
   * Rate at which 1 % of Poisson arrivals wait longer than 40 ms for a lane that takes 10 ms each:
   * P(W > t) = 1 − (1 − ρ) Σ (λ(kD − t))^k / k! × exp(−λ(kD − t)) over k ≤ t / D (A. K. Erlang
   * 1909), solved for λ.
   */
  private static final double CAPACITY = 56.0783;

  private static final Pattern ANSWER =
      Pattern.compile("between ([0-9.]+)/s, which passed, and ([0-9.]+)/s, which failed");

  private static final Pattern BOUND =
      Pattern.compile(
          "bound between ([0-9.]+)/s, which a scheduler may keep, and [0-9.]+/s, which none keeps");

  @TempDir private Path folder;

  private record Ended(int status, String text) {}

  private Ended capacity(String target, String between, String... more) throws IOException {
    Path file = Files.writeString(folder.resolve("one.yaml"), ONE_LANE);
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "capacity",
                file.toString(),
                "--target",
                target,
                "--between",
                between,
                "--simulate",
                "--results",
                folder.resolve("results").toString()));
    arguments.addAll(List.of(more));
    var text = new ByteArrayOutputStream();
    PrintStream out = System.out;
    PrintStream err = System.err;
    try (var captured = new PrintStream(text, true, StandardCharsets.UTF_8)) {
      System.setOut(captured);
      System.setErr(captured);
      int status = Sluice.execute(arguments.toArray(new String[0]));
      return new Ended(status, text.toString(StandardCharsets.UTF_8));
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
  }

  @Test
  void theAnswer_holdsTheClosedForm_andASecondCommandRunsNothing() throws Exception {
    Ended ended = capacity("slo_violation_rate < 0.01", "30..90", "--resolution", "20%");
    assertThat(ended.status()).as(ended.text()).isZero();
    Matcher answer = ANSWER.matcher(ended.text());
    assertThat(answer.find()).as(ended.text()).isTrue();
    assertThat(Double.parseDouble(answer.group(1))).isLessThan(CAPACITY);
    assertThat(Double.parseDouble(answer.group(2))).isGreaterThan(CAPACITY);
    Matcher bound = BOUND.matcher(ended.text().replaceAll("\\s+", " "));
    assertThat(bound.find()).as(ended.text()).isTrue();
    assertThat(Double.parseDouble(bound.group(1))).isBetween(CAPACITY, 90.0);
    Path left = folder.resolve("results/one-capacity");
    assertThat(left.resolve("capacity.png")).isNotEmptyFile();
    List<String> rows = Files.readAllLines(left.resolve("capacity.csv"));
    assertThat(rows).hasSizeGreaterThan(3);

    // The last run is lost, as if the command had been killed while it wrote: it is made again.
    Path journal = left.resolve("runs.jsonl");
    String whole = Files.readString(journal);
    Files.writeString(journal, whole.substring(0, whole.length() - 20));
    Ended again = capacity("slo_violation_rate < 0.01", "30..90", "--resolution", "20%");
    assertThat(again.text()).contains("Going on after " + (rows.size() - 2) + " runs");
    assertThat(Files.readString(journal)).isEqualTo(whole);
    assertThat(again.text()).contains(answer.group());

    Ended other = capacity("slo_violation_rate < 0.02", "30..90");
    assertThat(other.status()).isEqualTo(2);
    assertThat(other.text()).contains("is of another search or run").contains("Maybe");
  }

  @Test
  void aRangeBesideTheCapacity_isBelowOrAbove() throws Exception {
    assertThat(capacity("p99_e2e_ms < 50", "80..95", "--run-id", "high").text())
        .contains("below 80/s, which failed")
        .contains("bound          below 80/s, which no scheduler keeps")
        .contains("Capacity under p99_e2e_ms < 50 of only.m, simulated");
    assertThat(capacity("all_p99_e2e_ms < 50", "10..20", "--run-id", "low").text())
        .contains("above 20/s, which passed")
        .contains("bound          above 20/s, which a scheduler may keep");
    Ended few = capacity("p99_e2e_ms < 50", "10..90", "--runs", "2", "--run-id", "few");
    assertThat(few.status()).isEqualTo(4);
    assertThat(few.text().replaceAll("\\s+", " "))
        .contains(
            "between 10/s, which passed, and 90/s, which failed, 800 % apart; 5 % asked: add --runs"
                + " 8");
  }

  @Test
  void aFolderInWhichAnotherSearchGoesOn_isRefused() throws Exception {
    Path held = folder.resolve("results/held");
    try (var other = FolderHold.take(held, "--run-id")) {
      Ended ended = capacity("p99_e2e_ms < 50", "10..20", "--run-id", "held");
      assertThat(ended.status()).as(ended.text()).isEqualTo(2);
      assertThat(ended.text()).contains("another process").contains("Maybe");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "p98_e2e_ms < 5, 10..20, the figure (p98_e2e_ms) is none",
    "goodput_jobs_sec > 5, 10..20, the figure (goodput_jobs_sec) is none",
    "slo_violation_rate, 10..20, is no target",
    "slo_violation_rate > 0.1, 10..20, is broken by no load",
    "slo_violation_rate <= 1, 10..20, always holds",
    "slo_violation_rate < 0, 10..20, never holds",
    "slo_violation_rate <= 0, 10..20, shown to hold by no number of runs",
    "p99_e2e_ms < 50, 20..10, is turned round",
    "p99_e2e_ms < 50, 20..20, is one rate",
    "p99_e2e_ms < 50, 20, is no range",
    "p99_e2e_ms < 50, 20..2000000, at most 1000000"
  })
  void badInput_isNamedBeforeAnythingRuns(String target, String between, String what)
      throws Exception {
    Ended ended = capacity(target, between);
    assertThat(ended.status()).as(ended.text()).isEqualTo(2);
    assertThat(ended.text()).contains(what).contains("Maybe");
    assertThat(folder.resolve("results")).doesNotExist();
  }

  @Test
  void aBadPolicy_resolutionOrBudget_isRefused() throws Exception {
    assertThat(capacity("p99_e2e_ms < 5", "1..2", "--policies", "fifo,fifoo").text())
        .contains("scheduler_name (fifoo) is unknown");
    assertThat(capacity("p99_e2e_ms < 5", "1..2", "--policies", "fifo,fifo").text())
        .contains("names a policy twice");
    assertThat(capacity("p99_e2e_ms < 5", "1..2", "--resolution", "0").text())
        .contains("between 0.1% and 100%");
    assertThat(capacity("p99_e2e_ms < 5", "1..2", "--runs", "1").text())
        .contains("between 2 and 10000");
    assertThat(
            capacity(
                    "p99_e2e_ms < 5",
                    "1..2",
                    "--set",
                    "scenario=offline",
                    "--set",
                    "warmup_seconds=0")
                .text())
        .contains("has no rate");
  }
}
