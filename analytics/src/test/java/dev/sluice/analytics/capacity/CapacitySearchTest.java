package dev.sluice.analytics.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.capacity.CapacitySearch.Answer;
import dev.sluice.analytics.capacity.CapacitySearch.Outcome;
import dev.sluice.analytics.capacity.CapacitySearch.Settings;
import dev.sluice.analytics.capacity.RunEvidence.Samples;
import dev.sluice.analytics.capacity.Target.Scope;
import dev.sluice.contract.experiment.Experiment.Threshold;
import java.util.Collections;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Random;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The search on a queue of known capacity, and on runs that say nothing. */
final class CapacitySearchTest {
  private static final double SERVICE_MS = 10;
  private static final Target TARGET =
      new Target("slo_violation_rate", new Threshold("<", 0.01), List.of(new Scope("", "")));

  /**
   * Rate at which 1 % of Poisson arrivals wait longer than 40 ms for a lane that takes 10 ms each,
   * by Erlang's distribution of the wait in M/D/1.
   */
  private static final double CAPACITY = 56.0783;

  /** A run of one lane of constant time: 10,000 jobs after 250, by Lindley's recursion. */
  private static RunEvidence oneLane(double rate, long seed) {
    var random = new Random(seed);
    var samples = new Samples(TARGET);
    double waitMs = 0;
    for (int job = 0; job < 10_250; job++) {
      double gapMs = -1e3 / rate * Math.log(1 - random.nextDouble());
      waitMs = Math.max(0, waitMs + SERVICE_MS - gapMs);
      if (job >= 250) {
        double ms = waitMs + SERVICE_MS;
        samples.add("only", "m", ms > 50, true, ms, waitMs);
      }
    }
    return new RunEvidence("fifo", rate, seed, 1, rate > 98, false, "", 1, rate, samples.build());
  }

  private static RunEvidence silent(double rate, long seed, boolean late) {
    return new RunEvidence(
        "fifo", rate, seed, 1, false, late, "generator saturated", Double.NaN, 0, List.of());
  }

  private static Settings settings(double from, double to, double resolution, int runsMax) {
    return new Settings(from, to, resolution, runsMax, 20, 5, 64);
  }

  private static Answer search(Settings settings, BiFunction<Double, Integer, RunEvidence> runs) {
    var search = new CapacitySearch(TARGET, settings);
    for (OptionalDouble next = search.next(); next.isPresent(); next = search.next()) {
      double rate = next.getAsDouble();
      search.add(runs.apply(rate, search.runsOf(rate)));
    }
    return search.answer();
  }

  /** A hundred searches; each answer's rates have to lie on both sides of the true one. */
  @Tag("slow")
  @Test
  void ninetyFiveOfAHundredIntervalsHoldTheTruth() {
    int held = 0;
    int resolved = 0;
    for (int i = 0; i < 100; i++) {
      long seed = 1_000_003L * i;
      Answer answer = search(settings(30, 90, 0.05, 400), (rate, run) -> oneLane(rate, seed + run));
      held += answer.pass() < CAPACITY && CAPACITY < answer.fail() ? 1 : 0;
      resolved += answer.outcome() == Outcome.RESOLVED ? 1 : 0;
    }
    assertThat(held).isGreaterThanOrEqualTo(95);
    assertThat(resolved).isGreaterThanOrEqualTo(90);
  }

  @Test
  void lateRunsAboveThePass_areTheGeneratorsEnd() {
    Answer answer =
        search(
            settings(10, 90, 0.05, 60),
            (rate, run) -> rate > 40 ? silent(rate, run, true) : oneLane(rate, run));
    assertThat(answer.outcome()).isEqualTo(Outcome.GENERATOR_ENDS);
    assertThat(answer.pass()).isBetween(35.0, 40.0);
    assertThat(answer.words()).startsWith("the generator ends at 4").contains("passed");
  }

  @Test
  void whereNoRateIsKept_noRateIsGivenAsPassing() {
    Answer answer = search(settings(10, 90, 0.05, 60), (rate, run) -> silent(rate, run, true));
    assertThat(answer.outcome()).isEqualTo(Outcome.GENERATOR_ENDS);
    assertThat(answer.pass()).isNaN();
    assertThat(answer.words()).isEqualTo("the generator ends at 10/s");
    Answer faulty = search(settings(10, 90, 0.05, 60), (rate, run) -> silent(rate, run, false));
    assertThat(faulty.words()).isEqualTo("runs say nothing from 10/s");
  }

