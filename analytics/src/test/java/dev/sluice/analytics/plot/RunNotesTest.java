package dev.sluice.analytics.plot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.row.Summary;
import dev.sluice.analytics.row.Verdict;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Short forms of what a run's summary says against its numbers. */
final class RunNotesTest {
  private final Summary summary = new Summary();

  @Test
  void saysNothing_ofARunWithoutOddities() {
    summary.put("notes", List.of("emulated lanes: they waited instead of computing"));
    summary.put("unstable", false);
    summary.put("tail_limit_reached", null);
    summary.put("emulation_late", false);
    summary.put("emulation_late_p99_ms", 0.5);
    assertThat(Plots.notes(summary)).isEmpty();
  }

  @Test
  void namesABusyMachine_clocks_andAQueueThatRose() {
    summary.put(
        "notes",
        List.of(
            "latency table a.csv: made up",
            "busy machine: others took 33 % of its processors meanwhile",
            "clocks differ by up to 3 ms"));
    summary.put("unstable", true);
    summary.put("tail_limit_reached", true);
    summary.put("emulation_late", true);
    summary.put("emulation_late_p99_ms", 4.789);
    assertThat(Plots.notes(summary))
        .containsExactly(
            "busy machine: others took 33 %",
            "clocks differ by up to 3 ms",
            "unstable: the queue rose over the whole window",
            "measured jobs still waited when the tail was over",
            "emulation late: p99 4.79 ms off");
  }

  @Test
  void givesTheFirstReasonsAgainstAComparison_andCountsTheOthers() {
    summary.notComparable("interrupted");
    assertThat(Plots.notes(summary)).containsExactly("not comparable: interrupted");
    summary.notComparable("a fault");
    summary.notComparable("another");
    summary.notComparable("a third");
    assertThat(Plots.notes(summary))
        .containsExactly("not comparable: interrupted; a fault; and 2 more");
  }

  @Test
  void saysWhyARunFailed_andThatItWasInterrupted() {
    summary.notComparable("given up: no lane answers");
    summary.worsen(Verdict.FAILED, "the run was given up: no lane\nanswers, " + "x".repeat(199));
    summary.worsen(Verdict.FAILED, "threshold missed: p99_e2e_ms < 5");
    summary.put("interrupted", true);
    assertThat(Plots.notes(summary)).hasSize(1);
    assertThat(Plots.notes(summary).get(0))
        .startsWith("failed: the run was given up: no lane answers, xxx")
        .endsWith("x…; interrupted")
        .hasSizeLessThan(150);
  }
}