  @Test
  void theWordsTellWhatEndedTheSearch() {
    Answer few = search(settings(30, 90, 0.05, 2), (rate, run) -> oneLane(rate, run));
    assertThat(few.outcome()).isEqualTo(Outcome.NOT_RESOLVED);
    assertThat(few.words())
        .isEqualTo(
            "between 30/s, which passed, and 90/s, which failed, 200 % apart; 5 % asked: add --runs"
                + " 8");
    Answer fine = search(settings(55.5, 56.7, 0.001, 10_000), (rate, run) -> oneLane(rate, run));
    assertThat(fine.words())
        .startsWith("no rate passed, no rate failed: add --set duration_seconds=85");
    Answer hole =
        search(
            settings(30, 90, 0.05, 400),
            (rate, run) -> rate > 40 && rate < 80 ? silent(rate, run, true) : oneLane(rate, run));
    assertThat(hole.words()).matches("between .* apart; 5 % asked: runs at [0-9.]+/s say nothing");
    Answer late =
        search(
            settings(10, 90, 0.05, 2),
            (rate, run) -> rate > 40 ? silent(rate, run, true) : oneLane(rate, run));
    assertThat(late.words())
        .as("one late run is no end")
        .isEqualTo("10/s passed, no rate failed: add --runs 8");
    var stopped = new CapacitySearch(TARGET, settings(30, 90, 0.05, 60));
    stopped.add(oneLane(30, 1));
    assertThat(stopped.answer().words())
        .isEqualTo("30/s passed, no rate failed: the same command goes on");
  }

  @Test
  void longerRuns_judgeAnewWhatShorterOnesDidNotDecide() {
    var search = new CapacitySearch(TARGET, settings(10, 90, 0.05, 400));
    search.add(run(10, false, 0.001));
    search.add(run(90, false, 0.5));
    double middle = search.next().orElseThrow();
    assertThat(search.wantsLongerRuns()).as("runs of this length may decide").isFalse();
    while (!search.wantsLongerRuns()) {
      search.add(run(search.next().orElseThrow(), false, 0.01));
    }
    int made = search.madeOf(middle);
    assertThat(made).isEqualTo(RateEvidence.RUNS_MAX);
    search.lengthen();
    assertThat(search.lengths()).isEqualTo(4);
    assertThat(search.next()).hasValue(middle);
    assertThat(search.runsOf(middle)).isZero();
    assertThat(search.madeOf(middle)).as("further seeds").isEqualTo(made);
    assertThat(search.verdictOf(10)).as("what was decided stays").isEqualTo("pass");
  }

  /** A run whose batches all have one mean. */
  private static RunEvidence run(double rate, boolean unstable, double mean) {
    long broken = Math.round(1e6 * mean);
    var sample = new RunEvidence.Sample("all", 1_000_000, broken, Collections.nCopies(20, mean));
    return new RunEvidence("fifo", rate, 1, 1, unstable, false, "", 1, rate, List.of(sample));
  }

  @Test
  void mostRunsUnstable_fail() {
    var search = new CapacitySearch(TARGET, settings(10, 90, 0.05, 60));
    search.add(run(10, true, 0.001));
    assertThat(search.verdictOf(10)).isEqualTo("fail");
    for (int i = 0; i < 3; i++) {
      search.add(run(10, false, 0.001));
    }
    assertThat(search.verdictOf(10)).isEqualTo("pass");
  }

  @Test
  void anUndecidedRate_getsFurtherSeeds_whichArePooled() {
    var search = new CapacitySearch(TARGET, settings(10, 90, 0.05, 60));
    search.add(run(10, false, 0.001));
    search.add(run(90, false, 0.5));
    search.add(run(30, false, 0.01));
    for (int seeds = 1; seeds < 4; seeds++) {
      assertThat(search.verdictOf(30)).isEqualTo("undecided");
      assertThat(search.next()).hasValue(30);
      search.add(run(30, false, 0.001));
    }
    assertThat(search.verdictOf(30)).as("three of four keep it by far").isEqualTo("pass");
  }

  @Test
  void aPassAboveAFail_isRunAgain_andSoIsThatFail() {
    var search = new CapacitySearch(TARGET, settings(10, 90, 0.05, 60));
    search.add(run(10, false, 0.001));
    search.add(run(90, false, 0.5));
    search.add(run(30, false, 0.5));
    search.add(run(40, false, 0.001));
    assertThat(search.answer().pass()).as("no rate that passed above a fail").isNaN();
    assertThat(search.next()).hasValue(30);
    search.add(run(30, false, 0.5));
    assertThat(search.next()).hasValue(40);
    for (int i = 0; i < 3; i++) {
      search.add(run(40, false, 0.5));
    }
    assertThat(search.answer().pass()).isEqualTo(10);
    assertThat(search.answer().fail()).isEqualTo(30);
  }

  @Test
  void aMean_gainsNothingByDropping() {
    var target = new Target("avg_e2e_ms", new Threshold("<", 100), List.of(new Scope("", "")));
    for (boolean drops : List.of(false, true)) {
      var samples = new Samples(target);
      for (int job = 0; job < 10_000; job++) {
        boolean done = !drops || job != 5000;
        samples.add("only", "m", !done, done, 20 + job % 7, 1);
      }
      var search = new CapacitySearch(target, settings(10, 90, 0.05, 60));
      search.add(new RunEvidence("fifo", 10, 1, 1, false, false, "", 1, 10, samples.build()));
      assertThat(search.verdictOf(10)).isEqualTo(drops ? "fail" : "pass");
    }
  }
}
